import { getUser } from '@slowwave/db';
import { type LLMProvider, ModelError } from '@slowwave/fusion';
import { jobContext, QueueUnavailable } from '@slowwave/queue';
import { createLogger, DEFAULT_LIMITS } from '@slowwave/worker';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFusionJob, failStalledOut } from '../../apps/worker/src/fusion-job.ts';
import { FACT_SCRIPT } from '../fakes/fact-model.ts';
import { createJoiningProvider } from '../fakes/joining-provider.ts';
import { BACKENDS, type BackendFixture } from '../fixtures/backends.ts';
import { DATABASES } from '../fixtures/databases.ts';
import { fuseMembers, membersOf } from '../fixtures/fused.ts';
import { NOW, scopeOf } from '../fixtures/memories.ts';
import { embedder, runTier, seedPerson } from '../fixtures/tier-runs.ts';
import { until } from '../fixtures/wait.ts';
import { startWorker } from '../fixtures/workers.ts';
import { planFusion, seedPerson as seedMembers, tenant } from './interleavings/people.ts';
import { stormFacts } from './invariants/facts.ts';

const HOUR = 3_600_000;
const ana = { tenant: 't', user: 'ana' };

describe.each(DATABASES)('a fusion that failed for good (%s)', (_name, open) => {
  it('is put before the operator by the next run, when its own run ended on the way there', async () => {
    const { database, drop } = await open();
    try {
      await seedPerson(database, { ...ana, chains: stormFacts(ana, [4], NOW), at: NOW });
      let calls = 0;
      const provider: LLMProvider = {
        ...createJoiningProvider(),
        async complete() {
          calls += 1;
          throw new ModelError('invalid_request', { retryable: false, status: 400 });
        },
      };
      const deep = (hours: number, more: object = {}) =>
        runTier(database, { ...ana, tier: 'deep', at: NOW + hours * HOUR }, { provider, ...more });
      // The queue's server refuses it: the ledger has it, the queue does not.
      const refuse = async () => {
        const facts = { kind: 'redis', address: null, attempts: 1, detail: 'OOM' } as const;
        throw new QueueUnavailable({ ...facts, reason: 'out_of_service' });
      };
      const first = await deep(0, { queues: { addFusion: refuse, rateLimit: async () => {} } });
      expect(first.run).toMatchObject({ status: 'failed', errorCode: 'queue_unavailable' });
      expect(first.run.report?.steps).toContainEqual(
        expect.objectContaining({
          step: 'fusion',
          status: 'done',
          counts: expect.objectContaining({ unqueued: 1 }),
        }),
      );
      const { tiers } = (await database.withTenant(ana.tenant, (tx) => getUser(tx, ana.tenant, ana.user)))!;
      expect(tiers.deep).toMatchObject({ failures: 1, faults: 0 });
      const second = await deep(1);
      expect(second.run.status).toBe('completed');
      expect(second.fusions).toEqual([
        expect.objectContaining({ ...ana, tier: 'deep', runId: second.run.id }),
      ]);
      // Once there, it is not put there again, and nothing was asked about it twice.
      expect((await deep(8)).fusions).toEqual([]);
      expect(calls).toBe(1);
    } finally {
      await drop();
    }
  });
});

describe.each(DATABASES)('a fusion that failed under another model (%s)', (_name, open) => {
  it('has had its day once this one has answered, even that nothing is to be joined', async () => {
    const { database, drop } = await open();
    try {
      await seedPerson(database, { ...ana, chains: stormFacts(ana, [4], NOW), at: NOW });
      const failing: LLMProvider = {
        ...createJoiningProvider(),
        async complete() {
          throw new ModelError('invalid_request', { retryable: false, status: 400 });
        },
      };
      const { fusions } = await runTier(
        database,
        { ...ana, tier: 'deep', at: NOW },
        { provider: { ...failing, model: 'another' } },
      );
      const retry = createFusionJob(
        {
          database,
          queues: { addFusion: async () => 'added', rateLimit: async () => {} },
          provider: createJoiningProvider({ write: () => ({ statements: [], conflicts: [] }) }),
          embedder,
          logger: createLogger('silent'),
          now: () => NOW + HOUR,
          nowMs: () => performance.now(),
          limits: DEFAULT_LIMITS,
        },
        'test',
      );
      const view = { id: '1', queue: 'fusions' as const, attempt: 1, attempts: 1, lastAttempt: true };
      const job = { ...view, data: fusions[0]!, starts: 2, postponed: 0, addedAt: NOW };
      await retry(job, jobContext());
      const ledger = await database.asOwner((tx) =>
        tx.rows(sql`select model = 'another' as other, status from slowwave.fusions order by 1 desc`),
      );
      expect(ledger).toEqual([
        { other: true, status: 'stale' },
        { other: false, status: 'closed' },
      ]);
    } finally {
      await drop();
    }
  });
});

describe.each(DATABASES)(
  'a fusion whose run ended on the way, of memories that went other ways (%s)',
  (_name, open) => {
    it('is closed by the run in which they did, and claims nothing', async () => {
      const { database, drop } = await open();
      try {
        await seedPerson(database, { ...ana, chains: stormFacts(ana, [5], NOW), at: NOW });
        const scope = scopeOf(ana.tenant, ana.user);
        const members = await membersOf(database, scope);
        // Of some of them, as somebody planned it before all were related.
        const dead = { ...scope, lease: { holder: 'dead', fence: 0 } };
        const left = await planFusion(database, dead, members.slice(1, 5));
        await runTier(
          database,
          { ...ana, tier: 'deep', at: NOW },
          { provider: createJoiningProvider(FACT_SCRIPT) },
        );
        const ledger = await database.asOwner((tx) =>
          tx.rows(sql`
          select f.status, f.key = ${left} as "isLeft",
            (select count(*)::int from slowwave.fusion_sources s where s.fusion_key = f.key and s.live) as claims
          from slowwave.fusions f order by f.fence, f.status`),
        );
        expect(ledger).toEqual([
          { status: 'stale', isLeft: true, claims: 0 },
          { status: 'applied', isLeft: false, claims: 0 },
          { status: 'closed', isLeft: false, claims: 0 },
        ]);
      } finally {
        await drop();
      }
    });
  },
);

describe.each(BACKENDS)('a fusion that no turn brings to an end (%s)', (_name, open) => {
  let backend: BackendFixture;
  let serial = 0;
  beforeAll(async () => {
    backend = await open();
  });
  afterAll(() => backend?.drop());

  async function newPerson() {
    const user = `user-${++serial}`;
    return { user, ...(await seedMembers(backend.database, { user, count: 3 })) };
  }
  const jobOf = (user: string, key: string) =>
    ({ v: 1, tenant, user, key, tier: 'deep', runId: 'run-1' }) as const;
  const stallOut = (user: string, key: string) =>
    failStalledOut({ database: backend.database, now: () => NOW }, jobOf(user, key));
  const ledgerOf = (user: string) =>
    backend.database.asOwner((tx) =>
      tx.rows(sql`
        select f.status, f.error_code as code,
          (select count(*)::int from slowwave.fusion_sources s where s.fusion_key = f.key and s.live) as claims
        from slowwave.fusions f where f.user_id = ${user} order by f.status`),
    );

  it('fails in the ledger when its workers ended too often, and lets its sources go', async () => {
    const { user, scope, members } = await newPerson();
    const key = await planFusion(backend.database, scope, members);
    expect(await stallOut(user, key)).toBe(true);
    expect(await ledgerOf(user)).toEqual([{ status: 'failed', code: 'stalled_out', claims: 0 }]);
    // Told again, since whoever was told ended there.
    expect(await stallOut(user, key)).toBe(true);
  });

  it('does not fail when it was done after all, or is gone', async () => {
    const { user, scope, members } = await newPerson();
    const made = await fuseMembers(backend.database, scope, members);
    expect(await stallOut(user, made!.request)).toBe(false);
    expect(await ledgerOf(user)).toEqual([
      { status: 'applied', code: null, claims: 0 },
      { status: 'closed', code: null, claims: 0 },
    ]);
    expect(await stallOut(user, 'a'.repeat(64))).toBe(false);
  });

  it('waits in the ledger for as long as there is no model to ask', async () => {
    const { user, scope, members } = await newPerson();
    const key = await planFusion(backend.database, scope, members);
    await backend.queues.addFusion(jobOf(user, key));
    const worker = await startWorker(backend, null);
    try {
      await until('the queue to be empty', async () => {
        const { waiting, active, delayed } = await backend.queues.counts('fusions');
        return waiting + active + delayed === 0;
      });
    } finally {
      await worker.close();
    }
    expect(await backend.queues.failed('fusions')).toEqual([]);
    expect(await ledgerOf(user)).toEqual([{ status: 'generated', code: null, claims: 3 }]);
  });
});
