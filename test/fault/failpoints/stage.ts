import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { connectQueues, type QueueBackend, type Queues } from '@slowwave/queue';
import { createLogger, createWorker, DEFAULT_LIMITS, type Failpoints } from '@slowwave/worker';
import { expect } from 'vitest';
import { fuse } from '../../fakes/fuse.ts';
import { startMessagesServer } from '../../fakes/messages-server.ts';
import type { FakeServer, Script } from '../../fakes/scripted-server.ts';
import { type DatabaseFixture, redisUrl } from '../../fixtures/databases.ts';
import { expireHolds } from '../../fixtures/expire-holds.ts';
import { until } from '../../fixtures/wait.ts';
import { consolidate } from '../../fixtures/workers.ts';
import { modelsOf, QUICK_BACKOFF, withLocks } from '../run-worker.ts';
import type { Bundles } from '../storm/bundle.ts';
import { startRunning, warmUp } from '../storm/processes.ts';
import type { Arming, WorkerSettings } from '../types.ts';
import type { Place } from './places.ts';
import { CALLS, CANARY, CLUSTERS, expectOnce, seedDue, standingOf, USER, untilQuiet } from './user.ts';

/** Long, so that no process loses what it holds while it lives, however slow the machine is. */
const LOCKS = { lockDurationMs: 60_000, stalledIntervalMs: 500 };
const LIMITS = { leaseMs: 60_000 };
const MODEL_TIMEOUT_MS = 60_000;
/** Time for one end and all that follows, on a machine that has other things to do. */
const LIMIT_MS = 100_000;

/** What the ends of one file share. */
export interface Shared {
  kind: 'redis' | 'postgres';
  fixture: DatabaseFixture;
  bundles: Bundles;
  folder: string;
}

/** One end: a user, queues and a model of its own. */
interface Scene extends Shared {
  tenant: string;
  place: Place;
  backend: QueueBackend;
  queues: Queues;
  model: FakeServer;
  log: string[];
}

function backendOf({ kind, fixture }: Shared, name: string): QueueBackend {
  return kind === 'redis'
    ? { kind, url: redisUrl(), prefix: name }
    : { kind, url: fixture.url!, schema: name, poolSize: 2 };
}

const rightly = fuse();
/** Fails the first answer only. */
function refusedOnce(): Script {
  return (call) => (call.index === 0 ? { kind: 'text', text: 'Certainly!' } : rightly(call));
}

/** A worker in this process, on the queues of a scene. */
async function startSurvivor(scene: Scene, failpoints?: Failpoints): Promise<{ close(): Promise<void> }> {
  const queues = await connectQueues(scene.backend, { backoff: QUICK_BACKOFF });
  const { provider, embedder } = modelsOf({ modelUrl: scene.model.url, modelTimeoutMs: MODEL_TIMEOUT_MS });
  const worker = await createWorker(
    {
      database: scene.fixture.database,
      queues: withLocks(queues, LOCKS),
      provider,
      embedder,
      logger: createLogger('info', { write: (line) => scene.log.push(line) }),
      now: Date.now,
      nowMs: () => performance.now(),
      limits: { ...DEFAULT_LIMITS, ...LIMITS },
      ...(failpoints ? { failpoints } : {}),
    },
    { concurrency: 2 },
  );
  await worker.ready();
  return {
    async close() {
      await worker.close(3_000);
      await queues.close();
    },
  };
}

/** Of a worker process on these servers. */
function settingsOf(
  of: Pick<Shared, 'fixture'> & { backend: QueueBackend; modelUrl: string | null; armed: Arming[] },
): WorkerSettings {
  const { fixture, backend, modelUrl, armed } = of;
  return {
    ...LOCKS,
    databaseUrl: fixture.url!,
    backend,
    modelUrl,
    modelTimeoutMs: MODEL_TIMEOUT_MS,
    concurrency: 1,
    limits: LIMITS,
    graceMs: 2_000,
    clockShiftMs: 0,
    poison: false,
    stuckMs: 0,
    armed,
    standby: false,
    logLevel: 'info',
  };
}

/** The first process pays for compiling, which is most of what a start costs. */
export async function warmUpOnce(shared: Shared): Promise<void> {
  const backend = backendOf(shared, 'warm');
  const settings = settingsOf({ ...shared, backend, modelUrl: null, armed: [] });
  const options = { log: join(shared.folder, 'warm.log'), limitMs: LIMIT_MS };
  await warmUp(shared.bundles, 'worker', settings, options);
}

/** A process that ends at the place, and its end. */
async function endAt(scene: Scene): Promise<void> {
  const { name, nth } = scene.place;
  const armed: Arming[] = [{ name, nth, action: 'kill' }];
  const settings = settingsOf({ ...scene, modelUrl: scene.model.url, armed });
  const log = join(scene.folder, `${scene.tenant}.log`);
  const victim = startRunning(scene.bundles.args('worker'), settings, log);
  try {
    await until(`the end ${name} (${log})`, () => victim.over(), LIMIT_MS);
  } finally {
    victim.signal('SIGKILL');
  }
  // Only when it has ended have its last words arrived.
  expect(await victim.ended, log).toEqual({ code: null, signal: 'SIGKILL' });
  expect(victim.reached, log).toEqual([name]);
}

/** Two clusters that the model failed at wait in the queue of fusions, and everything else of the run is done. */
async function failClusters(scene: Scene): Promise<void> {
  const { queues, model, tenant } = scene;
  await queues.queues.fusions.pause();
  model.use({ kind: 'error', status: 529 });
  await queues.add({ v: 1, tenant, user: USER, tier: 'deep', why: 'schedule' });
  const worker = await startSurvivor(scene);
  await until(
    'two clusters in the queue of fusions',
    async () => {
      const [deep, fusions] = await Promise.all(
        (['deep', 'fusions'] as const).map((name) => queues.queues[name].getJobCounts()),
      );
      const { active = 0, waiting = 0, delayed = 0 } = deep!;
      return (
        active + waiting + delayed === 0 && (fusions!.waiting ?? 0) + (fusions!.paused ?? 0) === CLUSTERS
      );
    },
    LIMIT_MS,
  );
  await worker.close();
  await queues.queues.fusions.resume();
  model.reset();
  model.use(rightly);
}

/** A worker ends at the place; another one goes on; at the end everything was done once, and a second pass writes nothing. */
export async function endAndGoOn(shared: Shared, place: Place): Promise<void> {
  const tenant = `t${randomBytes(5).toString('hex')}`;
  const backend = backendOf(shared, tenant);
  const mode = place.way === 'review' ? 'review' : 'auto';
  const model = await startMessagesServer(place.way === 'refused' ? refusedOnce() : rightly);
  const queues = await connectQueues(backend, { backoff: QUICK_BACKOFF });
  const scene: Scene = { ...shared, tenant, place, backend, queues, model, log: [] };
  const parts = { database: shared.fixture.database, queues };
  let survivor: { close(): Promise<void> } | null = null;
  try {
    await seedDue(parts, { tenant, mode });
    if (place.way === 'retried') await failClusters(scene);
    else await queues.add({ v: 1, tenant, user: USER, tier: 'deep', why: 'schedule' });
    await endAt(scene);
    await expireHolds(parts.database, backend, tenant);
    survivor = await startSurvivor(scene);
    await untilQuiet(parts, tenant, LIMIT_MS);
    await expectOnce(parts, tenant, mode);
    // An end costs the call that was under way; an answer that was refused is asked for again.
    expect(model.calls.length).toBeLessThanOrEqual(CALLS * CLUSTERS + 1 + (place.way === 'refused' ? 1 : 0));

    const [before, calls] = [await standingOf(parts, tenant), model.calls.length];
    const target = { tenant, user: USER, tier: 'deep' } as const;
    const second = await consolidate({ ...shared.fixture, queues, queueUrl: null, prefix: null }, target);
    expect(second.status).toBe('completed');
    expect(await standingOf(parts, tenant)).toEqual(before);
    expect(model.calls.length).toBe(calls);
    expect(scene.log.join()).not.toContain(CANARY);
  } finally {
    await survivor?.close();
    await queues.close();
    await model.stop();
  }
}
