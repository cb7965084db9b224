import {
  appendMessages,
  ensureUsers,
  listIdleSessions,
  listMessages,
  listSummaries,
  listSummariesToEmbed,
  listUnreflected,
  MESSAGE_CHARS_MAX,
  MESSAGES_PER_CALL_MAX,
  markSummaryFailed,
  type NewMessage,
  readActivity,
  SUMMARY_FAILURES_MAX,
  storeSessionSummary,
  storeSummaryEmbeddings,
} from '@slowwave/db';
import { sql } from 'drizzle-orm';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { wallTimeAt } from '../../packages/db/src/scheduling/zone-time.ts';
import { DATABASES } from '../fixtures/databases.ts';
import { DAY, NOW } from '../fixtures/memories.ts';
import { overlap } from '../fixtures/overlap.ts';
import { ownDatabase } from '../fixtures/own-database.ts';

const HOUR = 3_600_000;
const CANARY = 'bassoon-canary-marten';

describe.each(DATABASES)('conversations (%s)', (_name, open) => {
  const tenant = 't';
  const { database, inTenant, rows, nextUser } = ownDatabase(open);

  async function newUser(): Promise<string> {
    const user = nextUser();
    await inTenant((tx) => ensureUsers(tx, [{ tenant, user }], NOW));
    return user;
  }

  const say = (content: string, saidAt: number, more: Partial<NewMessage> = {}): NewMessage => ({
    role: 'user',
    content,
    saidAt,
    ...more,
  });

  const append = (user: string, id: string, messages: NewMessage[], more: { agent?: string } = {}) =>
    inTenant((tx) => appendMessages(tx, { tenant, user, session: { id, ...more }, messages, at: NOW }));

  /** As many messages as asked for, one a minute, the last one at `last`. */
  const talk = (count: number, last: number) =>
    Array.from({ length: count }, (_, i) => say(`message ${i + 1}`, last - (count - 1 - i) * 60_000));

  const sessionOf = async (user: string, id: string) => {
    const [row] = await rows<Record<string, unknown>>(sql`
      select agent, message_count as messages, summarized_count as summarized, summary_failures as failures,
        date_part('epoch', started_at) * 1000 as started, date_part('epoch', last_message_at) * 1000 as last, xmin::text as version
      from slowwave.sessions where user_id = ${user} and id = ${id}`);
    return row;
  };

  const positionsOf = async (user: string, id: string): Promise<number[]> => {
    const found = await rows<{ position: number }>(
      sql`select position from slowwave.messages where user_id = ${user} and session_id = ${id} order by position`,
    );
    return found.map((row) => row.position);
  };

  const summarise = (user: string, sessionId: string, messageCount: number, more = {}) =>
    inTenant((tx) =>
      storeSessionSummary(tx, {
        tenant,
        user,
        sessionId,
        summary: `about ${sessionId}`,
        topics: ['boats', 'harbours', 'weather'],
        messageCount,
        model: 'test-model',
        at: NOW,
        ...more,
      }),
    );

  describe('appending', () => {
    it('makes the session and counts positions on', async () => {
      const user = await newUser();
      const first = [say('hello 🐕', NOW - 2 * HOUR), say('hi', NOW - HOUR, { role: 'assistant' })];
      expect(await append(user, 's', first, { agent: 'helper' })).toEqual({ appended: 2, existing: 0 });
      expect(await append(user, 's', [say('earlier', NOW - 3 * HOUR)])).toEqual({ appended: 1, existing: 0 });
      expect(await positionsOf(user, 's')).toEqual([1, 2, 3]);
      expect(await sessionOf(user, 's')).toMatchObject({
        agent: 'helper',
        messages: 3,
        summarized: 0,
        started: NOW - 3 * HOUR,
        last: NOW - HOUR,
      });
      const read = await inTenant((tx) =>
        listMessages(tx, { tenant, user, sessionId: 's', limit: 10, maxChars: 1000 }),
      );
      expect(read).toEqual([
        { role: 'user', content: 'hello 🐕', saidAt: NOW - 2 * HOUR },
        { role: 'assistant', content: 'hi', saidAt: NOW - HOUR },
        { role: 'user', content: 'earlier', saidAt: NOW - 3 * HOUR },
      ]);
    });

    it('knows a message by its external id, also twice in one call', async () => {
      const user = await newUser();
      const messages = [
        say('one', NOW - 3, { externalId: 'm1' }),
        say('two', NOW - 2, { externalId: 'm2' }),
        say('one again', NOW - 1, { externalId: 'm1' }),
      ];
      expect(await append(user, 's', messages)).toEqual({ appended: 2, existing: 1 });
      const before = await sessionOf(user, 's');
      expect(await append(user, 's', messages)).toEqual({ appended: 0, existing: 3 });
      // Not even a row version: nothing new was said.
      expect(await sessionOf(user, 's')).toEqual(before);
      expect(await append(user, 's', [...messages, say('three', NOW, { externalId: 'm3' })])).toEqual({
        appended: 1,
        existing: 3,
      });
      expect(await positionsOf(user, 's')).toEqual([1, 2, 3]);
      // The same id in another session is another message.
      expect(await append(user, 'other', messages.slice(0, 1))).toEqual({ appended: 1, existing: 0 });
    });

    it('leaves no gap and loses nothing when many append at once', async () => {
      const user = await newUser();
      const calls = Array.from({ length: 12 }, (_, call) =>
        append(
          user,
          's',
          Array.from({ length: 5 }, (_, i) =>
            // Half of what each brings the next one brings too.
            say(`message ${call + i}`, NOW - 1000 + call, { externalId: `m${call * 2 + i}` }),
          ),
        ),
      );
      const results = await Promise.all(calls);
      const appended = results.reduce((sum, result) => sum + result.appended, 0);
      const distinct = new Set(
        Array.from({ length: 12 }, (_, call) => [0, 1, 2, 3, 4].map((i) => call * 2 + i)).flat(),
      );
      expect(appended).toBe(distinct.size);
      expect(await positionsOf(user, 's')).toEqual(Array.from({ length: distinct.size }, (_, i) => i + 1));
      expect(await sessionOf(user, 's')).toMatchObject({ messages: distinct.size });
    });

    it.each(['new', 'known'])('to a %s session waits for whoever appends to it', async (kind) => {
      const user = await newUser();
      if (kind === 'known') await append(user, 's', [say('zero', NOW)]);
      const before = kind === 'known' ? 1 : 0;
      const messages = [say('one', NOW, { externalId: 'm1' }), say('two', NOW, { externalId: 'm2' })];
      const [one, two] = await overlap(
        database,
        tenant,
        (tx) => appendMessages(tx, { tenant, user, session: { id: 's' }, messages, at: NOW }),
        () => append(user, 's', [...messages, say('three', NOW)]),
      );
      expect([one, two]).toEqual([
        { appended: 2, existing: 0 },
        { appended: 1, existing: 2 },
      ]);
      expect(await sessionOf(user, 's')).toMatchObject({ messages: before + 3 });
      expect(await positionsOf(user, 's')).toEqual(Array.from({ length: before + 3 }, (_, i) => i + 1));
    });

    it('writes nothing at all for no messages', async () => {
      const user = await newUser();
      expect(await append(user, 's', [])).toEqual({ appended: 0, existing: 0 });
      expect(await sessionOf(user, 's')).toBeUndefined();
    });

    it('only adds an agent where none stood', async () => {
      const user = await newUser();
      await append(user, 's', [say('one', NOW)]);
      await append(user, 's', [say('two', NOW)], { agent: 'first' });
      await append(user, 's', [say('three', NOW)], { agent: 'second' });
      expect(await sessionOf(user, 's')).toMatchObject({ agent: 'first', messages: 3 });
    });

    const bad: [string, string, string, (user: string) => Promise<unknown>][] = [
      ['an empty message', 'empty', 'messages[0].content', (user) => append(user, 's', [say('', NOW)])],
      [
        'a message that is too long',
        'too_long',
        'messages[1].content',
        (user) => append(user, 's', [say('a', NOW), say(CANARY.repeat(MESSAGE_CHARS_MAX / 10), NOW)]),
      ],
      [
        'a NUL character',
        'invalid_text',
        'messages[0].content',
        (user) => append(user, 's', [say(`${CANARY}\0`, NOW)]),
      ],
      [
        'half a surrogate pair',
        'invalid_text',
        'messages[0].content',
        (user) => append(user, 's', [say(`${CANARY}\ud83d`, NOW)]),
      ],
      [
        'an unknown role',
        'not_allowed',
        'messages[0].role',
        (user) => append(user, 's', [say(CANARY, NOW, { role: CANARY as 'user' })]),
      ],
      [
        'no time',
        'invalid_time',
        'messages[0].saidAt',
        (user) => append(user, 's', [say(CANARY, Number.NaN)]),
      ],
      [
        'a time far ahead',
        'invalid_time',
        'messages[0].saidAt',
        (user) => append(user, 's', [say(CANARY, NOW + 2 * DAY)]),
      ],
      [
        'too many messages',
        'too_many',
        'messages',
        (user) => append(user, 's', talk(MESSAGES_PER_CALL_MAX + 1, NOW)),
      ],
      [
        'too much text together',
        'too_long',
        'messages',
        (user) =>
          append(
            user,
            's',
            Array.from({ length: 60 }, () => say('x'.repeat(90_000), NOW)),
          ),
      ],
      ['an empty session id', 'empty', 'session.id', (user) => append(user, ' ', [say(CANARY, NOW)])],
      [
        'a long external id',
        'too_long',
        'messages[0].externalId',
        (user) => append(user, 's', [say(CANARY, NOW, { externalId: CANARY.repeat(20) })]),
      ],
    ];
    it.each(bad)('refuses %s, without repeating it', async (_what, code, field, attempt) => {
      const user = await newUser();
      const error = await attempt(user).catch((e: unknown) => e);
      expect(error).toMatchObject({ name: 'InputError', code, field, retryable: false });
      expect(textOf(error)).not.toContain(CANARY);
      expect(await sessionOf(user, 's')).toBeUndefined();
    });

    it('takes the most that it allows', async () => {
      const user = await newUser();
      const dogs = '🐕'.repeat(MESSAGE_CHARS_MAX);
      expect(await append(user, 's', [say(dogs, NOW)])).toEqual({ appended: 1, existing: 0 });
      const many = talk(MESSAGES_PER_CALL_MAX, NOW);
      expect(await append(user, 's', many)).toEqual({ appended: MESSAGES_PER_CALL_MAX, existing: 0 });
    });

    it('refuses an unknown user and another tenant, without repeating what was said', async () => {
      const unknown = await append('nobody', 's', [say(CANARY, NOW)]).catch((e: unknown) => e);
      expect(unknown).toMatchObject({ name: 'DatabaseError', code: 'constraint', retryable: false });
      const user = await newUser();
      const foreign = await inTenant((tx) =>
        appendMessages(tx, {
          tenant: 'else',
          user,
          session: { id: 's' },
          messages: [say(CANARY, NOW)],
          at: NOW,
        }),
      ).catch((e: unknown) => e);
      expect(foreign).toMatchObject({ name: 'DatabaseError', code: 'permission' });
      for (const error of [unknown, foreign]) expect(textOf(error)).not.toContain(CANARY);
    });
  });

  describe('idle sessions', () => {
    const idle = (user: string, more = {}) =>
      inTenant((tx) =>
        listIdleSessions(tx, { tenant, user, at: NOW, idleMs: 2 * HOUR, minMessages: 4, limit: 20, ...more }),
      );

    it('are long enough, still, and not summarised to their end; the oldest first', async () => {
      const user = await newUser();
      await append(user, 'younger', talk(4, NOW - 2 * HOUR));
      await append(user, 'older', talk(5, NOW - 9 * HOUR));
      await append(user, 'short', talk(3, NOW - 9 * HOUR));
      await append(user, 'going on', talk(9, NOW - 2 * HOUR + 1));
      await append(user, 'summarised', talk(4, NOW - 9 * HOUR));
      expect(await summarise(user, 'summarised', 4)).toBe(true);
      expect(await idle(user)).toEqual([
        { id: 'older', messageCount: 5, summarizedCount: 0, lastMessageAt: NOW - 9 * HOUR },
        { id: 'younger', messageCount: 4, summarizedCount: 0, lastMessageAt: NOW - 2 * HOUR },
      ]);
      expect((await idle(user, { limit: 1 })).map((session) => session.id)).toEqual(['older']);
      // Something was said after the summary.
      await append(user, 'summarised', talk(1, NOW - 8 * HOUR));
      expect((await idle(user)).at(1)).toMatchObject({
        id: 'summarised',
        messageCount: 5,
        summarizedCount: 4,
      });
      expect(await idle(await newUser())).toEqual([]);
    });

    it('are left alone after three failures, until something is said', async () => {
      const user = await newUser();
      await append(user, 's', talk(4, NOW - 9 * HOUR));
      for (let i = 0; i < SUMMARY_FAILURES_MAX; i++) {
        expect(await idle(user)).toHaveLength(1);
        await inTenant((tx) => markSummaryFailed(tx, { tenant, user, sessionId: 's' }));
      }
      expect(await idle(user)).toEqual([]);
      await append(user, 's', talk(1, NOW - 8 * HOUR));
      expect(await idle(user)).toHaveLength(1);
      expect(await sessionOf(user, 's')).toMatchObject({ failures: 0 });
    });
  });

  describe('the messages of a session', () => {
    const read = async (user: string, limit: number, maxChars: number) => {
      const messages = await inTenant((tx) =>
        listMessages(tx, { tenant, user, sessionId: 's', limit, maxChars }),
      );
      return messages.map((message) => message.content);
    };

    it('are the last ones that there is room for, in order', async () => {
      const user = await newUser();
      await append(
        user,
        's',
        ['aaaa', 'bbbb', 'cc🐕c', 'dddd'].map((text, i) => say(text, NOW + i)),
      );
      expect(await read(user, 10, 100)).toEqual(['aaaa', 'bbbb', 'cc🐕c', 'dddd']);
      expect(await read(user, 2, 100)).toEqual(['cc🐕c', 'dddd']);
      expect(await read(user, 10, 8)).toEqual(['cc🐕c', 'dddd']);
      expect(await read(user, 10, 7)).toEqual(['cc🐕', 'dddd']);
      expect(await read(user, 10, 9)).toEqual(['b', 'cc🐕c', 'dddd']);
      expect(await read(user, 10, 3)).toEqual(['ddd']);
    });
  });

  describe('summaries', () => {
    it('cover what was said and no more, and are replaced only by one that covers more', async () => {
      const user = await newUser();
      await append(user, 's', talk(4, NOW - 9 * HOUR));
      await inTenant((tx) => markSummaryFailed(tx, { tenant, user, sessionId: 's' }));
      // Of messages that are gone by now nothing may be told.
      expect(await summarise(user, 's', 5)).toBe(false);
      expect(await summarise(user, 's', 4)).toBe(true);
      expect(await sessionOf(user, 's')).toMatchObject({ messages: 4, summarized: 4, failures: 0 });
      const before = await rows(
        sql`select *, xmin::text as version from slowwave.session_summaries where user_id = ${user}`,
      );
      expect(before).toMatchObject([{ message_count: 4, summary: 'about s', model: 'test-model' }]);
      expect(await summarise(user, 's', 4, { summary: 'otherwise' })).toBe(false);
      expect(await summarise(user, 's', 5, { summary: 'otherwise' })).toBe(false);
      expect(await summarise(user, 'gone', 4)).toBe(false);
      expect(
        await rows(
          sql`select *, xmin::text as version from slowwave.session_summaries where user_id = ${user}`,
        ),
      ).toEqual(before);
    });

    it('are read once by reflection, and again when they are replaced', async () => {
      const user = await newUser();
      for (const [id, hours] of [
        ['a', 20],
        ['b', 10],
        ['c', 30],
      ] as const) {
        await append(user, id, talk(4, NOW - hours * HOUR));
        await summarise(user, id, 4, { at: NOW - (hours - 4) * HOUR });
      }
      const unreflected = (more = {}) =>
        inTenant((tx) =>
          listUnreflected(tx, { tenant, user, since: NOW - DAY, at: NOW, limit: 10, ...more }),
        );
      const about = (id: string, hours: number) => ({
        sessionId: id,
        summary: `about ${id}`,
        topics: ['boats', 'harbours', 'weather'],
        at: NOW - hours * HOUR,
      });
      expect(await unreflected()).toEqual([about('a', 20), about('b', 10)]);
      expect(await unreflected({ since: NOW - 2 * DAY })).toEqual([
        about('c', 30),
        about('a', 20),
        about('b', 10),
      ]);
      // The newest ones when there is no room for all.
      expect(await unreflected({ limit: 1 })).toEqual([about('b', 10)]);
      expect(await unreflected({ at: NOW - 10 * HOUR })).toEqual([about('a', 20)]);
      expect(await unreflected({ since: NOW - 16 * HOUR })).toEqual([about('b', 10)]);
      await rows(sql`update slowwave.session_summaries set reflected_at = now() where user_id = ${user}`);
      expect(await unreflected()).toEqual([]);
      await append(user, 'b', talk(1, NOW - 5 * HOUR));
      await summarise(user, 'b', 5, { at: NOW });
      expect(await unreflected()).toEqual([about('b', 5)]);
      const all = await inTenant((tx) => listSummaries(tx, { tenant, user, limit: 10 }));
      expect(all.map((summary) => summary.sessionId)).toEqual(['b', 'a', 'c']);
      expect(all[0]).toEqual({ ...about('b', 5), createdAt: NOW, reflectedAt: null });
      expect(all[1]!.reflectedAt).toBeTypeOf('number');
    });

    it('hold no more than a summary may', async () => {
      const user = await newUser();
      await append(user, 's', talk(4, NOW - 9 * HOUR));
      const bad = [
        { summary: '' },
        { summary: CANARY.repeat(1000) },
        { topics: [CANARY.repeat(50)] },
        { topics: Array.from({ length: 21 }, () => CANARY) },
        { messageCount: 0 },
      ];
      for (const more of bad) {
        const error = await summarise(user, 's', 4, more).catch((e: unknown) => e);
        expect(error).toMatchObject({ name: 'InputError' });
        expect(textOf(error)).not.toContain(CANARY);
      }
      expect(await sessionOf(user, 's')).toMatchObject({ summarized: 0 });
    });
  });

  describe('embeddings of summaries', () => {
    const unit = (angle: number) => new Float32Array([Math.cos(angle), Math.sin(angle)]);
    const model = 'summary-2';
    const missing = (user: string, limit = 10) =>
      inTenant((tx) => listSummariesToEmbed(tx, { tenant, user, model, limit }));
    const store = (
      user: string,
      embeddings: { sessionId: string; contentHash: string; vector: Float32Array }[],
    ) => inTenant((tx) => storeSummaryEmbeddings(tx, { tenant, user, model, at: NOW, embeddings }));

    it('are missing until stored, and again when the words change', async () => {
      const user = await newUser();
      for (const id of ['a', 'b']) {
        await append(user, id, talk(4, NOW - 9 * HOUR));
        await summarise(user, id, 4, { at: id === 'a' ? NOW : NOW - HOUR });
      }
      const found = await missing(user);
      expect(found.map((summary) => [summary.sessionId, summary.summary])).toEqual([
        ['b', 'about b'],
        ['a', 'about a'],
      ]);
      expect(await missing(user, 1)).toHaveLength(1);
      const vectors = found.map(({ sessionId, contentHash }, i) => ({
        sessionId,
        contentHash,
        vector: unit(i),
      }));
      expect(await store(user, vectors)).toBe(2);
      expect(await missing(user)).toEqual([]);
      await append(user, 'a', talk(1, NOW - 5 * HOUR));
      await summarise(user, 'a', 5, { summary: 'about something else' });
      const [changed] = await missing(user);
      expect(changed).toMatchObject({ sessionId: 'a', summary: 'about something else' });
      // A vector of the old words comes too late.
      expect(await store(user, [vectors[1]!])).toBe(0);
      expect(await store(user, [{ ...changed!, vector: unit(2) }])).toBe(1);
      expect(await missing(user)).toEqual([]);
      expect(await store(user, [])).toBe(0);
    });

    it('are of one length', async () => {
      const user = await newUser();
      for (const id of ['a', 'b']) {
        await append(user, id, talk(4, NOW - 9 * HOUR));
        await summarise(user, id, 4);
      }
      const found = await missing(user);
      const odd = found.map((summary, i) => ({ ...summary, vector: new Float32Array(2 + i) }));
      await expect(store(user, odd)).rejects.toMatchObject({ code: 'wrong_dimensions' });
      const long = found.map((summary) => ({ ...summary, vector: new Float32Array(3) }));
      await store(user, [{ ...found[0]!, vector: unit(0) }]);
      await expect(store(user, long)).rejects.toMatchObject({ code: 'wrong_dimensions' });
    });
  });

  describe('activity', () => {
    const activity = (user: string, timezone: string, more: { since?: number | null; at?: number } = {}) =>
      inTenant((tx) => readActivity(tx, { tenant, user, timezone, since: null, at: NOW, ...more }));
    const hours = (counts: Record<number, number>) =>
      Array.from({ length: 24 }, (_, hour) => counts[hour] ?? 0);

    it('counts what the user said, by the days of the user', async () => {
      const user = await newUser();
      // 23:30 of the 9th and 00:30 of the 10th in Berlin are both of the 9th in UTC.
      const late = Date.UTC(2026, 5, 9, 21, 30);
      await append(user, 's', [
        say('Is it late?', late),
        say('It is, why do you ask?', late + 60_000, { role: 'assistant' }),
        say('Just so', late + HOUR),
        say('a result', late + HOUR, { role: 'tool' }),
        say('be brief', late + HOUR, { role: 'system' }),
      ]);
      expect(await activity(user, 'Europe/Berlin')).toEqual([
        {
          day: '2026-06-09',
          messages: 1,
          characters: 11,
          questions: 1,
          hours: hours({ 23: 1 }),
          topics: [],
          at: late,
        },
        {
          day: '2026-06-10',
          messages: 1,
          characters: 7,
          questions: 0,
          hours: hours({ 0: 1 }),
          topics: [],
          at: late + HOUR,
        },
      ]);
      expect(await activity(user, 'UTC')).toMatchObject([
        { day: '2026-06-09', messages: 2, hours: hours({ 21: 1, 22: 1 }), at: late + HOUR },
      ]);
      expect(await activity(user, 'UTC', { since: late })).toMatchObject([{ messages: 1, at: late + HOUR }]);
      expect(await activity(user, 'UTC', { at: late + HOUR - 1 })).toMatchObject([{ messages: 1, at: late }]);
      expect(await activity(user, 'UTC', { since: late + HOUR })).toEqual([]);
    });

    it.each([
      ['Really?', true],
      ['Really? Yes.', true],
      ['Really?\nYes.', true],
      ['本当？', true],
      ['本当？ はい', true],
      ['see http://example.org/?page=2 there', false],
      ['a?b', false],
      ['No.', false],
    ])('takes %j for a question: %s', async (text, expected) => {
      const user = await newUser();
      await append(user, 's', [say(text, NOW)]);
      expect(await activity(user, 'UTC')).toMatchObject([{ questions: expected ? 1 : 0 }]);
    });

    it('names the topics of the sessions of a day, each once', async () => {
      const user = await newUser();
      const day = Date.UTC(2026, 5, 9, 12);
      await append(user, 'a', [say('one', day), say('two', day), say('next day', day + DAY)]);
      await append(user, 'b', [say('three', day)]);
      await append(user, 'c', [say('only the assistant spoke', day + DAY, { role: 'assistant' })]);
      await summarise(user, 'a', 3, { topics: ['weather', 'boats'] });
      await summarise(user, 'b', 1, { topics: ['boats', 'harbours'] });
      await summarise(user, 'c', 1, { topics: ['silence'] });
      expect(await activity(user, 'UTC')).toMatchObject([
        { day: '2026-06-09', messages: 3, topics: ['boats', 'harbours', 'weather'] },
        { day: '2026-06-10', messages: 1, topics: ['boats', 'weather'] },
      ]);
    });

    it('agrees with the clocks of the zone at every instant', async () => {
      const zones = [
        'Europe/Berlin',
        'America/New_York',
        'Asia/Kathmandu',
        'Australia/Lord_Howe',
        'Pacific/Apia',
        'UTC',
      ];
      const instants = fc.integer({ min: Date.UTC(2024, 0, 1) / 1000, max: NOW / 1000 });
      await fc.assert(
        fc.asyncProperty(
          fc.constantFrom(...zones),
          fc.array(instants, { minLength: 1, maxLength: 40 }),
          async (zone, seconds) => {
            const user = await newUser();
            await append(
              user,
              's',
              seconds.map((second) => say('word', second * 1000)),
            );
            const expected = new Map<string, number[]>();
            for (const second of seconds) {
              const wall = new Date(wallTimeAt(zone, second * 1000));
              const day = wall.toISOString().slice(0, 10);
              const counts = expected.get(day) ?? hours({});
              counts[wall.getUTCHours()]! += 1;
              expected.set(day, counts);
            }
            const found = await activity(user, zone);
            expect(found.map(({ day, hours }) => [day, hours])).toEqual([...expected].sort());
          },
        ),
        { numRuns: 15 },
      );
    });

    it('reports an unknown zone', async () => {
      const user = await newUser();
      await append(user, 's', [say('word', NOW)]);
      await expect(activity(user, 'Mars/Olympus')).rejects.toMatchObject({ code: 'invalid_text' });
    });
  });
});

/** Everything of an error that a log could show. */
function textOf(error: unknown): string {
  const { message, stack, cause } = error as Error;
  return [message, stack, JSON.stringify(error), String(cause), JSON.stringify(cause)].join('\n');
}
