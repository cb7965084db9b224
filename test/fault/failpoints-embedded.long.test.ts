import {
  createLogger,
  createWorker,
  DEFAULT_LIMITS,
  type FailpointName,
  type Failpoints,
  TIER_STEPS,
  type Worker,
} from '@slowwave/worker';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fuse } from '../fakes/fuse.ts';
import { startMessagesServer } from '../fakes/messages-server.ts';
import type { FakeServer } from '../fakes/scripted-server.ts';
import { type BackendFixture, openEmbedded } from '../fixtures/backends.ts';
import { until } from '../fixtures/wait.ts';
import { consolidate } from '../fixtures/workers.ts';
import { EVERY_NAME, OTHER_PLACES, type Place } from './failpoints/places.ts';
import {
  CALLS,
  CANARY,
  CLUSTERS,
  expectOnce,
  seedDue,
  standingOf,
  USER,
  untilQuiet,
} from './failpoints/user.ts';
import { modelsOf, withLocks } from './run-worker.ts';

const LOCKS = { lockDurationMs: 60_000, stalledIntervalMs: 500 };
const LIMIT_MS = 60_000;
// The queue of fusions is come by after an error anyway: a cluster that broke goes on there.
const PLACES = [...EVERY_NAME, ...OTHER_PLACES].filter(({ way }) => way !== 'retried');

/** Those around a job and its steps; what is inside depends on the memories. */
const AROUND = new Set<FailpointName>([
  'after-claim',
  'after-lease',
  'after-run-start',
  'before-step',
  'after-step',
  'after-run-end',
  'after-release',
  'before-ack',
]);

describe('an error at a failpoint, everything in one process', () => {
  let backend: BackendFixture;
  let model: FakeServer;
  let worker: Worker;
  let serial = 0;
  let refusals = 0;
  const log: string[] = [];
  /** Whose job breaks, and where. */
  let breaking: { tenant: string; place: Place; left: number; broke: boolean } | null = null;

  /** What the jobs of each tenant came by. */
  const passed = new Map<string, FailpointName[]>();

  const failpoints: Failpoints = (name, of) => {
    passed.set(of.tenant, [...(passed.get(of.tenant) ?? []), name]);
    if (breaking === null || of.tenant !== breaking.tenant || name !== breaking.place.name) return;
    breaking.left -= 1;
    if (breaking.left !== 0) return;
    breaking.broke = true;
    throw new Error('broken on purpose');
  };

  beforeAll(async () => {
    backend = await openEmbedded();
    const rightly = fuse();
    model = await startMessagesServer((call) =>
      refusals-- > 0 ? { kind: 'text', text: 'Certainly!' } : rightly(call),
    );
    const { provider, embedder } = modelsOf({ modelUrl: model.url, modelTimeoutMs: 60_000 });
    worker = await createWorker(
      {
        database: backend.database,
        queues: withLocks(backend.queues, LOCKS),
        provider,
        embedder,
        logger: createLogger('debug', { write: (line) => log.push(line) }),
        now: Date.now,
        nowMs: () => performance.now(),
        limits: DEFAULT_LIMITS,
        failpoints,
      },
      { concurrency: 1 },
    );
    await worker.ready();
  }, 240_000);
  afterAll(async () => {
    await worker?.close(3_000);
    await model?.stop();
    await backend?.drop();
  });

  const runsOf = (tenant: string) =>
    backend.database.withTenant(tenant, (tx) =>
      tx.rows<{ status: string }>(sql`select status from slowwave.runs where tenant = ${tenant}`),
    );
  const pass = (tenant: string) => consolidate(backend, { tenant, user: USER, tier: 'deep' });

  const titled = PLACES.map((place) => [`${place.name} ${place.nth}, ${place.way}`, place] as const);
  it.each(titled)(
    '%s: nothing half-way, and the next pass makes up for it',
    { timeout: 180_000 },
    async (_title, place) => {
      const tenant = `t${++serial}`;
      const mode = place.way === 'review' ? 'review' : 'auto';
      refusals = place.way === 'refused' ? 1 : 0;
      model.reset();
      await seedDue(backend, { tenant, mode });
      breaking = { tenant, place, left: place.nth, broke: false };
      await backend.queues.add({ v: 1, tenant, user: USER, tier: 'deep', why: 'schedule' });
      await until(`the error ${place.name}`, () => breaking?.broke, LIMIT_MS);
      await untilQuiet(backend, tenant, LIMIT_MS, { over: 'any' });
      breaking = null;

      await pass(tenant);
      await untilQuiet(backend, tenant, LIMIT_MS, { over: 'any' });
      await expectOnce(backend, tenant, mode, { runs: 'any' });
      expect((await runsOf(tenant)).filter(({ status }) => status === 'running')).toEqual([]);
      expect(model.calls.length).toBeLessThanOrEqual(
        CALLS * CLUSTERS + 1 + (place.way === 'refused' ? 1 : 0),
      );

      const [before, calls] = [await standingOf(backend, tenant), model.calls.length];
      expect((await pass(tenant)).status).toBe('completed');
      expect(await standingOf(backend, tenant)).toEqual(before);
      expect(model.calls.length).toBe(calls);
    },
  );

  it.each(['light', 'sleep'] as const)('is come by in %s as well, in order', async (tier) => {
    const tenant = `t${++serial}`;
    await seedDue(backend, { tenant, mode: 'auto' });
    const run = await consolidate(backend, { tenant, user: USER, tier });
    expect(run.status).toBe('completed');
    await untilQuiet(backend, tenant, LIMIT_MS);
    const names = (passed.get(tenant) ?? []).filter((name) => AROUND.has(name));
    const steps = TIER_STEPS[tier].flatMap(() => ['before-step', 'after-step']);
    const begun = ['after-claim', 'after-lease', 'after-run-start'];
    expect(names).toEqual([...begun, ...steps, 'after-run-end', 'after-release', 'before-ack']);
  });

  it('says no word of a memory', () => {
    expect(log.length).toBeGreaterThan(0);
    expect(log.join('')).not.toContain(CANARY);
  });
});
