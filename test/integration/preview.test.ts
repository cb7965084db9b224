import {
  abandonRuns,
  approveFusion,
  type Database,
  getUser,
  listReviews,
  mergeDuplicates,
  type PreviewView,
  previewOf,
  type RequestResult,
  requestRun,
  setMode,
  startRun,
  type UserMode,
} from '@slowwave/db';
import { ModelError, type Tier } from '@slowwave/fusion';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSleepModel, type Kind, type SleepModel } from '../fakes/sleep-model.ts';
import { DATABASES, type DatabaseFixture } from '../fixtures/databases.ts';
import { DAY, NOW, newMemory, scopeOf } from '../fixtures/memories.ts';
import { runTier, seedPerson, seedSession, stateOf } from '../fixtures/tier-runs.ts';

const tenant = 't';
const CANARY = 'ocarina-canary-heron';
/** What a preview may write to: the ledger, with the sources of each fusion. Runs are bookkeeping. */
const MEMO = ['fusion_sources', 'fusions'];

const FACTS = [`sells rye bread and a ${CANARY}`, 'opens before seven', 'has a blue door'];
/** It repeats its sources, and needs no judge. */
const ANSWER = {
  statements: [
    { sources: [1, 2, 3], text: `The bakery is in Cork. ${FACTS.map((fact) => `It ${fact}.`).join(' ')}` },
  ],
  conflicts: [] as object[],
};
const joins = (): object => ANSWER;

/** A model that fuses in this way, and answers everything else well. */
function modelThat(fuses: () => object): SleepModel {
  const model = createSleepModel();
  model.intercept = (kind: Kind) => (kind === 'fusion' ? fuses() : undefined);
  return model;
}

describe.each(DATABASES)('a preview (%s)', (_name, open) => {
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
  const modeOf = (user: string, mode: UserMode) =>
    database.withTenant(tenant, (tx) => setMode(tx, { tenant, user, mode, at: NOW }));

  /** A user with three facts that belong together, and something for other steps to find. */
  async function seed(): Promise<string> {
    const user = `user-${++serial}`;
    const facts = FACTS.map((fact, i) => newMemory(user, `f${i}`, `The bakery is in Cork. It ${fact}.`));
    const faded = newMemory(user, 'faded', 'Ana saw a film.', {
      category: 'event',
      documentDate: NOW - 200 * DAY,
    });
    await seedPerson(database, { tenant, user, memories: [faded], chains: [facts] });
    const texts = ['The garden needs water.', 'Noted.', 'The roses want shade.', 'Noted.'];
    await seedSession(database, { tenant, user, id: 's1', texts, endedAt: NOW - DAY });
    return user;
  }

  async function run(
    user: string,
    model: SleepModel | null,
    more: { preview?: boolean; tier?: Tier; at?: number } = {},
  ) {
    const { preview = false, tier = 'deep', at = NOW } = more;
    const ended = await runTier(
      database,
      { tenant, user, tier, at, preview },
      { provider: model?.provider ?? null },
    );
    expect(ended.log + JSON.stringify(ended.run.report)).not.toContain(CANARY);
    return ended;
  }
  const preview = (user: string, model: SleepModel, tier: Tier = 'deep') =>
    run(user, model, { preview: true, tier });
  const viewOf = (user: string, runId: string): Promise<PreviewView | null> =>
    database.withTenant(tenant, (tx) => previewOf(tx, { tenant, user, runId }));
  const request = (user: string, isPreview: boolean, tier: Tier = 'deep'): Promise<RequestResult> =>
    database.withTenant(tenant, (tx) => requestRun(tx, { tenant, user, tier, at: NOW, preview: isPreview }));
  const ledgerOf = (user: string) =>
    rows<Record<string, unknown>>(sql`
      select f.status, f.answer_state as answer, f.error_code as code,
        (select count(*)::int from slowwave.fusion_sources s where s.user_id = f.user_id and s.fusion_key = f.key and s.live) as live
      from slowwave.fusions f where f.user_id = ${user} order by f.request nulls first`);

  it('runs up to the commit, and writes nothing but the answer that it paid for', async () => {
    const [user, model] = [await seed(), modelThat(joins)];
    const before = await stateOf(database, { tenant, user });
    const userBefore = await database.withTenant(tenant, (tx) => getUser(tx, tenant, user));
    const { run: ended, steps, step, fusions } = await preview(user, model);
    expect(ended).toMatchObject({ status: 'completed', preview: true, errorCode: null });
    for (const entry of steps.filter(({ step: name }) => name !== 'fusion'))
      expect(entry).toMatchObject({ status: 'skipped', reason: 'preview' });
    expect(step('fusion').counts).toMatchObject({
      clusters: { previewed: 1, committed: 0 },
      superseded: 0,
      usage: { calls: 1 },
    });
    expect(step('fusion').counts?.usage?.inputTokens).toBeGreaterThan(0);
    expect(model.calls).toHaveLength(1);
    const after = await stateOf(database, { tenant, user });
    const changed = Object.keys(after).filter((table) => after[table]!.join() !== before[table]!.join());
    expect(changed).toEqual(MEMO);
    expect(await ledgerOf(user)).toEqual([{ status: 'generated', answer: 'unjudged', code: null, live: 0 }]);
    // Neither stamps nor due times nor failures.
    expect(await database.withTenant(tenant, (tx) => getUser(tx, tenant, user))).toEqual(userBefore);
    expect(fusions).toEqual([]);
  });

  it('shows what the run would do, and the run does that with the answer that was paid for', async () => {
    const [user, model] = [await seed(), modelThat(joins)];
    const { run: ended } = await preview(user, model);
    const view = (await viewOf(user, ended.id))!;
    expect(view).toMatchObject({ runId: ended.id, tier: 'deep', status: 'completed', merges: [] });
    expect(view.fusions).toHaveLength(1);
    const [shown] = view.fusions;
    expect(shown).toMatchObject({ verdict: 'ok', status: 'generated', conflicts: [] });
    expect(shown!.sources.map(({ fate }) => fate)).toEqual(['superseded', 'superseded', 'superseded']);
    expect(shown!.covered).toEqual(shown!.sources.map(({ id }) => id));
    expect(shown!.sources.map(({ content }) => content).join()).toContain(CANARY);
    const real = await run(user, model);
    expect(real.step('fusion').counts).toMatchObject({ clusters: { committed: 1 }, usage: { calls: 0 } });
    expect(model.calls.filter(({ kind }) => kind === 'fusion')).toHaveLength(1);
    const derived = await rows<{ content: string }>(
      sql`select content from slowwave.memories where user_id = ${user} and memory_type = 'derived'`,
    );
    expect(derived).toEqual([{ content: shown!.derived!.content }]);
    const since = (await viewOf(user, ended.id))!;
    expect(since.fusions).toMatchObject([{ verdict: 'over', status: 'closed', derived: null }]);
  });

  it('asked for again, judges the answer again and pays for none', async () => {
    const [user, model] = [await seed(), modelThat(joins)];
    const first = await viewOf(user, (await preview(user, model)).run.id);
    const second = await viewOf(user, (await preview(user, model)).run.id);
    expect(second!.fusions).toEqual(first!.fusions);
    expect(model.calls).toHaveLength(1);
  });

  it('shows why a fusion would fail, and leaves that to the run', async () => {
    const [user, model] = [await seed(), modelThat(() => ({ answer: 'The bakery in Cork sells bread.' }))];
    const { run: ended, step, fusions } = await preview(user, model);
    expect(step('fusion').counts).toMatchObject({ clusters: { failed: 1 }, usage: { calls: 2 } });
    expect(fusions).toEqual([]);
    const [ledger] = await ledgerOf(user);
    expect(ledger).toMatchObject({ status: 'generated', answer: 'unjudged', live: 0 });
    const [shown] = (await viewOf(user, ended.id))!.fusions;
    expect(shown).toMatchObject({ derived: null, covered: [], verdict: ledger!.code });
    expect(shown!.sources.map(({ fate }) => fate)).toEqual(['kept', 'kept', 'kept']);
    const real = await run(user, model);
    expect(real.step('fusion').counts).toMatchObject({ clusters: { failed: 1 } });
    // The last answer is judged by the run itself, which may have it repaired once.
    expect(model.calls.filter(({ kind }) => kind === 'fusion').length).toBeLessThanOrEqual(3);
    expect(await ledgerOf(user)).toMatchObject([{ status: 'failed', live: 0 }]);
    expect(real.fusions).toHaveLength(1);
  });

  it('shows what the model says disagrees, and reports none of it', async () => {
    const [user, model] = [
      await seed(),
      modelThat(() => ({
        ...ANSWER,
        conflicts: [{ a: 1, b: 2, kind: 'contradictory', slot: 'opening hours' }],
      })),
    ];
    const { run: ended } = await preview(user, model);
    const [shown] = (await viewOf(user, ended.id))!.fusions;
    expect(shown!.conflicts).toMatchObject([{ kind: 'contradictory', slot: 'opening hours' }]);
    expect(await rows(sql`select 1 from slowwave.conflicts where user_id = ${user}`)).toEqual([]);
    const real = await run(user, model);
    // A source in a conflict is in no statement.
    expect(real.step('fusion').counts).toMatchObject({ clusters: { closed: 1 } });
    expect(await rows(sql`select source from slowwave.conflicts where user_id = ${user}`)).toEqual([
      { source: 'fusion' },
    ]);
  });

  it('of a provider that asks for patience leaves nothing that would be fused behind its back', async () => {
    const [user, model] = [
      await seed(),
      modelThat(() => {
        throw new ModelError('rate_limited', { retryable: true, retryAfterMs: 1_000 });
      }),
    ];
    const { run: ended, step, fusions } = await preview(user, model);
    expect(step('fusion').counts).toMatchObject({ stopped: 'rate_limited' });
    expect(fusions).toEqual([]);
    const [shown] = (await viewOf(user, ended.id))!.fusions;
    expect(shown).toMatchObject({ verdict: 'unanswered', errorCode: 'rate_limited' });
    expect(await ledgerOf(user)).toMatchObject([{ status: 'planned', live: 0 }]);
  });

  it('shows duplicates of which one would stand for both', async () => {
    const user = `user-${++serial}`;
    const same = ['Ana is allergic to peanuts.', 'Ana has a peanut allergy.'];
    const memories = same.map((content, i) => newMemory(user, `d${i}`, content));
    await seedPerson(database, { tenant, user, memories });
    const members = await rows<{ id: string; contentHash: string; version: number; name: string }>(sql`
      select id, content_hash as "contentHash", version, external_id as name from slowwave.memories
      where user_id = ${user} order by external_id`);
    const asked = await request(user, true);
    if (asked.status !== 'requested') throw new Error(asked.status);
    const { runId } = asked;
    const scope = scopeOf(tenant, user, { mode: 'preview', runId });
    const pair = { keep: members[1]!, drop: members[0]! };
    const { keys } = await mergeDuplicates(database, scope, [pair], { guards: { lease: false } });
    const report = JSON.stringify({ steps: [{ step: 'fusion', counts: { keys } }] });
    await rows(sql`
      update slowwave.runs set status = 'completed', started_at = requested_at, report = ${report}::jsonb
      where user_id = ${user} and id = ${runId}`);
    const view = await viewOf(user, runId);
    expect(view).toMatchObject({ fusions: [], merges: [{ verdict: 'ok', status: 'planned' }] });
    expect(view!.merges[0]!.sources.map(({ content, fate }) => [content, fate])).toEqual([
      [same[1], 'confirmed'],
      [same[0], 'superseded'],
    ]);
    await rows(sql`
      update slowwave.memories set version = version + 1 where user_id = ${user} and external_id = 'd0'`);
    expect(await viewOf(user, runId)).toMatchObject({ merges: [{ verdict: 'stale' }] });
  });

  it('says so when a source has changed since', async () => {
    const [user, model] = [await seed(), modelThat(joins)];
    const { run: ended } = await preview(user, model);
    await rows(sql`
      update slowwave.memories set version = version + 1 where user_id = ${user} and external_id = 'f1'`);
    expect((await viewOf(user, ended.id))!.fusions).toMatchObject([{ verdict: 'stale', sources: [] }]);
  });

  it('of sleep runs NREM only', async () => {
    const [user, model] = [await seed(), modelThat(joins)];
    const { steps } = await preview(user, model, 'sleep');
    const done = steps.filter(({ status }) => status === 'done').map(({ step: name }) => name);
    expect(done).toEqual(['nrem']);
    expect(steps.filter(({ reason }) => reason === 'preview')).toHaveLength(steps.length - 1);
    expect(model.calls.every(({ kind }) => kind === 'fusion')).toBe(true);
  });

  it('comes before a review as well as before a run', async () => {
    const [user, model] = [await seed(), modelThat(joins)];
    await modeOf(user, 'review');
    const { run: ended } = await preview(user, model);
    const [shown] = (await viewOf(user, ended.id))!.fusions;
    expect(await ledgerOf(user)).toMatchObject([{ status: 'generated', live: 0 }]);
    const real = await run(user, model);
    expect(real.step('fusion').counts).toMatchObject({
      clusters: { proposed: 1, committed: 0 },
      superseded: 0,
      embedded: 0,
    });
    expect(model.calls.filter(({ kind }) => kind === 'fusion')).toHaveLength(1);
    const [review] = await database.withTenant(tenant, (tx) => listReviews(tx, { tenant, user, limit: 5 }));
    expect(review!.derived!.content).toBe(shown!.derived!.content);
    expect(review!.runId).toBe(real.run.id);
    // What waits is in nobody's plan.
    const next = await run(user, model, { at: NOW + 1_000 });
    expect(next.step('fusion').counts).toMatchObject({ plan: { clusters: 0 }, expired: 0 });
    const decision = { tenant, user, key: review!.key, at: NOW + 2_000, by: 'zoe' };
    expect(await approveFusion(database, decision)).toMatchObject({ status: 'applied', superseded: 3 });
  });

  it('a proposal that nobody decided about is taken back by deep, and proposed again without a call', async () => {
    const [user, model] = [await seed(), modelThat(joins)];
    await modeOf(user, 'review');
    await run(user, model);
    const calls = model.calls.filter(({ kind }) => kind === 'fusion').length;
    const late = await run(user, model, { at: NOW + 14 * DAY });
    expect(late.step('fusion').counts).toMatchObject({
      expired: 1,
      clusters: { proposed: 1 },
      usage: { calls: 0 },
    });
    expect(model.calls.filter(({ kind }) => kind === 'fusion')).toHaveLength(calls);
    const [review] = await database.withTenant(tenant, (tx) => listReviews(tx, { tenant, user, limit: 5 }));
    expect(review!.expiresAt).toBe(NOW + 28 * DAY);
  });

  it('changing the mode leaves what waits as it is', async () => {
    const [user, model] = [await seed(), modelThat(joins)];
    await modeOf(user, 'review');
    await run(user, model);
    for (const mode of ['off', 'auto'] as const) {
      await modeOf(user, mode);
      const { step } = await run(user, model, { at: NOW + 1_000 });
      if (mode === 'off') expect(step('fusion')).toMatchObject({ status: 'skipped', reason: 'mode_off' });
      expect(await ledgerOf(user)).toMatchObject([
        { status: 'closed', live: 0 },
        { status: 'review', live: 3 },
      ]);
    }
  });

  it('is refused where nothing is fused', async () => {
    const user = await seed();
    await expect(request(user, true, 'light')).rejects.toMatchObject({ code: 'not_allowed', field: 'tier' });
    await modeOf(user, 'off');
    expect(await request(user, true)).toEqual({ status: 'mode_off' });
    expect(await request(user, false)).toMatchObject({ status: 'requested' });
  });

  it('and a run are not one: whichever is later waits until the other has begun', async () => {
    for (const first of [true, false]) {
      const user = await seed();
      const asked = await request(user, first);
      if (asked.status !== 'requested') throw new Error(asked.status);
      const { runId } = asked;
      expect(await request(user, first)).toEqual({ status: 'requested', runId, existing: true });
      expect(await request(user, !first)).toEqual({ status: 'busy', runId });
      const started = await database.withTenant(tenant, (tx) =>
        startRun(tx, { tenant, user, tier: 'deep', why: 'adhoc', runId, fence: 1, at: NOW }),
      );
      expect(started).toMatchObject({ status: 'started', preview: first });
      expect(await request(user, !first)).toMatchObject({ status: 'requested', existing: false });
    }
  });

  it('whose worker was lost has failed, and counts against nobody', async () => {
    const user = await seed();
    const before = await database.withTenant(tenant, (tx) => getUser(tx, tenant, user));
    const asked = await request(user, true);
    if (asked.status !== 'requested') throw new Error(asked.status);
    const { runId } = asked;
    const start = (fence: number) =>
      database.withTenant(tenant, (tx) =>
        startRun(tx, { tenant, user, tier: 'deep', why: 'adhoc', runId, fence, at: NOW }),
      );
    await start(1);
    const lost = await database.withTenant(tenant, (tx) =>
      abandonRuns(tx, { tenant, user, fence: 2, at: NOW }),
    );
    expect(lost).toEqual([{ runId, tier: 'deep', quarantined: false }]);
    expect(await start(2)).toEqual({ status: 'closed', reason: 'ended' });
    expect(
      await rows(sql`select status, error_code as code from slowwave.runs where user_id = ${user}`),
    ).toEqual([{ status: 'failed', code: 'never_ended' }]);
    expect(await database.withTenant(tenant, (tx) => getUser(tx, tenant, user))).toEqual(before);
  });

  it('that fails says so, and its user is tried as before', async () => {
    const user = await seed();
    const before = await database.withTenant(tenant, (tx) => getUser(tx, tenant, user));
    const broken = {
      name: 'fusion',
      previews: true,
      run: () => Promise.reject(new Error(`about ${CANARY}`)),
    };
    const { run: ended, log } = await runTier(
      database,
      { tenant, user, tier: 'deep', at: NOW, preview: true },
      { tierSteps: { light: [], deep: [broken], sleep: [] } },
    );
    expect(ended).toMatchObject({ status: 'failed', preview: true });
    expect(log).not.toContain(CANARY);
    expect(await database.withTenant(tenant, (tx) => getUser(tx, tenant, user))).toEqual(before);
  });

  it('that is put back is asked for again, and its user is as before', async () => {
    const [user, model] = [await seed(), modelThat(joins)];
    const before = await database.withTenant(tenant, (tx) => getUser(tx, tenant, user));
    const { run: ended } = await runTier(
      database,
      { tenant, user, tier: 'deep', at: NOW, preview: true },
      { provider: model.provider, stopping: AbortSignal.abort() },
    );
    expect(ended).toMatchObject({ status: 'abandoned', preview: true });
    const after = await database.withTenant(tenant, (tx) => getUser(tx, tenant, user));
    expect(after!.tiers.deep).toEqual({ ...before!.tiers.deep, requestedRun: ended.id });
    expect(model.calls).toEqual([]);
  });

  it('is known as one: other runs have no preview to show', async () => {
    const [user, model] = [await seed(), modelThat(joins)];
    const { run: ended } = await run(user, model);
    expect(await viewOf(user, ended.id)).toBeNull();
    expect(await viewOf(user, '01990000-0000-7000-8000-00000000ffff')).toBeNull();
  });
});
