import type { NewMemory } from '@slowwave/db';
import { createAnthropicProvider } from '@slowwave/models';
import { sql } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { fuse } from '../fakes/fuse.ts';
import { startMessagesServer } from '../fakes/messages-server.ts';
import type { Behaviour, FakeServer } from '../fakes/scripted-server.ts';
import { BACKENDS, type BackendFixture } from '../fixtures/backends.ts';
import { facts, seedChains } from '../fixtures/memories.ts';
import { until } from '../fixtures/wait.ts';
import { consolidate, startWorker, type WorkerFixture } from '../fixtures/workers.ts';

const TENANT = 't';
const CANARY = 'trombone-canary-lynx';
/** Three memories about one thing; those of `other` share no words with those of `music`, so that they are clusters of their own. */
const named = (memories: NewMemory[], prefix: string) =>
  memories.map((memory) => ({ ...memory, externalId: `${prefix}${memory.externalId}` }));
const music = (user: string, word: string) =>
  named(
    facts(
      user,
      ['by the river', 'in an old mill', 'with two friends'].map(
        (place) => `Ana plays the ${word} on Sundays. She does so ${place}.`,
      ),
    ),
    'bad',
  );
const bakery = (user: string) =>
  named(
    facts(
      user,
      ['sells rye bread', 'opens before seven', 'has a blue door'].map(
        (fact) => `Their bakery is at a corner in Cork. It ${fact}.`,
      ),
    ),
    'good',
  );

describe.each(BACKENDS)('a model that fails (%s)', (_name, open) => {
  let backend: BackendFixture;
  let model: FakeServer;
  let running: WorkerFixture | null = null;
  let serial = 0;
  /** What the model answers to requests that hold the canary; undefined: it fuses them like all others. */
  let failure: Behaviour | undefined;
  /** How often it answers so. */
  let failures = Number.POSITIVE_INFINITY;

  beforeAll(async () => {
    backend = await open();
    model = await startMessagesServer(
      fuse({ intercept: (text) => (text.includes(CANARY) && failures-- > 0 ? failure : undefined) }),
    );
  });
  afterEach(async () => {
    await running?.close();
    running = null;
  });
  afterAll(async () => {
    await model?.stop();
    await backend?.drop();
  });

  const rows = <Row extends object>(query: ReturnType<typeof sql>): Promise<Row[]> =>
    backend.database.withTenant(TENANT, (tx) => tx.rows<Row>(query));

  async function start(): Promise<WorkerFixture> {
    const provider = createAnthropicProvider({
      apiKey: 'test-key',
      model: 'fake',
      baseUrl: model.url,
      timeoutMs: 60_000,
    });
    running = await startWorker(backend, provider);
    return running;
  }

  /** A user with one cluster that the model will stumble over and one that it will not. */
  async function seed(): Promise<string> {
    const user = `user-${++serial}`;
    const chains = [bakery(user), music(user, CANARY)];
    await seedChains(backend.database, { tenant: TENANT, user, chains });
    return user;
  }

  const derivedOf = (user: string) =>
    rows<{ content: string }>(
      sql`select content from slowwave.memories where user_id = ${user} and memory_type = 'derived'`,
    );
  const failedJob = (user: string) =>
    until('the failed list', async () =>
      (await backend.queues.failed('fusions')).find((job) => job.ids.user === user),
    );

  it('for good: neighbours are fused, the cluster waits in the failed list with reason and ids, and a retry there fuses it', async () => {
    const [user, other] = [await seed(), `other-${serial}`];
    await seedChains(backend.database, { tenant: TENANT, user: other, chains: [music(other, 'oboe')] });
    failure = { kind: 'error', status: 400, echo: true };
    await start();
    const [run, otherRun] = await Promise.all([
      consolidate(backend, { tenant: TENANT, user, tier: 'deep' }),
      consolidate(backend, { tenant: TENANT, user: other, tier: 'deep' }),
    ]);
    expect([run.status, otherRun.status]).toEqual(['completed', 'completed']);
    expect((await derivedOf(user)).map((memory) => memory.content).join()).toContain('bakery');
    expect(await derivedOf(other)).toHaveLength(1);

    const failed = await failedJob(user);
    const [ledger] = await rows<{ key: string; code: string }>(sql`
      select key, error_code as code from slowwave.fusions where user_id = ${user} and status = 'failed'`);
    expect(failed.reason).toMatch(/^provider_error_invalid_request: /);
    expect(failed.ids).toMatchObject({ tenant: TENANT, user, key: ledger!.key, tier: 'deep', runId: run.id });
    expect(failed.attemptsMade).toBe(1);
    expect(JSON.stringify(failed)).not.toContain(CANARY);
    const calls = model.calls.length;

    // The next run leaves what failed for good alone: nobody pays for it twice.
    await consolidate(backend, { tenant: TENANT, user, tier: 'deep' });
    expect(model.calls.length).toBe(calls);

    failure = undefined;
    expect(await backend.queues.retryFailed('fusions', failed.id)).toBe(true);
    await until('the fusion', async () => (await derivedOf(user)).length === 2);
    const open_ = await rows(
      sql`select 1 from slowwave.fusions where user_id = ${user} and status not in ('applied', 'closed')`,
    );
    expect(open_).toEqual([]);
    expect(running!.log.join('\n')).not.toContain(CANARY);
  });

  it('for a while (529): the cluster comes through in the fusions queue by itself', async () => {
    const user = await seed();
    failure = { kind: 'error', status: 529 };
    // In the run, and once more in the queue.
    failures = 2;
    await start();
    const run = await consolidate(backend, { tenant: TENANT, user, tier: 'deep' });
    expect(run.status).toBe('completed');
    await until('the fusion', async () => (await derivedOf(user)).length === 2);
    failures = Number.POSITIVE_INFINITY;
  });

  it('by rate (429): the queue waits as long as it was asked to, and no attempt is used', async () => {
    const user = await seed();
    failure = { kind: 'error', status: 429, retryAfter: '1' };
    await start();
    await consolidate(backend, { tenant: TENANT, user, tier: 'deep' });
    const [row] = await rows<{ status: string }>(sql`
      select status from slowwave.fusions where user_id = ${user} and status not in ('applied', 'closed')`);
    expect(row!.status).toBe('planned');
    // More refusals than the job has attempts.
    const calls = model.calls.length;
    await until('three more refusals', () => model.calls.length >= calls + 3);
    failure = undefined;
    await until('the fusion', async () => (await derivedOf(user)).length === 2);
    expect((await backend.queues.failed('fusions')).filter((job) => job.ids.user === user)).toEqual([]);
  });

  it('by refusing the key (401): model work is paused and health says so, other steps go on', async () => {
    const user = await seed();
    failure = { kind: 'error', status: 401 };
    const { worker } = await start();
    const run = await consolidate(backend, { tenant: TENANT, user, tier: 'deep' });
    expect(run.status).toBe('completed');
    const health = await worker.health();
    expect(health.ok).toBe(false);
    expect(health.reasons.join()).toContain('refused the key');
    const calls = model.calls.length;
    const again = await consolidate(backend, { tenant: TENANT, user, tier: 'deep' });
    const report = again.report as { steps: { step: string; status: string; reason?: string }[] };
    expect(report.steps).toContainEqual(
      expect.objectContaining({ step: 'fusion', status: 'skipped', reason: 'model_paused' }),
    );
    expect(model.calls.length).toBe(calls);
    failure = undefined;
  });

  it.each<[string, Behaviour, string]>([
    ['a refusal', { kind: 'refusal' }, 'refused'],
    ['no statements at all', { kind: 'json', value: { answer: 'Short.' } }, 'invalid_output'],
  ])('with %s: nothing is superseded, and the reason is told', async (_what, answer, code) => {
    const user = await seed();
    failure = answer;
    await start();
    await consolidate(backend, { tenant: TENANT, user, tier: 'deep' });
    const failed = await failedJob(user);
    expect(failed.reason).toMatch(new RegExp(`^${code}: `));
    const latest = await rows(
      sql`select 1 from slowwave.memories where user_id = ${user} and is_latest and external_id like 'bad%'`,
    );
    expect(latest).toHaveLength(3);
    failure = undefined;
  });

  it.each<[string, string, string]>([
    ['names sources that were not given', 'Short.', 'form'],
    ['loses facts', 'Ana plays.', 'floor'],
    ['invents a date', `Ana plays the ${CANARY} since 12 May 1997.`, 'floor'],
  ])(
    'with a statement that %s: nothing is superseded, and the reason is told',
    async (_what, text, reason) => {
      const user = await seed();
      const sources = reason === 'form' ? [1, 97] : [1, 2, 3];
      failure = { kind: 'json', value: { statements: [{ sources, text }], conflicts: [] } };
      await start();
      await consolidate(backend, { tenant: TENANT, user, tier: 'deep' });
      const closed = await rows<{ code: string | null }>(sql`
      select f.error_code as code from slowwave.fusions f where f.user_id = ${user} and f.status = 'closed'
        and exists (select 1 from slowwave.fusion_sources s join slowwave.memories m on m.user_id = s.user_id and m.id = s.memory_id
          where s.user_id = ${user} and s.fusion_key = f.key and m.external_id like 'bad%')`);
      expect(closed).toMatchObject([{ code: reason }]);
      const latest = await rows(
        sql`select 1 from slowwave.memories where user_id = ${user} and is_latest and external_id like 'bad%'`,
      );
      expect(latest).toHaveLength(3);
      failure = undefined;
    },
  );
});
