import { requestRun } from '@slowwave/db';
import type { Tier } from '@slowwave/fusion';
import { sql } from 'drizzle-orm';
import type { QueueKind } from '../types.ts';
import { pause } from './hunt.ts';
import type { Random } from './random.ts';
import type { Slot } from './slots.ts';
import { GRACE_MS, type Stage } from './stage.ts';
import type { Toll } from './toll.ts';
import type { Batch } from './users.ts';

/** What a blow needs. */
export interface BlowContext {
  stage: Stage;
  batch: Batch;
  random: Random;
  toll: Toll;
  over: AbortSignal;
  /** A promise found broken by the blow itself. */
  broken(invariant: string, detail: string): void;
}

type Blow = (context: BlowContext) => Promise<void>;

const DOWN_MS = { from: 0, to: 1_500 };
const STOPPED_MS = { from: 500, to: 6_000 };
/** So far a worker's clock is moved, there or back. */
export const SHIFT_MS = 120_000;
/** Beyond the grace time: who does not end by itself is looked for, not a machine that is busy. */
const STOP_SLACK_MS = 60_000;

const SERVERS: readonly QueueKind[] = ['redis', 'postgres'];

/** Blows to processes and servers, and how likely each is. */
const BLOWS: Readonly<Record<string, { weight: number; run: Blow; on?: readonly QueueKind[] }>> = {
  'stopped process': { weight: 8, run: stopProcess },
  'producer killed': { weight: 6, run: killProducer, on: SERVERS },
  'database restarted': { weight: 3, run: restartDatabase, on: SERVERS },
  'sessions terminated': { weight: 5, run: terminateSessions, on: SERVERS },
  'queue restarted': { weight: 3, run: restartQueue, on: ['redis'] },
  'queue emptied': { weight: 2, run: emptyQueue, on: ['redis'] },
  'clock shifted': { weight: 4, run: shiftClock },
  'wake-ups doubled': { weight: 6, run: doubleJobs, on: SERVERS },
  'runs asked for': { weight: 6, run: askForRuns, on: SERVERS },
  'worker restarted': { weight: 4, run: restartWorker },
};
const QUIET_MS = { from: 300, to: 2_500 };

/** Strikes again and again until the storm is over. */
export async function strike(context: BlowContext): Promise<void> {
  const { random, over, stage } = context;
  const possible = Object.entries(BLOWS).filter(([, { on }]) => on === undefined || on.includes(stage.kind));
  const weights = Object.fromEntries(possible.map(([name, { weight }]) => [name, weight]));
  while (!over.aborted) {
    await pause(random.between(QUIET_MS.from, QUIET_MS.to), over);
    const name = random.weighted(weights);
    if (over.aborted) return;
    // What the blow draws does not depend on how far another one got.
    await BLOWS[name]!.run({ ...context, random: random.fork(String(random.next())) });
  }
}

const workersOf = ({ stage }: BlowContext) => stage.workers.list.length;

function serversOf({ servers }: Stage): NonNullable<Stage['servers']> {
  if (servers === null) throw new TypeError('this blow is for servers');
  return servers;
}

async function stopProcess({ stage, random, toll, over }: BlowContext): Promise<void> {
  const slot = random.pick([...stage.workers.list, ...(stage.producers?.list ?? [])]);
  const running = slot.current();
  const ms = random.between(STOPPED_MS.from, STOPPED_MS.to);
  if (!running) return;
  toll.add('process stopped for a while', 'cut');
  running.signal('SIGSTOP');
  await Promise.race([pause(ms, over), running.ended]);
  if (!running.over()) running.signal('SIGCONT');
  toll.add('process went on', 'cut', 0);
}

async function killProducer({ stage }: BlowContext): Promise<void> {
  stage.producers?.list[0]?.current()?.signal('SIGKILL');
}

async function restartDatabase(context: BlowContext): Promise<void> {
  const { stage, random, toll, over } = context;
  const { postgres } = serversOf(stage);
  const how = random.pick(['kill', 'kill', 'immediate', 'backend'] as const);
  const downMs = random.between(DOWN_MS.from, DOWN_MS.to);
  toll.add(`database crashed (${how})`, 'cut', workersOf(context));
  await postgres.crash(how);
  if (how === 'backend') return;
  await pause(downMs, over);
  await postgres.start();
  toll.add('database is back', 'cut', 0);
}

async function terminateSessions(context: BlowContext): Promise<void> {
  const { stage, random, toll } = context;
  const share = random.between(0.2, 1);
  // While the database is away there is nobody to send away.
  const ended = await serversOf(stage)
    .postgres.terminateSessions(() => random.chance(share))
    .catch(() => 0);
  toll.add('database sessions terminated', 'cut', Math.min(ended, workersOf(context)));
}

async function restartQueue(context: BlowContext): Promise<void> {
  const { stage, random, toll, over } = context;
  const downMs = random.between(DOWN_MS.from, DOWN_MS.to);
  toll.add('queue crashed', 'cut', workersOf(context));
  const { redis } = serversOf(stage);
  await redis?.crash();
  await pause(downMs, over);
  await redis?.start();
  // What was written within the last second is gone: the same as emptied, for what was in it.
  toll.flushed();
}

async function emptyQueue({ stage, toll }: BlowContext): Promise<void> {
  await serversOf(stage).redis?.flushAll();
  toll.flushed();
}

async function shiftClock({ stage, random, toll }: BlowContext): Promise<void> {
  const slot = random.pick(stage.workers.list);
  const clockShiftMs = random.chance(0.5) ? SHIFT_MS : -SHIFT_MS;
  if (slot.stopping()) return;
  toll.add(`clock ${clockShiftMs > 0 ? 'ahead' : 'behind'}`);
  slot.replaceWith({ clockShiftMs });
}

/** The same wake-up again and again, past what would merge them; the same run and the same fusion once more. */
async function doubleJobs({ stage, batch, random, toll }: BlowContext): Promise<void> {
  const { queues, addAdhoc } = stage.queues();
  const some = Array.from({ length: 5 }, () => random.pick(batch.users));
  try {
    for (const { tenant, user } of some) {
      const tier: Tier = random.pick(['deep', 'light'] as const);
      const job = { v: 1 as const, tenant, user, tier, why: 'schedule' as const };
      for (let i = 0; i < 3; i += 1) await queues[tier].add(tier, job);
    }
    const runs = await openRuns(stage, batch);
    for (const { tenant, user, tier, runId } of runs) {
      const job = { v: 1 as const, tenant, user, tier, why: 'adhoc' as const, runId };
      await addAdhoc(job);
      await queues.adhoc.add(tier, job);
    }
    toll.add('deliveries doubled');
  } catch {
    // A server is away: nothing was doubled.
  }
}

async function openRuns(stage: Stage, { tenants }: Batch) {
  const list = JSON.stringify(tenants);
  return stage.database.asOwner((tx) =>
    tx.rows<{ tenant: string; user: string; tier: Tier; runId: string }>(sql`
      select tenant, user_id as "user", tier, id as "runId" from slowwave.runs
      where tenant in (select jsonb_array_elements_text(${list}::jsonb)) and status in ('requested', 'running')
      order by id limit 5`),
  );
}

/** Somebody asks for runs, twice for each. */
async function askForRuns({ stage, batch, random, toll }: BlowContext): Promise<void> {
  const tier = random.pick(['deep', 'light', 'sleep'] as const);
  const { tenant, user } = random.pick(batch.users.filter(({ poisoned }) => !poisoned));
  const ask = () =>
    stage.database.withTenant(tenant, (tx) => requestRun(tx, { tenant, user, tier, at: Date.now() }));
  try {
    await Promise.all([ask(), ask()]);
    toll.add('runs asked for');
  } catch {
    // The database is away: nobody could ask.
  }
}

async function restartWorker(context: BlowContext): Promise<void> {
  const { random, stage, batch } = context;
  const mayExit = batch.users.some(({ user }) => user === 'exits');
  await rollOver(context, random.pick(stage.workers.list), mayExit);
}

/**
 * By SIGTERM, as when a new version is rolled out: once it works it has to end by itself, with 0, and not be killed in the end.
 * @param mayExit one of the users ends processes with 1
 */
export async function rollOver(
  { stage, toll, broken }: Pick<BlowContext, 'stage' | 'toll' | 'broken'>,
  slot: Slot,
  mayExit: boolean,
): Promise<void> {
  const running = slot.current();
  const end = await slot.stop((GRACE_MS + STOP_SLACK_MS) * stage.pace);
  if (end === null || running === null) return;
  toll.add('worker restarted');
  // It may have been armed, and have come by; and one that ends by the signal itself was still starting.
  if (running.reached.length > 0 || end.signal === 'SIGTERM' || (mayExit && end.code === 1)) return;
  if (end.code !== 0 || end.late)
    broken('stops-in-time', `${slot.name} ended with ${end.code ?? end.signal} after ${end.ms} ms`);
}
