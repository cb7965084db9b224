import {
  acquireLease,
  confirmMemory,
  createGoal,
  type Database,
  getUserProfile,
  listSummaries,
  readQuarantine,
  recordFeedback,
} from '@slowwave/db';
import { type LLMProvider, ModelError } from '@slowwave/fusion';
import { DEFAULT_LIMITS, type UserJobDeps } from '@slowwave/worker';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSleepModel, type SleepModel } from '../fakes/sleep-model.ts';
import { DATABASES, type DatabaseFixture } from '../fixtures/databases.ts';
import { DAY, NOW, newMemory } from '../fixtures/memories.ts';
import { embedder, runTier, seedPerson, seedSession, stateOf } from '../fixtures/tier-runs.ts';
import { slowChecks } from '../fixtures/work-clock.ts';

const tenant = 't';
const HOUR = DAY / 24;
const CANARY = 'ocarina-canary-marten';
const GARDEN = [
  `The garden behind the house needs water and a ${CANARY}.`,
  'The assistant will set a timer.',
  'The roses want shade in the summer.',
  'The assistant notes the shade.',
];

const STEPS = [
  'notes',
  'embed',
  'decay',
  'fusion',
  'summaries',
  'audit',
  'archive',
  'prune',
  'relations',
  'behaviour',
  'trust',
  'goals',
];

describe.each(DATABASES)('the steps of deep (%s)', (_name, open) => {
  let fixture: DatabaseFixture;
  let database: Database;
  let serial = 0;

  beforeAll(async () => {
    fixture = await open();
    database = fixture.database;
  });
  afterAll(() => fixture?.drop());

  const rows = <Row extends object>(query: ReturnType<typeof sql>): Promise<Row[]> =>
    database.withTenant(tenant, (tx) => tx.rows<Row>(query));
  const nextUser = () => `user-${++serial}`;

  async function deep(
    user: string,
    model: SleepModel | null,
    more: Partial<UserJobDeps> & { at?: number; stopping?: AbortSignal } = {},
  ) {
    const { at = NOW, ...deps } = more;
    const target = { tenant, user, tier: 'deep' as const, at };
    const ended = await runTier(database, target, { provider: model?.provider ?? null, ...deps });
    expect(ended.log + JSON.stringify(ended.run.report)).not.toContain(CANARY);
    return ended;
  }

  const session = (user: string, id: string, endedAt = NOW - 3 * HOUR, texts = GARDEN) =>
    seedSession(database, { tenant, user, id, texts, endedAt });

  const failuresOf = (user: string) =>
    rows<{ failures: number }>(
      sql`select summary_failures as failures from slowwave.sessions where user_id = ${user}`,
    );

  /** Something for each step to find. */
  async function seedAll(): Promise<string> {
    const user = nextUser();
    const facts = ['sells rye bread', 'opens before seven', 'has a blue door'].map((fact, i) =>
      newMemory(user, `f${i}`, `The bakery is in Cork. It ${fact}.`),
    );
    const unused = newMemory(user, 'unused', 'Ana keeps bees.', {
      importance: 9,
      documentDate: NOW - 8 * DAY,
    });
    const faded = newMemory(user, 'faded', 'Ana saw a film.', {
      category: 'event',
      documentDate: NOW - 200 * DAY,
    });
    await seedPerson(database, { tenant, user, memories: [unused, faded], chains: [facts] });
    for (const id of ['s1', 's2', 's3', 's4', 's5']) await session(user, id);
    await database.withTenant(tenant, async (tx) => {
      await recordFeedback(tx, { tenant, user, kind: 'accepted', at: NOW - HOUR });
      await createGoal(tx, { tenant, user, title: 'Plant roses', dueAt: NOW + DAY, at: NOW - DAY });
    });
    return user;
  }

  it('each has its entry, in order, with counts in and out of its gates', async () => {
    const [user, model] = [await seedAll(), createSleepModel()];
    const { run, steps, step } = await deep(user, model);
    expect(run).toMatchObject({ status: 'completed', errorCode: null });
    expect(steps.map((entry) => entry.step)).toEqual(STEPS);
    expect(step('embed').counts).toMatchObject({ embedded: 5 });
    expect(step('decay').counts).toMatchObject({ total: 5, latest: 5, sampled: 5 });
    expect(step('fusion').counts).toMatchObject({
      plan: { clusters: 1 },
      clusters: { committed: 1 },
      superseded: 3,
      embedded: 1,
      stopped: null,
      usage: { calls: 1 },
    });
    expect(step('summaries').counts).toMatchObject({
      idle: 5,
      summarized: 5,
      reused: 0,
      embedded: 5,
      rejected: {},
      failed: {},
      stopped: null,
      usage: { calls: 5, inputTokens: expect.any(Number) },
    });
    expect(step('audit').counts).toMatchObject({ considered: 1, neverRecalled: 1, demoted: 1 });
    expect(step('archive').counts).toMatchObject({ considered: 1, archived: 1 });
    expect(step('prune')).toMatchObject({ status: 'skipped', reason: 'retention_off' });
    // Three lineages and the two relations that were there.
    expect(step('relations').counts).toMatchObject({ relations: 5, orphans: 0, hypotheses: 0 });
    expect(step('behaviour').counts).toMatchObject({ days: 1, messages: 10, messagesBefore: 0 });
    expect(step('trust').counts).toMatchObject({
      feedback: 1,
      sessions: 5,
      before: null,
      trust: expect.closeTo(0.65, 9),
    });
    expect(step('goals').counts).toMatchObject({ goals: 1, urgent: 1, created: 1 });
  });

  it('a second run with nothing new writes nothing and asks no model', async () => {
    const [user, model] = [await seedAll(), createSleepModel()];
    await deep(user, model);
    const [before, asked] = [await stateOf(database, { tenant, user }), model.calls.length];
    const { step, run } = await deep(user, model, { at: NOW + 60_000 });
    expect(run.status).toBe('completed');
    expect(model.calls).toHaveLength(asked);
    expect(step('behaviour')).toMatchObject({ status: 'skipped', reason: 'nothing_new' });
    expect(step('trust')).toMatchObject({ status: 'skipped', reason: 'no_signals' });
    expect(step('goals').counts).toMatchObject({ goals: 1, created: 0 });
    expect(await stateOf(database, { tenant, user })).toEqual(before);
  });

  it('a worker that has lost its user while it planned asks no model', async () => {
    const [user, model] = [await seedAll(), createSleepModel()];
    // As when it stood still: another worker has the user, and this one has not looked at its lease since.
    const overtaken = async (place: string) => {
      if (place !== 'after-read') return;
      await rows(sql`update slowwave.leases set expires_at = clock_timestamp() where user_id = ${user}`);
      const taken = await acquireLease(database, { tenant, user, holder: 'another', ttlMs: DAY });
      expect(taken.status).toBe('held');
    };
    const limits = { ...DEFAULT_LIMITS, leaseMs: DAY };
    await expect(deep(user, model, { limits, failpoints: overtaken })).rejects.toMatchObject({
      code: 'lease_lost',
    });
    expect(model.calls).toEqual([]);
  });

  it('without a model the steps that need one are skipped and say so; the others run', async () => {
    const { run, steps, step } = await deep(await seedAll(), null);
    expect(run.status).toBe('completed');
    expect(steps.map((entry) => entry.step)).toEqual(STEPS);
    for (const name of ['fusion', 'summaries'])
      expect(step(name)).toMatchObject({ status: 'skipped', reason: 'no_model_provider' });
    expect(step('audit').counts).toMatchObject({ demoted: 1 });
    expect(step('goals').counts).toMatchObject({ created: 1 });
  });

  it('in mode off nothing is fused, and sessions are summarised', async () => {
    const [user, model] = [await seedAll(), createSleepModel()];
    await rows(sql`update slowwave.users set mode = 'off' where id = ${user}`);
    const { step } = await deep(user, model);
    expect(step('fusion')).toMatchObject({ status: 'skipped', reason: 'mode_off' });
    expect(step('summaries').counts).toMatchObject({ summarized: 5 });
  });

  it('in mode review a fusion waits for a person, and supersedes nothing until then', async () => {
    const [user, model] = [await seedAll(), createSleepModel()];
    await rows(sql`update slowwave.users set mode = 'review' where id = ${user}`);
    const { step } = await deep(user, model);
    expect(step('fusion').counts).toMatchObject({ clusters: { proposed: 1, committed: 0 }, superseded: 0 });
    expect(step('summaries').counts).toMatchObject({ summarized: 5 });
    expect(
      await rows(sql`select 1 from slowwave.memories where user_id = ${user} and not is_latest`),
    ).toEqual([]);
  });

  it('a provider that is paused is left in peace', async () => {
    const model = createSleepModel();
    const paused = { ...model.provider, isAvailable: () => false };
    const { step } = await deep(await seedAll(), model, { provider: paused });
    for (const name of ['fusion', 'summaries'])
      expect(step(name)).toMatchObject({ status: 'skipped', reason: 'model_paused' });
    expect(model.calls).toEqual([]);
  });

  it('each step asks its own model where it has one', async () => {
    const [user, general, own] = [await seedAll(), createSleepModel('general'), createSleepModel('own')];
    await deep(user, general, { providers: { summaries: own.provider } });
    expect(general.calls.map(({ kind }) => kind)).toEqual(['fusion']);
    expect(own.calls.map(({ kind }) => kind)).toEqual(Array.from({ length: 5 }, () => 'summary'));
    const models = await rows(
      sql`select distinct model from slowwave.session_summaries where user_id = ${user}`,
    );
    expect(models).toEqual([{ model: 'own' }]);
  });

  describe('fusion', () => {
    async function twoChains(): Promise<string> {
      const user = nextUser();
      const chain = (subject: string, facts: string[]) =>
        facts.map((fact, i) => newMemory(user, `${subject}${i}`, `${subject}. It ${fact}.`));
      const bakery = chain('The bakery is in Cork', [
        'sells rye bread',
        'opens before seven',
        'has a blue door',
      ]);
      const music = chain('Ana plays the cello', [
        'sounds at home',
        'sounds with two friends',
        'sounds in an old mill',
      ]);
      await seedPerson(database, { tenant, user, chains: [bakery, music] });
      return user;
    }
    const limits = (fusion: Partial<(typeof DEFAULT_LIMITS)['steps']['fusion']>) => ({
      limits: {
        ...DEFAULT_LIMITS,
        steps: { ...DEFAULT_LIMITS.steps, fusion: { ...DEFAULT_LIMITS.steps.fusion, ...fusion } },
      },
    });

    it('plans as many clusters as it may', async () => {
      const { step } = await deep(await twoChains(), createSleepModel(), limits({ items: 1 }));
      expect(step('fusion').counts).toMatchObject({ plan: { clusters: 1, capped: 1 } });
    });

    it('ends when its tokens are used up, and says so', async () => {
      const model = createSleepModel();
      const provider: LLMProvider = {
        ...model.provider,
        async complete(request) {
          const answer = await model.provider.complete(request);
          return { ...answer, usage: { inputTokens: 2_000, outputTokens: 100 } };
        },
      };
      const user = await twoChains();
      const { step, fusions } = await deep(user, model, { provider, ...limits({ tokens: 2_000 }) });
      expect(step('fusion').counts).toMatchObject({
        plan: { clusters: 2 },
        clusters: { committed: 1, deferred: 1 },
        stopped: 'tokens',
        usage: { calls: 1, inputTokens: 2_000, outputTokens: 100 },
      });
      expect(fusions).toEqual([]);
    });

    it('ends when its time is over', async () => {
      const model = createSleepModel();
      const { step } = await deep(await twoChains(), model, limits({ ms: 0 }));
      expect(step('fusion').counts).toMatchObject({ stopped: 'deadline', clusters: { deferred: 2 } });
      expect(model.calls).toEqual([]);
    });

    it('checks that take longer than the step may: done where an answer came, else failed, and then the user is in quarantine', async () => {
      const { texts, provider, deps } = slowChecks();
      const user = nextUser();
      const chain = texts.map((text, n) => newMemory(user, `g${n}`, text, { documentDate: NOW - 200 * DAY }));
      await seedPerson(database, { tenant, user, chains: [chain] });
      const limits = { ...deps.limits, quarantineAfter: 2 };
      const slow = () => deep(user, null, { ...deps, provider, limits });
      const answered = await slow();
      expect(answered.run.status).toBe('completed');
      expect(answered.step('fusion').counts).toMatchObject({ stopped: 'deadline', usage: { calls: 1 } });
      for (let time = 1; time <= 2; time += 1) {
        const { run, step } = await slow();
        expect(run).toMatchObject({ status: 'failed', errorCode: 'deadline' });
        expect(step('fusion')).toMatchObject({ status: 'failed', code: 'deadline' });
      }
      const quarantine = await database.withTenant(tenant, (tx) => readQuarantine(tx, { tenant, user }));
      expect(quarantine).toMatchObject({ code: 'deadline' });
    });

    it('a derived memory that cannot be embedded at once is fused all the same', async () => {
      const user = await twoChains();
      let calls = 0;
      const flaky = {
        ...embedder,
        embed: (texts: string[]) => (++calls > 1 ? Promise.reject(new Error(CANARY)) : embedder.embed(texts)),
      };
      const { step, log } = await deep(user, createSleepModel(), { embedder: flaky });
      expect(step('fusion')).toMatchObject({
        status: 'done',
        counts: { clusters: { committed: 2 }, embedded: 0 },
      });
      expect(log).toContain('derived memories not embedded');
    });
  });

  describe('summaries', () => {
    async function withSession(endedAt?: number, texts?: string[]): Promise<string> {
      const user = nextUser();
      await seedPerson(database, { tenant, user });
      await session(user, 's', endedAt, texts);
      return user;
    }

    it('waits until nobody has spoken for two hours, and for four messages', async () => {
      const model = createSleepModel();
      const fresh = await withSession(NOW - 2 * HOUR + 1_000);
      expect((await deep(fresh, model)).step('summaries').counts).toMatchObject({ idle: 0 });
      const short = await withSession(NOW - DAY, GARDEN.slice(0, 3));
      expect((await deep(short, model)).step('summaries').counts).toMatchObject({ idle: 0 });
      expect(model.calls).toEqual([]);
      expect((await deep(fresh, model, { at: NOW + HOUR })).step('summaries').counts).toMatchObject({
        summarized: 1,
      });
    });

    it('a session that goes on is summarised anew', async () => {
      const [user, model] = [await withSession(NOW - DAY), createSleepModel()];
      await deep(user, model);
      await session(user, 's', NOW - 3 * HOUR, ['The fence is painted green.', 'The assistant is glad.']);
      const { step } = await deep(user, model);
      expect(step('summaries').counts).toMatchObject({ idle: 1, summarized: 1 });
      expect(model.calls.filter(({ kind }) => kind === 'summary')).toHaveLength(2);
    });

    it('an answer that cannot be used is rejected and counts against the session; after three it is left alone', async () => {
      const [user, model] = [await withSession(), createSleepModel()];
      model.intercept = () => `no JSON but ${CANARY}`;
      for (const failures of [1, 2, 3]) {
        const { step, run } = await deep(user, model);
        expect(run.status).toBe('completed');
        expect(step('summaries').counts).toMatchObject({
          idle: 1,
          summarized: 0,
          rejected: { invalid_output: 1 },
        });
        expect(await failuresOf(user)).toEqual([{ failures }]);
      }
      expect((await deep(user, model)).step('summaries').counts).toMatchObject({ idle: 0 });
      expect(model.calls).toHaveLength(3);
    });

    it('an answer that was paid for before a crash is not paid for again', async () => {
      const [user, model] = [await withSession(), createSleepModel()];
      // The process goes down between the answer and its use: nothing but the answer was stored.
      await database.asOwner(async (tx) => {
        await tx.rows(sql`
          create function slowwave.crash() returns trigger language plpgsql as $$ begin raise exception 'crash'; end $$`);
        await tx.rows(sql`
          create trigger crash before insert on slowwave.session_summaries for each row execute function slowwave.crash()`);
      });
      const failed = await deep(user, model);
      await database.asOwner((tx) => tx.rows(sql`drop function slowwave.crash() cascade`));
      expect(failed.step('summaries')).toMatchObject({ status: 'failed', code: 'internal' });
      expect(failed.step('goals').status).toBe('done');
      const { step } = await deep(user, model);
      expect(step('summaries').counts).toMatchObject({ summarized: 1, reused: 1, usage: { calls: 0 } });
      expect(model.calls).toHaveLength(1);
    });

    it.each<[string, () => unknown, object, number]>([
      [
        'an outage',
        () => new ModelError('server_error', { retryable: true }),
        { failed: { server_error: 2 }, stopped: null },
        0,
      ],
      ['a stranger', () => new Error(CANARY), { failed: { internal_error: 2 }, stopped: null }, 0],
      [
        'a refused request',
        () => new ModelError('invalid_request', { retryable: false }),
        { failed: { invalid_request: 2 }, stopped: null },
        1,
      ],
      [
        'a rate limit',
        () => new ModelError('rate_limited', { retryable: true }),
        { failed: {}, stopped: 'rate_limited' },
        0,
      ],
      [
        'a refused key',
        () => new ModelError('auth', { retryable: false }),
        { failed: {}, stopped: 'auth' },
        0,
      ],
    ])('%s: the step ends in its own way, and the others go on', async (_what, error, counts, failures) => {
      const user = await withSession();
      await session(user, 's2');
      const model = createSleepModel();
      model.intercept = () => {
        throw error();
      };
      const { run, step } = await deep(user, model);
      expect(run.status).toBe('completed');
      expect(step('summaries').counts).toMatchObject({ idle: 2, summarized: 0, ...counts });
      expect(step('summaries').counts!.usage!.calls).toBe(step('summaries').counts!.stopped ? 1 : 2);
      expect(step('goals').status).toBe('done');
      expect(await failuresOf(user)).toEqual([{ failures }, { failures }]);
      model.intercept = null;
      const again = await deep(user, model);
      expect(again.step('summaries').counts).toMatchObject({ summarized: 2 });
    });

    it('ends at its limits: sessions, tokens, time', async () => {
      const user = await withSession();
      await session(user, 's2');
      const own = (summaries: Partial<(typeof DEFAULT_LIMITS)['steps']['summaries']>) => ({
        limits: {
          ...DEFAULT_LIMITS,
          steps: { ...DEFAULT_LIMITS.steps, summaries: { ...DEFAULT_LIMITS.steps.summaries, ...summaries } },
        },
      });
      const model = createSleepModel();
      const late = await deep(user, model, own({ ms: 0 }));
      expect(late.step('summaries').counts).toMatchObject({ summarized: 0, stopped: 'deadline' });
      const poor = await deep(user, model, own({ tokens: 100 }));
      expect(poor.step('summaries').counts).toMatchObject({
        summarized: 0,
        stopped: 'tokens',
        usage: { calls: 0 },
      });
      const few = await deep(user, model, own({ items: 1 }));
      expect(few.step('summaries').counts).toMatchObject({ idle: 1, summarized: 1, stopped: null });
    });

    it('a stopping process finishes the session in hand and begins no other', async () => {
      const user = await withSession();
      await session(user, 's2');
      const [model, stopping] = [createSleepModel(), new AbortController()];
      model.intercept = () => stopping.abort();
      const { run, step } = await deep(user, model, { stopping: stopping.signal });
      expect(step('summaries').counts).toMatchObject({ idle: 2, summarized: 1, stopped: 'stopping' });
      expect(step('audit')).toMatchObject({ status: 'skipped', reason: 'stopping' });
      expect(run.status).toBe('abandoned');
      expect(model.calls).toHaveLength(1);
    });

    it('drops an answer about a session that was forgotten while the model was thinking', async () => {
      const [user, model] = [await withSession(), createSleepModel()];
      const provider: LLMProvider = {
        ...model.provider,
        async complete(request) {
          await rows(sql`delete from slowwave.sessions where user_id = ${user}`);
          return model.provider.complete(request);
        },
      };
      const { step, run } = await deep(user, model, { provider });
      expect(run.status).toBe('completed');
      expect(step('summaries').counts).toMatchObject({ idle: 1, summarized: 0, failed: { stale: 1 } });
      const kept = await rows(sql`select output, state from slowwave.model_answers where user_id = ${user}`);
      expect(kept).toEqual([{ output: '', state: 'rejected' }]);
    });

    it('keeps what a session was about, with topics', async () => {
      const user = await withSession();
      await deep(user, createSleepModel());
      const [summary] = await database.withTenant(tenant, (tx) =>
        listSummaries(tx, { tenant, user, limit: 10 }),
      );
      expect(summary).toMatchObject({
        sessionId: 's',
        summary: GARDEN[0],
        topics: expect.arrayContaining(['garden']),
      });
    });
  });

  describe('behaviour', () => {
    it('takes in what was said up to two hours ago, once', async () => {
      const user = nextUser();
      await seedPerson(database, { tenant, user });
      await session(user, 'old', NOW - 3 * HOUR);
      await session(user, 'fresh', NOW - HOUR);
      const first = await deep(user, createSleepModel());
      expect(first.step('behaviour').counts).toMatchObject({ messages: 2, topics: 5 });
      const later = await deep(user, createSleepModel(), { at: NOW + 2 * HOUR });
      expect(later.step('behaviour').counts).toMatchObject({ messages: 2, messagesBefore: 2 });
      const profile = await database.withTenant(tenant, (tx) => getUserProfile(tx, { tenant, user }));
      expect(profile!.behaviour!.messages).toBe(4);
      expect(profile!.behaviourThrough).toBe(NOW - HOUR - 60_000);
    });

    it("counts hours on the user's own clock", async () => {
      const user = nextUser();
      await seedPerson(database, { tenant, user });
      await rows(sql`update slowwave.users set timezone = 'Asia/Kolkata' where id = ${user}`);
      await session(user, 's', Date.UTC(2026, 5, 15, 6, 3));
      await deep(user, null);
      const profile = await database.withTenant(tenant, (tx) => getUserProfile(tx, { tenant, user }));
      expect(profile!.behaviour!.activeHours).toEqual([11]);
    });
  });

  describe('trust', () => {
    it('keeps the feedback of the first sessions until there are enough of them', async () => {
      const user = nextUser();
      await seedPerson(database, { tenant, user });
      await database.withTenant(tenant, (tx) =>
        recordFeedback(tx, { tenant, user, kind: 'dismissed', at: NOW - DAY }),
      );
      expect((await deep(user, null)).step('trust')).toMatchObject({
        status: 'skipped',
        reason: 'too_few_sessions',
      });
      for (const id of ['1', '2', '3', '4', '5']) await session(user, id);
      const { step } = await deep(user, null);
      expect(step('trust').counts).toMatchObject({
        feedback: 1,
        trust: expect.closeTo(0.35, 9),
        stance: 'balanced',
      });
    });
  });

  describe('prune', () => {
    it('moves what is older than the retention, and old records of runs', async () => {
      const user = nextUser();
      const memories = [newMemory(user, 'a', 'Ana has a boat.'), newMemory(user, 'b', 'Ana had a car.')];
      await seedPerson(database, { tenant, user, memories });
      await rows(sql`
        update slowwave.memories set archived_at = to_timestamp(${(NOW - 40 * DAY) / 1000})
        where user_id = ${user} and external_id = 'b'`);
      const first = await deep(user, null, { at: NOW - 100 * DAY });
      expect(first.step('prune')).toMatchObject({ status: 'skipped', reason: 'retention_off' });
      const limits = { ...DEFAULT_LIMITS, retentionMs: 30 * DAY };
      const { step } = await deep(user, null, { limits });
      expect(step('prune').counts).toMatchObject({ eligible: 1, pruned: 1, imagesDropped: 0, runs: 1 });
      const left = await rows(sql`select external_id as id from slowwave.memories where user_id = ${user}`);
      expect(left).toEqual([{ id: 'a' }]);
      const runs = await rows(sql`select 1 from slowwave.runs where user_id = ${user}`);
      expect(runs).toHaveLength(1);
    });

    it('drops the images of changes that are too long ago to be undone, unless they are kept for ever', async () => {
      const user = nextUser();
      await seedPerson(database, { tenant, user, memories: [newMemory(user, 'a', 'Ana has a boat.')] });
      const of = { tenant, user, id: 'a', at: NOW - 20 * DAY };
      await database.withTenant(tenant, (tx) => confirmMemory(tx, of));
      const images = () =>
        rows(sql`
        select 1 from slowwave.changes c join slowwave.change_sets s on s.id = c.change_set_id
        where c.user_id = ${user} and s.kind = 'prominence'`);
      for (const journalRetentionMs of [null, 30 * DAY]) {
        await deep(user, null, { limits: { ...DEFAULT_LIMITS, journalRetentionMs } });
        expect(await images()).toHaveLength(1);
      }
      const { step } = await deep(user, null, {
        limits: { ...DEFAULT_LIMITS, journalRetentionMs: 10 * DAY },
      });
      expect(step('prune').counts).toMatchObject({ imagesDropped: 1 });
      expect(await images()).toEqual([]);
    });
  });

  it('a step that throws does not stop the others, and its text goes nowhere', async () => {
    const user = await seedAll();
    const broken = { ...embedder, embed: () => Promise.reject(new Error(`the text was ${CANARY}`)) };
    const { run, steps, step } = await deep(user, createSleepModel(), { embedder: broken });
    expect(run).toMatchObject({ status: 'failed', errorCode: 'internal_error' });
    expect(steps.map((entry) => entry.step)).toEqual(STEPS);
    const failed = steps.filter((entry) => entry.status === 'failed').map((entry) => entry.step);
    // Summaries are stored before they are embedded.
    expect(failed).toEqual(['embed', 'summaries']);
    expect(step('fusion').counts).toMatchObject({ clusters: { committed: 1 } });
    expect(step('goals').counts).toMatchObject({ created: 1 });
  });

  it('a formula that differs in the database fails the decay step, and the others go on', async () => {
    const user = nextUser();
    // Of an age at which no other step writes it.
    await seedPerson(database, { tenant, user, memories: [newMemory(user, 'boat', 'Ana has a boat.')] });
    const [before] = await database.asOwner((tx) =>
      tx.rows<{ text: string }>(sql`select pg_get_functiondef('slowwave.decay_rate'::regproc) as text`),
    );
    const wrong = before!.text.replaceAll(/0\.99\b/g, '0.9900001');
    expect(wrong).not.toBe(before!.text);
    await database.asOwner((tx) => tx.rows(sql.raw(wrong)));
    try {
      const { run, step, log } = await deep(user, null);
      expect(run).toMatchObject({ status: 'failed', errorCode: 'decay_mismatch' });
      expect(step('decay')).toMatchObject({ status: 'failed', code: 'decay_mismatch' });
      expect(log).toContain('decay formulas differ');
      expect(step('goals').status).toBe('done');
    } finally {
      await database.asOwner((tx) => tx.rows(sql.raw(before!.text)));
    }
    expect((await deep(user, null)).step('decay').status).toBe('done');
  });
});
