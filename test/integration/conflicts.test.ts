import {
  type ConflictView,
  type Database,
  listConflicts,
  type NewMemory,
  reportConflicts,
  setConflictPolicy,
  setUserSettings,
} from '@slowwave/db';
import { type LLMProvider, ModelError } from '@slowwave/fusion';
import { DEFAULT_LIMITS, type StepContext, TIER_STEPS, type UserJobDeps } from '@slowwave/worker';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createJoiningProvider } from '../fakes/joining-provider.ts';
import { createSleepModel, type SleepModel } from '../fakes/sleep-model.ts';
import { DATABASES, type DatabaseFixture } from '../fixtures/databases.ts';
import { DAY, NOW, newMemory } from '../fixtures/memories.ts';
import { runTier, seedPerson, stateOf } from '../fixtures/tier-runs.ts';

const tenant = 't';
const CANARY = 'theorbo-canary-genet';
const SLOT = 'slot-canary-genet';

describe.each(DATABASES)('the conflicts of a night (%s)', (_name, open) => {
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

  /** Vivid memories in a row, of which each is said to disagree with the next; so nothing else of the night fuses them. */
  async function seed(texts: string[], more: Partial<NewMemory>[] = []) {
    const user = `user-${++serial}`;
    const memories = texts.map((text, i) =>
      newMemory(user, `m${i}`, text, {
        importance: 9,
        documentDate: NOW - (texts.length - i) * 1_000,
        ...more[i],
      }),
    );
    await seedPerson(database, { tenant, user, memories });
    const stored = await rows<{ name: string; id: string }>(
      sql`select external_id as name, id from slowwave.memories where user_id = ${user}`,
    );
    const ids = new Map(stored.map(({ name, id }) => [name, id]));
    return { user, id: (i: number) => ids.get(`m${i}`)! };
  }
  type Seeded = Awaited<ReturnType<typeof seed>>;
  const report = ({ user, id }: Seeded, pairs: [number, number][]) =>
    database.withTenant(tenant, (tx) =>
      reportConflicts(tx, {
        tenant,
        user,
        runId: null,
        at: NOW,
        source: 'twins',
        pairs: pairs.map(([a, b]) => ({ a: id(a), b: id(b), kind: 'contradictory', slot: '' })),
      }),
    );
  const CITIES = [`Ana lives in York ${CANARY}.`, `Ana lives in Oslo ${CANARY}.`];
  async function seedCities(more: Partial<NewMemory>[] = []): Promise<Seeded> {
    const seeded = await seed(CITIES, more);
    await report(seeded, [[0, 1]]);
    return seeded;
  }
  const only = (name: string) => ({
    light: [],
    deep: [],
    sleep: TIER_STEPS.sleep.filter((step) => step.name === name),
  });
  async function sleep(
    user: string,
    provider: LLMProvider | null,
    more: Partial<UserJobDeps> & { stopping?: AbortSignal; at?: number } = {},
  ) {
    const { at = NOW, ...deps } = more;
    const ended = await runTier(
      database,
      { tenant, user, tier: 'sleep', at },
      { provider, tierSteps: only('conflicts'), ...deps },
    );
    const told = ended.log + JSON.stringify(ended.run.report);
    expect(told).not.toContain(CANARY);
    expect(told).not.toContain(SLOT);
    return ended.step('conflicts');
  }
  const list = (user: string): Promise<ConflictView[]> =>
    database.withTenant(tenant, (tx) => listConflicts(tx, { tenant, user, limit: 100 }));
  const memories = (user: string) =>
    rows<{ name: string; latest: boolean; version: number }>(
      sql`select external_id as name, is_latest as latest, version from slowwave.memories where user_id = ${user} order by 1`,
    );
  const setMode = (user: string, mode: StepContext['mode']) =>
    database.withTenant(tenant, (tx) => setUserSettings(tx, { tenant, user, at: NOW, mode }));
  const newestWins = (user: string) =>
    database.withTenant(tenant, (tx) => setConflictPolicy(tx, { tenant, user, policy: 'newest_wins' }));

  const label = (n: number, more: object = {}) => ({
    n,
    type: 'contradictory',
    wider: 'none',
    slot: `home city ${SLOT}`,
    description: `Two cities ${SLOT}.`,
    confidence: 0.9,
    ...more,
  });
  /** A model that gives these answers, one after the other, and then none. */
  function answering(...answers: unknown[]): SleepModel {
    const model = createSleepModel();
    model.intercept = (kind) => {
      if (kind !== 'labels') return undefined;
      const next = answers.shift();
      if (next instanceof Error) throw next;
      return next ?? 'I have nothing to say.';
    };
    return model;
  }
  const sides = (view: ConflictView, id: string): 'a' | 'b' => (view.a.id === id ? 'a' : 'b');

  it('are labelled, decided and left for a person, and a second night does nothing more', async () => {
    const { user } = await seedCities();
    const model = answering({ pairs: [label(1)] });
    const step = await sleep(user, model.provider);
    expect(step).toMatchObject({
      status: 'done',
      counts: {
        pairs: 1,
        labels: { contradictory: 1 },
        superseded: 0,
        givenUp: 0,
        stopped: null,
        reported: 0,
        open: 1,
        usage: { calls: 1 },
      },
    });
    const [conflict] = await list(user);
    expect(conflict).toMatchObject({ status: 'open', type: 'contradictory', slot: `home city ${SLOT}` });
    const before = await stateOf(database, { tenant, user });
    expect(await sleep(user, model.provider, { at: NOW + DAY })).toMatchObject({
      counts: { pairs: 0, open: 1 },
    });
    expect(model.calls).toHaveLength(1);
    expect(await stateOf(database, { tenant, user })).toEqual(before);
  });

  it('are settled by the code where nothing is lost', async () => {
    const seeded = await seed([
      `Ana plays the cello ${CANARY}.`,
      `Ana plays the cello ${CANARY} in an orchestra.`,
      `Ana drinks tea.`,
      `Ana drinks tea.`,
    ]);
    await report(seeded, [
      [0, 1],
      [2, 3],
    ]);
    const { user, id } = seeded;
    const step = await sleep(user, createJoiningProvider());
    expect(step.counts).toMatchObject({
      pairs: 2,
      superseded: 1,
      labels: { subsumes: 1, compatible: 1 },
      open: 0,
    });
    expect(await memories(user)).toMatchObject([
      { name: 'm0', latest: false, version: 2 },
      { name: 'm1', latest: true, version: 1 },
      { name: 'm2', latest: true },
      { name: 'm3', latest: true },
    ]);
    const resolutions = (await list(user)).map(({ resolution }) => resolution).sort();
    expect(resolutions).toEqual(['compatible - both retained', `subsumed by ${id(1)}`]);
    const sets = await rows(
      sql`select kind, run_id is not null as run from slowwave.change_sets where user_id = ${user}`,
    );
    expect(sets).toEqual([{ kind: 'conflict', run: true }]);
  });

  it('supersede nothing because a model says so', async () => {
    const { user, id } = await seedCities();
    const [conflict] = await list(user);
    const answer = {
      pairs: [label(1, { type: 'subsumes', wider: sides(conflict!, id(1)) })],
      // None of this is asked for.
      supersede: [id(0), id(1)],
      winner: id(1),
    };
    await sleep(user, answering(answer).provider);
    expect(await memories(user)).toMatchObject([
      { latest: true, version: 1 },
      { latest: true, version: 1 },
    ]);
    expect((await list(user))[0]!.resolution).toBe('both retained: the wider one does not hold everything');
  });

  it('wait for a person in review mode, whatever the code thinks', async () => {
    const seeded = await seed([`Ana plays the cello.`, `Ana plays the cello in an orchestra.`]);
    await report(seeded, [[0, 1]]);
    await setMode(seeded.user, 'review');
    expect((await sleep(seeded.user, createJoiningProvider())).counts).toMatchObject({
      superseded: 0,
      open: 1,
    });
    expect(await memories(seeded.user)).toMatchObject([{ latest: true }, { latest: true }]);
  });

  it('are left alone when the mode is off', async () => {
    const { user } = await seedCities();
    await setMode(user, 'off');
    const model = createSleepModel();
    expect(await sleep(user, model.provider)).toMatchObject({ status: 'skipped', reason: 'mode_off' });
    expect(model.calls).toEqual([]);
    expect((await list(user))[0]).toMatchObject({ status: 'reported' });
    // Nor by a policy, which needs no model.
    const open = await seedCities();
    await sleep(open.user, answering({ pairs: [label(1)] }).provider);
    await newestWins(open.user);
    await setMode(open.user, 'off');
    expect(await sleep(open.user, model.provider)).toMatchObject({ status: 'skipped', reason: 'mode_off' });
    expect((await list(open.user))[0]).toMatchObject({ status: 'open' });
  });

  it('are settled for the newest where the user wants that', async () => {
    const { user, id } = await seedCities();
    await newestWins(user);
    const step = await sleep(user, answering({ pairs: [label(1)] }).provider);
    expect(step.counts).toMatchObject({ byPolicy: 1, open: 0 });
    expect((await list(user))[0]).toMatchObject({ status: 'resolved', resolvedBy: 'policy', winner: id(1) });
    expect(await memories(user)).toMatchObject([{ latest: false }, { latest: true }]);
  });

  it('take what is moot away, and apply the policy, without any model', async () => {
    const { user } = await seedCities();
    const other = await seedCities();
    expect(await sleep(other.user, null)).toMatchObject({ status: 'skipped', reason: 'no_model_provider' });
    await sleep(user, answering({ pairs: [label(1)] }).provider);
    await newestWins(user);
    await rows(sql`update slowwave.memories set content_hash = repeat('a', 64)
      where user_id = ${other.user} and external_id = 'm0'`);
    expect(await sleep(user, null)).toMatchObject({
      status: 'done',
      counts: { byPolicy: 1, unlabelled: 'no_model_provider' },
    });
    expect(await sleep(other.user, null)).toMatchObject({ status: 'done', counts: { gone: 1, reported: 0 } });
    const nobody = await seed(CITIES);
    expect(await sleep(nobody.user, null)).toMatchObject({ status: 'skipped', reason: 'no_model_provider' });
    expect(await sleep(nobody.user, createJoiningProvider())).toMatchObject({
      status: 'skipped',
      reason: 'no_conflicts',
    });
  });

  it('wait for a person when three answers could not be read', async () => {
    const { user } = await seedCities();
    const model = answering('no', '{"pairs": []}', { pairs: [label(7)] }, { pairs: [label(1)] });
    const step = await sleep(user, model.provider);
    expect(step.counts).toMatchObject({
      givenUp: 1,
      rejected: { invalid_output: 3 },
      open: 1,
      usage: { calls: 3 },
    });
    expect((await list(user))[0]).toMatchObject({ status: 'open', type: 'ambiguous', description: '' });
  });

  it('are asked about again where an answer left them out, in a request of their own', async () => {
    const seeded = await seed([...CITIES, 'Ana lives in Rome.']);
    await report(seeded, [
      [0, 1],
      [1, 2],
    ]);
    const model = answering({ pairs: [label(2)] }, { pairs: [label(1, { type: 'compatible', slot: '' })] });
    const step = await sleep(seeded.user, model.provider);
    expect(step.counts).toMatchObject({
      pairs: 2,
      labels: { contradictory: 1, compatible: 1 },
      usage: { calls: 2 },
    });
    expect(model.calls[1]!.text.match(/"n":/g)).toHaveLength(1);
  });

  it('are labelled in batches, as many as a run may', async () => {
    const seeded = await seed(Array.from({ length: 21 }, (_, i) => `Ana owns boat ${i}.`));
    await report(
      seeded,
      Array.from({ length: 20 }, (_, i) => [i, i + 1] as [number, number]),
    );
    const model = createSleepModel();
    const limits = { ...DEFAULT_LIMITS.steps, conflicts: { ...DEFAULT_LIMITS.steps.conflicts, items: 14 } };
    const step = await sleep(seeded.user, model.provider, { limits: { ...DEFAULT_LIMITS, steps: limits } });
    expect(step.counts).toMatchObject({ pairs: 14, reported: 6, usage: { calls: 2 } });
    expect(model.calls.map(({ text }) => text.match(/"n":/g)!.length)).toEqual([12, 2]);
  });

  it('are paid for once: an answer that was not used is used the next night', async () => {
    const { user } = await seedCities();
    const model = answering({ pairs: [label(1)] });
    await sleep(user, model.provider);
    // As if the process had ended between the answer and its use.
    await rows(sql`update slowwave.model_answers set state = 'unjudged' where user_id = ${user}`);
    await rows(sql`update slowwave.conflicts set status = 'reported', type = null where user_id = ${user}`);
    const step = await sleep(user, model.provider, { at: NOW + DAY });
    expect(step.counts).toMatchObject({ reused: 1, open: 1, usage: { calls: 0 } });
    expect(model.calls).toHaveLength(1);
  });

  it('stay as they are while a provider asks for patience, fails or refuses the key', async () => {
    const { user } = await seedCities();
    const tries: [Error, object][] = [
      [new ModelError('rate_limited', { retryable: true }), { stopped: 'rate_limited' }],
      [new ModelError('auth', { retryable: false }), { stopped: 'auth' }],
      [new ModelError('overloaded', { retryable: true }), { stopped: null, failed: { overloaded: 1 } }],
    ];
    for (const [error, counts] of tries) {
      const step = await sleep(user, answering(error).provider);
      expect(step.counts ?? step).toMatchObject({ ...counts, pairs: 0, reported: 1 });
    }
  });

  it('of a memory that was forgotten while the model thought leave nothing behind', async () => {
    const { user, id } = await seedCities();
    const model = createSleepModel();
    const slow: LLMProvider = {
      ...model.provider,
      async complete(request) {
        const answer = await model.provider.complete(request);
        await rows(sql`delete from slowwave.memories where id = ${id(0)}::uuid`);
        return answer;
      },
    };
    const step = await sleep(user, slow);
    expect(step.counts).toMatchObject({ failed: { stale: 1 }, pairs: 0, reported: 0, open: 0 });
    expect(await rows(sql`select output from slowwave.model_answers where user_id = ${user}`)).toEqual([
      { output: '' },
    ]);
  });

  it('are no reason to supersede more than a run may', async () => {
    const things = `boat raft canoe kayak dinghy yacht punt ferry barge cutter sloop ketch yawl skiff gig launch lugger tug trawler
      gondola`;
    const texts = things
      .split(/\s+/)
      .flatMap((thing) => [`Ana keeps a ${thing}.`, `Ana keeps a ${thing} in the harbour.`]);
    const seeded = await seed(texts);
    await report(
      seeded,
      Array.from({ length: 20 }, (_, i) => [2 * i, 2 * i + 1] as [number, number]),
    );
    const step = await sleep(seeded.user, createJoiningProvider());
    expect(step.counts).toMatchObject({ pairs: 20, labels: { subsumes: 20 }, superseded: 16, open: 4 });
  });

  it('keep their members out of the fusions of the same night', async () => {
    const user = `user-${++serial}`;
    const said = (i: number, text: string): NewMemory =>
      newMemory(user, `m${i}`, text, { documentDate: NOW - (60 + i) * DAY });
    const chain = [
      said(0, 'Ana learns Rust in the evening.'),
      said(1, 'Ana prefers Rust to other languages.'),
      said(2, 'Ana gave a talk about Rust.'),
      said(3, 'Ana gave no talk about Rust.'),
    ];
    await seedPerson(database, { tenant, user, chains: [chain] });
    const [a, b] = (
      await rows<{ id: string }>(
        sql`select id from slowwave.memories where user_id = ${user} and external_id in ('m2', 'm3') order by id`,
      )
    ).map(({ id }) => id);
    await database.withTenant(tenant, (tx) =>
      reportConflicts(tx, {
        tenant,
        user,
        runId: null,
        at: NOW,
        source: 'twins',
        pairs: [{ a: a!, b: b!, kind: 'contradictory', slot: '' }],
      }),
    );
    const tierSteps = {
      light: [],
      deep: [],
      sleep: TIER_STEPS.sleep.filter(({ name }) => ['conflicts', 'nrem'].includes(name)),
    };
    const step = await sleep(user, createJoiningProvider(), { tierSteps });
    expect(step.counts).toMatchObject({ labels: { contradictory: 1 }, open: 1 });
    const disputed = (await memories(user)).filter(({ name }) => name === 'm2' || name === 'm3');
    expect(disputed).toMatchObject([{ latest: true }, { latest: true }]);
  });
});
