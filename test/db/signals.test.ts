import {
  appendMessages,
  contentHashOf,
  ensureUsers,
  getUser,
  getUserProfile,
  listUnreflected,
  type Reflection,
  readTrustSignals,
  recordFeedback,
  storeBehaviour,
  storeReflection,
  storeRemGraph,
  storeSessionSummary,
  storeTrust,
  type Transaction,
} from '@slowwave/db';
import { type Behaviour, initialPeak, updateBehaviour } from '@slowwave/fusion';
import { sql } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { DATABASES } from '../fixtures/databases.ts';
import { DAY, NOW } from '../fixtures/memories.ts';
import { ownDatabase } from '../fixtures/own-database.ts';

const HOUR = 3_600_000;
const CANARY = 'clarinet-canary-vole';
const RUN = '01890000-0000-7000-8000-00000000000a';
/** Names that an array literal would give a meaning to. */
const ODD = 'a,"b" {c} \\ d';

describe.each(DATABASES)('signals (%s)', (_name, open) => {
  const tenant = 't';
  const { inTenant, rows, nextUser } = ownDatabase(open);

  /** A user whose light tier has nothing ahead, with sessions of four messages each, all summarised. */
  async function newUser(sessions: string[] = []): Promise<string> {
    const user = nextUser();
    await inTenant((tx) => ensureUsers(tx, [{ tenant, user }], NOW));
    await rows(
      sql`update slowwave.user_tiers set due_at = 'infinity' where user_id = ${user} and tier = 'light'`,
    );
    for (const [i, id] of sessions.entries()) {
      const messages = [1, 2, 3, 4].map((n) => ({
        role: 'user' as const,
        content: `message ${n}`,
        saidAt: NOW - DAY + i * HOUR + n,
      }));
      await inTenant((tx) => appendMessages(tx, { tenant, user, session: { id }, messages, at: NOW }));
      await inTenant((tx) =>
        storeSessionSummary(tx, {
          tenant,
          user,
          sessionId: id,
          summary: `about ${id}`,
          topics: ['boats'],
          messageCount: 4,
          model: 'm',
          at: NOW - HOUR,
        }),
      );
    }
    return user;
  }

  const profileOf = (user: string) => inTenant((tx) => getUserProfile(tx, { tenant, user }));
  const versions = (user: string) =>
    rows(sql`
      select 'memory' as what, id::text, xmin::text as version from slowwave.memories where user_id = ${user}
      union all select 'set', id::text, xmin::text from slowwave.change_sets where user_id = ${user}
      union all select 'change', position::text, xmin::text from slowwave.changes where user_id = ${user}
      union all select 'summary', session_id, xmin::text from slowwave.session_summaries where user_id = ${user}
      union all select 'profile', user_id, xmin::text from slowwave.user_profiles where user_id = ${user}
      union all select 'tier', tier, xmin::text from slowwave.user_tiers where user_id = ${user}
      order by 1, 2`);

  describe('feedback', () => {
    const give = (user: string, more: Partial<Parameters<typeof recordFeedback>[1]> = {}) =>
      inTenant((tx) => recordFeedback(tx, { tenant, user, kind: 'accepted', at: NOW, ...more }));
    const signals = (user: string, since: number | null = null, at = NOW) =>
      inTenant((tx) => readTrustSignals(tx, { tenant, user, since, at }));

    it('is counted by kind, within a span of time', async () => {
      const user = await newUser(['one', 'two']);
      await give(user, { at: NOW - 3 * HOUR });
      await give(user, { at: NOW - 2 * HOUR, sessionId: 'one' });
      await give(user, { kind: 'dismissed', at: NOW - HOUR });
      await give(user, { kind: 'explicit', rating: 0.25 });
      await give(user, { kind: 'explicit', rating: 1 });
      const all = { accepted: 2, dismissed: 1, explicit: 2, explicitSum: 1.25, sessions: 2, feedback: 5 };
      expect(await signals(user)).toEqual(all);
      expect(await signals(user, NOW - 3 * HOUR)).toEqual({ ...all, accepted: 1, feedback: 4 });
      const early = { ...all, dismissed: 0, explicit: 0, explicitSum: 0, feedback: 1 };
      expect(await signals(user, NOW - 3 * HOUR, NOW - 2 * HOUR)).toEqual({ ...early, accepted: 1 });
      // Sessions are those held so far, whatever the span of the feedback.
      expect(await signals(user, NOW)).toMatchObject({ feedback: 0, sessions: 2 });
      expect(await signals(user, null, NOW - DAY + 1)).toMatchObject({ feedback: 0, sessions: 1 });
      expect(await signals(await newUser())).toMatchObject({ feedback: 0, explicitSum: 0, sessions: 0 });
    });

    it('is recorded once under its id', async () => {
      const user = await newUser();
      const first = await give(user);
      expect(first.recorded).toBe(true);
      expect(await give(user, { id: first.id, kind: 'dismissed' })).toEqual({
        id: first.id,
        recorded: false,
      });
      expect(await signals(user)).toMatchObject({ accepted: 1, dismissed: 0 });
    });

    it.each([
      ['a rating above 1', { kind: 'explicit' as const, rating: 1.01 }, 'out_of_range'],
      ['a rating that is no number', { kind: 'explicit' as const, rating: Number.NaN }, 'out_of_range'],
      ['explicit feedback without a rating', { kind: 'explicit' as const }, 'not_allowed'],
      ['a rating where none belongs', { rating: 0.5 }, 'not_allowed'],
      ['an unknown kind', { kind: CANARY as 'accepted' }, 'not_allowed'],
      ['a long session id', { sessionId: CANARY.repeat(20) }, 'too_long'],
    ])('refuses %s', async (_what, more, code) => {
      const user = await newUser();
      const error = await give(user, more).catch((e: unknown) => e);
      expect(error).toMatchObject({ name: 'InputError', code });
      expect(textOf(error)).not.toContain(CANARY);
      expect(await signals(user)).toMatchObject({ feedback: 0 });
    });
  });

  describe('the profile', () => {
    const behaviour: Behaviour = updateBehaviour(null, [
      {
        day: '2026-06-14',
        messages: 4,
        characters: 80,
        questions: 1,
        hours: Array.from({ length: 24 }, (_, hour) => (hour === 9 ? 4 : 0)),
        topics: ['boats'],
        at: NOW - DAY,
      },
    ])!;

    it('is kept part by part, and the same again writes nothing', async () => {
      const user = await newUser();
      expect(await profileOf(user)).toBeNull();
      const of = { tenant, user, at: NOW };
      const writes: ((tx: Transaction) => Promise<unknown>)[] = [
        (tx) => storeBehaviour(tx, { ...of, behaviour, through: NOW - HOUR }),
        (tx) => storeTrust(tx, { ...of, trust: 0.625, through: NOW - 2 * HOUR }),
        (tx) => storeRemGraph(tx, { ...of, graph: 'abc' }),
      ];
      for (const write of writes) await inTenant(write);
      const expected = {
        behaviour,
        behaviourThrough: NOW - HOUR,
        trust: 0.625,
        trustThrough: NOW - 2 * HOUR,
        profile: null,
        profileAt: null,
        remGraph: 'abc',
        updatedAt: NOW,
      };
      expect(await profileOf(user)).toEqual(expected);
      const before = await versions(user);
      const later = { ...of, at: NOW + HOUR };
      await inTenant((tx) => storeBehaviour(tx, { ...later, behaviour, through: NOW - HOUR }));
      await inTenant((tx) => storeTrust(tx, { ...later, trust: 0.625, through: NOW - 2 * HOUR }));
      await inTenant((tx) => storeRemGraph(tx, { ...later, graph: 'abc' }));
      expect(await versions(user)).toEqual(before);
      await inTenant((tx) => storeTrust(tx, { ...later, trust: 0.7, through: NOW }));
      expect(await profileOf(user)).toEqual({
        ...expected,
        trust: 0.7,
        trustThrough: NOW,
        updatedAt: NOW + HOUR,
      });
    });

    it('takes a trust from 0 to 1 only', async () => {
      const user = await newUser();
      for (const trust of [-0.1, 1.1, Number.NaN]) {
        const attempt = inTenant((tx) => storeTrust(tx, { tenant, user, trust, through: NOW, at: NOW }));
        await expect(attempt).rejects.toMatchObject({
          name: 'InputError',
          code: 'out_of_range',
          field: 'trust',
        });
      }
      expect(await profileOf(user)).toBeNull();
    });
  });

  describe('a reflection', () => {
    const reflection = (user: string, more: Partial<Reflection> = {}): Reflection => ({
      tenant,
      user,
      runId: RUN,
      at: NOW,
      profile: 'Asks briefly, in the mornings.',
      insights: [
        { content: 'Boats come up whenever the week was long.', sessionIds: ['two', ODD, 'two'] },
        { content: 'Plans are made aloud before they are written down.', sessionIds: ['two'] },
      ],
      sessionIds: [ODD, 'two'],
      confidence: 0.5,
      trust: 0.6,
      ...more,
    });
    const reflect = (user: string, more: Partial<Reflection> = {}) =>
      inTenant((tx) => storeReflection(tx, reflection(user, more)));
    const unreflected = async (user: string) => {
      const found = await inTenant((tx) =>
        listUnreflected(tx, { tenant, user, since: NOW - DAY, at: NOW, limit: 10 }),
      );
      return found.map((summary) => summary.sessionId).sort();
    };
    const memoriesOf = (user: string) =>
      rows<Record<string, unknown>>(sql`
        select *, date_part('epoch', anchor_at) * 1000 as anchor, date_part('epoch', document_date) * 1000 as said
        from slowwave.memories where user_id = ${user} order by id`);

    it('becomes journalled memories of the assistant, and a profile', async () => {
      const user = await newUser([ODD, 'two', 'three']);
      expect(await reflect(user)).toEqual({ insights: 2 });
      const memories = await memoriesOf(user);
      expect(memories).toHaveLength(2);
      for (const memory of memories) {
        expect(memory).toMatchObject({
          category: 'insight',
          memory_type: 'derived',
          origin: 'assistant',
          learned_from: 'self_reflection',
          importance: 7,
          confidence: 0.5,
          trust: 0.6,
          peak: initialPeak(7),
          demotion: 1,
          visibility: 'private',
          is_latest: true,
          version: 1,
          anchor: NOW,
          said: NOW,
          external_id: null,
          source_chunk: null,
        });
        expect(memory.content_hash).toBe(contentHashOf(String(memory.content)));
      }
      expect(memories.map((memory) => memory.metadata)).toContainEqual({
        sessionIds: [ODD, 'two'],
        reflectedAt: NOW,
      });
      expect(await profileOf(user)).toMatchObject({
        profile: 'Asks briefly, in the mornings.',
        profileAt: NOW,
      });
      expect(await unreflected(user)).toEqual(['three']);
      expect((await inTenant((tx) => getUser(tx, tenant, user)))!.tiers.light.dueAt).toBe(NOW);

      const changes = await rows<{ after: Record<string, unknown> }>(sql`
        select s.kind, s.run_id, c.position, c.table_name, c.row_key, c.before, c.after
        from slowwave.change_sets s join slowwave.changes c
          on c.tenant = s.tenant and c.user_id = s.user_id and c.change_set_id = s.id
        where s.user_id = ${user} order by c.position`);
      expect(changes).toMatchObject(
        memories.map((memory, i) => ({
          kind: 'reflection',
          run_id: RUN,
          position: i + 1,
          table_name: 'memories',
          row_key: { id: memory.id },
          before: null,
        })),
      );
      const images = await rows<{ image: object }>(
        sql`select to_jsonb(m) - 'words' as image from slowwave.memories m where user_id = ${user} order by id`,
      );
      expect(changes.map((change) => change.after)).toEqual(images.map((row) => row.image));
      expect(changes[0]!.after).not.toHaveProperty('words');
    });

    it('the second time writes nothing, whenever that is', async () => {
      const user = await newUser([ODD, 'two']);
      await reflect(user);
      const before = await versions(user);
      expect(await reflect(user)).toEqual({ insights: 0 });
      expect(await reflect(user, { at: NOW + DAY })).toEqual({ insights: 0 });
      expect(await versions(user)).toEqual(before);
      // The same words about other sessions are another insight.
      const again = { content: 'Boats come up whenever the week was long.', sessionIds: ['two'] };
      expect(await reflect(user, { insights: [again] })).toEqual({ insights: 1 });
    });

    it('without insights or profile only marks what was read', async () => {
      const user = await newUser([ODD, 'two']);
      await reflect(user, { insights: [] });
      expect(await reflect(user, { insights: [], profile: null, at: NOW + HOUR })).toEqual({ insights: 0 });
      expect(await profileOf(user)).toMatchObject({
        profile: 'Asks briefly, in the mornings.',
        profileAt: NOW,
      });
      expect(await unreflected(user)).toEqual([]);
      expect(await rows(sql`select 1 from slowwave.change_sets where user_id = ${user}`)).toEqual([]);
      expect((await inTenant((tx) => getUser(tx, tenant, user)))!.tiers.light.dueAt).toBe(
        Number.POSITIVE_INFINITY,
      );
    });

    it('drops what rests on a session that is gone', async () => {
      const user = await newUser([ODD, 'two']);
      await rows(sql`delete from slowwave.sessions where user_id = ${user} and id = ${ODD}`);
      const unfounded = { content: 'An insight about nothing.', sessionIds: [] };
      const { insights } = reflection(user);
      expect(await reflect(user, { insights: [...insights, unfounded] })).toEqual({ insights: 1 });
      const contents = (await memoriesOf(user)).map((memory) => memory.content);
      expect(contents).toEqual(['Plans are made aloud before they are written down.']);
      expect(await profileOf(user)).toBeNull();
      expect(await unreflected(user)).toEqual([]);
    });

    it('belongs to one user', async () => {
      const [ana, ben] = [await newUser([ODD, 'two']), await newUser(['two'])];
      await reflect(ana);
      expect(await memoriesOf(ben)).toEqual([]);
      expect(await unreflected(ben)).toEqual(['two']);
      expect(await profileOf(ben)).toBeNull();
    });

    it.each([
      ['an empty insight', { insights: [{ content: '', sessionIds: ['two'] }] }, 'empty'],
      ['a long insight', { insights: [{ content: CANARY.repeat(200), sessionIds: ['two'] }] }, 'too_long'],
      ['NUL in an insight', { insights: [{ content: `${CANARY}\0`, sessionIds: ['two'] }] }, 'invalid_text'],
      [
        'too many insights',
        {
          insights: Array.from({ length: 21 }, (_, i) => ({
            content: `${CANARY} ${i}`,
            sessionIds: ['two'],
          })),
        },
        'too_many',
      ],
      ['a long profile', { profile: CANARY.repeat(2000) }, 'too_long'],
      ['too many sessions', { sessionIds: Array.from({ length: 1001 }, (_, i) => `s${i}`) }, 'too_many'],
      ['confidence out of range', { confidence: 1.5 }, 'out_of_range'],
      ['trust out of range', { trust: Number.NaN }, 'out_of_range'],
    ] as [string, Partial<Reflection>, string][])(
      'refuses %s, without repeating it',
      async (_what, more, code) => {
        const user = await newUser(['two']);
        const before = await versions(user);
        const error = await reflect(user, more).catch((e: unknown) => e);
        expect(error).toMatchObject({ name: 'InputError', code, retryable: false });
        expect(textOf(error)).not.toContain(CANARY);
        expect(await versions(user)).toEqual(before);
      },
    );

    it('refuses an unknown user, without repeating what was said', async () => {
      const of = { insights: [], sessionIds: [], profile: CANARY };
      const error = await reflect('nobody', of).catch((e: unknown) => e);
      expect(error).toMatchObject({ name: 'DatabaseError', code: 'constraint' });
      expect(textOf(error)).not.toContain(CANARY);
    });
  });
});

/** Everything of an error that a log could show. */
function textOf(error: unknown): string {
  const { message, stack, cause } = error as Error;
  return [message, stack, JSON.stringify(error), String(cause), JSON.stringify(cause)].join('\n');
}
