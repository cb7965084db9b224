import { type Database, getUserProfile } from '@slowwave/db';
import { type LLMProvider, ModelError } from '@slowwave/fusion';
import { DEFAULT_LIMITS, type ModelStep, type UserJobDeps } from '@slowwave/worker';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSleepModel, type Kind, type SleepModel } from '../fakes/sleep-model.ts';
import { unlike } from '../fixtures/batches.ts';
import { DATABASES, type DatabaseFixture } from '../fixtures/databases.ts';
import { DAY, NOW } from '../fixtures/memories.ts';
import { runTier, seedPerson, seedSession, stateOf } from '../fixtures/tier-runs.ts';
import { seedWholeNight, talk, vividChain } from '../fixtures/whole-night.ts';

const tenant = 't';
const HOUR = DAY / 24;
const CANARY = 'theorbo-canary-genet';

const STEPS = ['notes', 'embed', 'conflicts', 'nrem', 'rem', 'reflection', 'workspace'];

describe.each(DATABASES)('the steps of sleep (%s)', (_name, open) => {
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

  async function sleep(
    user: string,
    model: SleepModel | null,
    more: Partial<UserJobDeps> & { at?: number; stopping?: AbortSignal } = {},
  ) {
    const { at = NOW, ...deps } = more;
    const target = { tenant, user, tier: 'sleep' as const, at };
    const ended = await runTier(database, target, { provider: model?.provider ?? null, ...deps });
    expect(ended.log + JSON.stringify(ended.run.report)).not.toContain(CANARY);
    return ended;
  }
  /** What one step may spend. */
  const limited = (step: ModelStep, limits: Partial<(typeof DEFAULT_LIMITS)['steps']['rem']>) => ({
    limits: {
      ...DEFAULT_LIMITS,
      steps: { ...DEFAULT_LIMITS.steps, [step]: { ...DEFAULT_LIMITS.steps[step], ...limits } },
    },
  });
  const asked = (model: SleepModel, kind: Kind) => model.calls.filter((call) => call.kind === kind).length;

  const chain = (user: string, words: string[]) => vividChain(user, words, CANARY);
  const hypothesesOf = (user: string) =>
    rows(sql`select confidence, explanation from slowwave.relations where user_id = ${user} and hypothesis`);

  async function seedAll(): Promise<string> {
    const user = nextUser();
    await seedWholeNight(database, { tenant, user, canary: CANARY });
    return user;
  }
  const session = (user: string, id: string, endedAt = NOW - 5 * HOUR) =>
    seedSession(database, { tenant, user, id, texts: talk(CANARY), endedAt });

  it('each has its entry, in order, with counts in and out of its gates', async () => {
    const [user, model] = [await seedAll(), createSleepModel()];
    const { run, steps, step } = await sleep(user, model, { embedder: unlike });
    expect(run).toMatchObject({ status: 'completed', errorCode: null });
    expect(steps.map((entry) => entry.step)).toEqual(STEPS);
    expect(step('conflicts')).toMatchObject({ status: 'skipped', reason: 'no_conflicts' });
    expect(step('nrem').counts).toMatchObject({
      plan: { clusters: 1 },
      clusters: { committed: 1 },
      superseded: 3,
      embedded: 1,
      usage: { calls: 1 },
    });
    const rem = step('rem').counts!;
    expect(rem).toMatchObject({
      plan: { nodes: 5, eligible: 5, edges: 3 },
      seedsGivenUp: 0,
      finished: true,
      stopped: null,
      rejected: {},
      failed: {},
    });
    // Of four in a row, three pairs are not linked.
    expect(rem).toMatchObject({ verdicts: 3, hypotheses: 3 });
    expect(rem.usage!.calls).toBe(rem.seedsJudged);
    expect(await hypothesesOf(user)).toEqual(
      Array.from({ length: 3 }, () => ({ confidence: 0.8, explanation: 'Both belong together.' })),
    );
    expect(step('reflection').counts).toMatchObject({
      summaries: 2,
      insights: 1,
      profile: true,
      embedded: 1,
      offered: { offered: 1, kept: 1 },
      usage: { calls: 1 },
    });
    expect(step('workspace')).toMatchObject({ status: 'skipped', reason: 'no_workspace' });
    const insights = await rows(sql`
      select category, origin, memory_type as type, importance, learned_from as learned from slowwave.memories
      where user_id = ${user} and learned_from = 'self_reflection'`);
    expect(insights).toEqual([
      {
        category: 'insight',
        origin: 'assistant',
        type: 'derived',
        importance: 7,
        learned: 'self_reflection',
      },
    ]);
  });

  it('a second run with nothing new writes nothing and asks no model', async () => {
    const [user, model] = [await seedAll(), createSleepModel()];
    await sleep(user, model, { embedder: unlike });
    const [before, calls] = [await stateOf(database, { tenant, user }), model.calls.length];
    const { step, run } = await sleep(user, model, { embedder: unlike, at: NOW + DAY });
    expect(run.status).toBe('completed');
    expect(step('nrem').counts).toMatchObject({ clusters: { committed: 0 }, usage: { calls: 0 } });
    expect(step('rem')).toMatchObject({ status: 'skipped', reason: 'nothing_new' });
    expect(step('reflection')).toMatchObject({ status: 'skipped', reason: 'no_summaries' });
    expect(model.calls).toHaveLength(calls);
    expect(await stateOf(database, { tenant, user })).toEqual(before);
  });

  it('without a model the steps that need one are skipped and say so', async () => {
    const { run, step } = await sleep(await seedAll(), null, { embedder: unlike });
    expect(run.status).toBe('completed');
    for (const name of ['nrem', 'rem', 'reflection'])
      expect(step(name)).toMatchObject({ status: 'skipped', reason: 'no_model_provider' });
  });

  it('in mode off nothing is done; in mode review nothing is superseded before somebody says so', async () => {
    const [user, model] = [await seedAll(), createSleepModel()];
    await rows(sql`update slowwave.users set mode = 'off' where id = ${user}`);
    const off = await sleep(user, model, { embedder: unlike });
    for (const name of ['nrem', 'rem', 'reflection'])
      expect(off.step(name)).toMatchObject({ status: 'skipped', reason: 'mode_off' });
    expect(model.calls).toEqual([]);
    await rows(sql`update slowwave.users set mode = 'review' where id = ${user}`);
    const review = await sleep(user, model, { embedder: unlike });
    expect(review.step('nrem').counts).toMatchObject({ clusters: { committed: 0 }, superseded: 0 });
    expect(review.step('rem').counts).toMatchObject({ finished: true });
    expect(review.step('reflection').counts).toMatchObject({ insights: 1 });
  });

  it('a provider that is paused is left in peace', async () => {
    const model = createSleepModel();
    const paused = { ...model.provider, isAvailable: () => false };
    const { step } = await sleep(await seedAll(), model, { provider: paused, embedder: unlike });
    for (const name of ['nrem', 'rem', 'reflection'])
      expect(step(name)).toMatchObject({ status: 'skipped', reason: 'model_paused' });
  });

  it('each step asks its own model where it has one', async () => {
    const general = createSleepModel('general');
    const own = {
      nrem: createSleepModel('n'),
      rem: createSleepModel('r'),
      reflection: createSleepModel('s'),
    };
    const providers = { nrem: own.nrem.provider, rem: own.rem.provider, reflection: own.reflection.provider };
    const user = await seedAll();
    await sleep(user, general, { providers, embedder: unlike });
    expect(general.calls).toEqual([]);
    expect([asked(own.nrem, 'fusion'), asked(own.reflection, 'reflection')]).toEqual([1, 1]);
    expect(asked(own.rem, 'rem')).toBeGreaterThan(0);
    expect(await rows(sql`select distinct model from slowwave.rem_verdicts where user_id = ${user}`)).toEqual(
      [{ model: 'r' }],
    );
  });

  it('a step that throws does not stop the others', async () => {
    const [user, model] = [await seedAll(), createSleepModel()];
    await database.asOwner(async (tx) => {
      await tx.rows(sql`
        create function slowwave.crash() returns trigger language plpgsql as $$ begin raise exception 'crash'; end $$`);
      await tx.rows(sql`
        create trigger crash before insert on slowwave.rem_verdicts for each row execute function slowwave.crash()`);
    });
    const { run, steps, step } = await sleep(user, model, { embedder: unlike }).finally(() =>
      database.asOwner((tx) => tx.rows(sql`drop function slowwave.crash() cascade`)),
    );
    expect(run).toMatchObject({ status: 'failed', errorCode: 'internal' });
    expect(steps.map((entry) => entry.step)).toEqual(STEPS);
    expect(step('rem')).toMatchObject({ status: 'failed', code: 'internal' });
    expect(step('reflection').counts).toMatchObject({ insights: 1 });
    // What was paid for is used the next time.
    const paid = asked(model, 'rem');
    const again = await sleep(user, model, { embedder: unlike });
    expect(again.step('rem').counts).toMatchObject({ reused: 1, finished: true });
    expect(asked(model, 'rem')).toBe(paid + Number(again.step('rem').counts!.seedsJudged) - 1);
  });

  describe('rem', () => {
    async function vivid(words = ['lamp', 'kettle', 'ladder', 'basket']): Promise<string> {
      const user = nextUser();
      await seedPerson(database, { tenant, user, chains: [chain(user, words)] });
      return user;
    }
    const explore = (user: string, model: SleepModel, more: Parameters<typeof sleep>[2] = {}) =>
      sleep(user, model, { embedder: unlike, ...more });

    it('explores again when something new came in, and judges no pair twice', async () => {
      const [user, model] = [await vivid(), createSleepModel()];
      await explore(user, model);
      const first = asked(model, 'rem');
      await seedPerson(database, { tenant, user, memories: chain(user, ['mirror']) });
      const { step } = await explore(user, model);
      // The newcomer is linked to nothing, and the pairs of the others are known.
      expect(step('rem').counts).toMatchObject({ plan: { nodes: 5, seeds: 0 }, finished: true, verdicts: 0 });
      expect(asked(model, 'rem')).toBe(first);
    });

    it('memories that are alike at the threshold are linked already; those less alike are reached', async () => {
      const user = nextUser();
      await seedPerson(database, { tenant, user, memories: chain(user, ['lamp', 'kettle', 'ladder']) });
      const angles: Record<string, number> = { lamp: 0, kettle: 0.3, ladder: 1.1 };
      const angled = {
        ...unlike,
        model: 'angled',
        threshold: 0.75,
        embed: async (texts: string[]) =>
          texts.map((text) => {
            const angle = Object.entries(angles).find(([word]) => text.includes(word))?.[1] ?? 2;
            return new Float32Array([Math.cos(angle), Math.sin(angle)]);
          }),
      };
      // lamp–kettle 0.96: linked; kettle–ladder 0.70 and lamp–ladder 0.45: not.
      const { step } = await explore(user, createSleepModel(), { embedder: angled });
      expect(step('rem').counts).toMatchObject({
        plan: { edges: 3, edgesUsed: 2 },
        verdicts: 2,
        hypotheses: 2,
      });
    });

    it('an answer that cannot be used is asked for once more, and then given up for this graph', async () => {
      const [user, model] = [await vivid(['lamp', 'kettle', 'ladder']), createSleepModel()];
      model.intercept = () => `no JSON but ${CANARY}`;
      const { step, run } = await explore(user, model);
      expect(run.status).toBe('completed');
      expect(step('rem').counts).toMatchObject({
        seedsJudged: 0,
        seedsGivenUp: 1,
        rejected: { invalid_output: 2 },
        finished: true,
      });
      expect(asked(model, 'rem')).toBe(2);
      model.intercept = null;
      expect((await explore(user, model)).step('rem')).toMatchObject({
        status: 'skipped',
        reason: 'nothing_new',
      });
    });

    it('a second answer is used where the first cannot be', async () => {
      const [user, model] = [await vivid(['lamp', 'kettle', 'ladder']), createSleepModel()];
      model.intercept = () => (asked(model, 'rem') === 1 ? 'no JSON' : undefined);
      const { step } = await explore(user, model);
      expect(step('rem').counts).toMatchObject({
        seedsJudged: 1,
        rejected: { invalid_output: 1 },
        hypotheses: 1,
      });
    });

    it.each<[string, () => unknown, object]>([
      ['an outage', () => new ModelError('timeout', { retryable: true }), { stopped: null, finished: false }],
      ['a stranger', () => new Error(CANARY), { stopped: null, finished: false }],
      [
        'a rate limit',
        () => new ModelError('rate_limited', { retryable: true }),
        { stopped: 'rate_limited', finished: false },
      ],
      [
        'a refused key',
        () => new ModelError('auth', { retryable: false }),
        { stopped: 'auth', finished: false },
      ],
      [
        'a refused request',
        () => new ModelError('too_large', { retryable: false }),
        { stopped: null, finished: true },
      ],
    ])(
      '%s: what was not judged is for another night, unless it never can be',
      async (_what, error, counts) => {
        const [user, model] = [await vivid(), createSleepModel()];
        model.intercept = () => {
          throw error();
        };
        const { run, step } = await explore(user, model);
        expect(run.status).toBe('completed');
        expect(step('rem').counts).toMatchObject({ verdicts: 0, ...counts });
        expect(step('workspace').status).toBe('skipped');
        model.intercept = null;
        const again = (await explore(user, model)).step('rem');
        expect(again.status).toBe(step('rem').counts!.finished ? 'skipped' : 'done');
        expect(await hypothesesOf(user)).toHaveLength(again.status === 'done' ? 3 : 0);
      },
    );

    it('ends at its limits: seeds, tokens, time', async () => {
      const user = await vivid();
      const model = createSleepModel();
      const late = await explore(user, model, limited('rem', { ms: 0 }));
      expect(late.step('rem').counts).toMatchObject({
        stopped: 'deadline',
        finished: false,
        usage: { calls: 0 },
      });
      const poor = await explore(user, model, limited('rem', { tokens: 100 }));
      expect(poor.step('rem').counts).toMatchObject({
        stopped: 'tokens',
        finished: false,
        usage: { calls: 0 },
      });
      const few = await explore(user, model, limited('rem', { items: 1 }));
      expect(few.step('rem').counts).toMatchObject({ plan: { seeds: 1 }, seedsJudged: 1, finished: true });
    });

    it('a stopping process judges the seed in hand and begins no other', async () => {
      const [user, model, stopping] = [await vivid(), createSleepModel(), new AbortController()];
      model.intercept = () => stopping.abort();
      const { run, step } = await explore(user, model, { stopping: stopping.signal });
      expect(step('rem').counts).toMatchObject({ seedsJudged: 1, stopped: 'stopping', finished: false });
      expect(run.status).toBe('abandoned');
      expect(asked(model, 'rem')).toBe(1);
    });

    it('is the same exploration whoever makes it', async () => {
      const texts = async () => {
        const [user, model] = [await vivid(), createSleepModel()];
        model.intercept = () => {
          throw new ModelError('server_error', { retryable: true });
        };
        await explore(user, model);
        const once = model.calls.map(({ text }) => text);
        model.calls.length = 0;
        await explore(user, model);
        return [once, model.calls.map(({ text }) => text)];
      };
      const [once, again] = await texts();
      expect(once!.length).toBeGreaterThan(0);
      expect(again).toEqual(once);
    });
  });

  describe('reflection', () => {
    /** Summaries of sessions, written at the given times. */
    async function summarized(ages: number[]): Promise<string> {
      const user = nextUser();
      await seedPerson(database, { tenant, user });
      for (const [i, age] of ages.entries()) {
        await session(user, `s${i}`, NOW - age - 3 * HOUR);
        await rows(sql`
          insert into slowwave.session_summaries (tenant, user_id, session_id, summary, content_hash, topics, message_count, model,
            created_at)
          values (${tenant}, ${user}, ${`s${i}`}, ${`The user waters the plant ${CANARY}.`}, md5(${String(i)}), '["plant"]', 4, 'm',
            to_timestamp(${(NOW - age) / 1000}))`);
      }
      return user;
    }
    const reflect = (user: string, model: SleepModel, more: Parameters<typeof sleep>[2] = {}) =>
      sleep(user, model, more);

    it('looks back a day, or to the last sleep when that is longer ago, and never more than a week', async () => {
      const ages = [2 * HOUR, 3 * DAY, 6 * DAY, 8 * DAY];
      const lastSlept = (user: string, age: number) =>
        rows(sql`
          update slowwave.user_tiers set last_success_at = to_timestamp(${(NOW - age) / 1000})
          where user_id = ${user} and tier = 'sleep'`);
      const seen = async (age: number) => {
        const user = await summarized(ages);
        await lastSlept(user, age);
        return (await reflect(user, createSleepModel())).step('reflection').counts!.summaries;
      };
      expect(await seen(HOUR)).toBe(1);
      expect(await seen(4 * DAY)).toBe(2);
      expect(await seen(30 * DAY)).toBe(3);
    });

    it('reads as many summaries as it may', async () => {
      const user = await summarized([HOUR, 2 * HOUR, 3 * HOUR]);
      const { step } = await reflect(user, createSleepModel(), limited('reflection', { items: 2 }));
      expect(step('reflection').counts).toMatchObject({ summaries: 2 });
    });

    it('distils one profile, which the next reflection is shown', async () => {
      const [user, model] = [await summarized([HOUR]), createSleepModel()];
      await reflect(user, model);
      const profile = await database.withTenant(tenant, (tx) => getUserProfile(tx, { tenant, user }));
      expect(profile!.profile).toBe('The user is brief.');
      await rows(sql`update slowwave.session_summaries set reflected_at = null where user_id = ${user}`);
      await reflect(user, model);
      expect(model.calls.at(-1)!.text).toContain('The user is brief.');
    });

    it('an answer that cannot be used is asked for once more, and what was given up is not asked again', async () => {
      const [user, model] = [await summarized([HOUR]), createSleepModel()];
      model.intercept = () => 'no JSON';
      const first = await reflect(user, model);
      expect(first.run.status).toBe('completed');
      expect(first.step('reflection').counts).toMatchObject({
        insights: 0,
        rejected: { invalid_output: 2 },
        failed: { exhausted: 1 },
      });
      const second = await reflect(user, model);
      expect(second.step('reflection').counts).toMatchObject({
        failed: { exhausted: 1 },
        usage: { calls: 0 },
      });
      expect(asked(model, 'reflection')).toBe(2);
    });

    it('an insight that says more than the summaries is dropped and counted', async () => {
      const [user, model] = [await summarized([HOUR]), createSleepModel()];
      model.intercept = () => ({
        insights: [{ content: 'The user was born on 12 May 1997.', sources: [1] }],
        profile: '',
      });
      const { step } = await reflect(user, model);
      expect(step('reflection').counts).toMatchObject({
        insights: 0,
        profile: false,
        offered: { offered: 1, invented: 1 },
      });
    });

    it.each<[string, () => unknown, object]>([
      [
        'an outage',
        () => new ModelError('overloaded', { retryable: true }),
        { failed: { overloaded: 1 }, stopped: null },
      ],
      [
        'a rate limit',
        () => new ModelError('rate_limited', { retryable: true }),
        { failed: {}, stopped: 'rate_limited' },
      ],
    ])('%s: the summaries wait for another night', async (_what, error, counts) => {
      const [user, model] = [await summarized([HOUR]), createSleepModel()];
      model.intercept = () => {
        throw error();
      };
      const { step } = await reflect(user, model);
      expect(step('reflection').counts).toMatchObject({ insights: 0, ...counts });
      model.intercept = null;
      expect((await reflect(user, model)).step('reflection').counts).toMatchObject({ insights: 1 });
    });

    it('ends at its limits', async () => {
      const [user, model] = [await summarized([HOUR]), createSleepModel()];
      const late = await reflect(user, model, limited('reflection', { ms: 0 }));
      expect(late.step('reflection').counts).toMatchObject({ stopped: 'deadline', usage: { calls: 0 } });
      const poor = await reflect(user, model, limited('reflection', { tokens: 100 }));
      expect(poor.step('reflection').counts).toMatchObject({ stopped: 'tokens', usage: { calls: 0 } });
    });
  });

  it('a provider that is deaf to its signal cannot write after the job was lost', async () => {
    const [user, model] = [await seedAll(), createSleepModel()];
    const robbing: LLMProvider = {
      ...model.provider,
      async complete(request) {
        await rows(
          sql`update slowwave.leases set fence = fence + 1, holder = 'somebody else' where user_id = ${user}`,
        );
        return model.provider.complete(request);
      },
    };
    await expect(
      sleep(user, model, { providers: { rem: robbing, reflection: robbing }, embedder: unlike }),
    ).rejects.toMatchObject({ code: 'lease_lost' });
    expect(
      await rows(sql`select 1 from slowwave.model_answers where user_id = ${user} and step = 'rem'`),
    ).toEqual([]);
    expect(await hypothesesOf(user)).toEqual([]);
  });
});
