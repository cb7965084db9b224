import {
  type BeatLook,
  type Database,
  type DuePage,
  type DueUser,
  lookForWork,
  PAGE_MAX,
  type RequestedUser,
  returnPage,
  takeDueTurn,
  takeRequested,
} from '@slowwave/db';
import type { Tier } from '@slowwave/fusion';
import { PayloadError, parseTierJob, type QueueName, type Queues, type TierJob } from '@slowwave/queue';
import type { Logger } from 'pino';

export interface FillDeps {
  database: Pick<Database, 'asDispatcher'>;
  queues: Pick<Queues, 'counts' | 'addBulk' | 'addAdhoc'>;
  logger: Logger;
  /** Epoch ms. */
  now: () => number;
  /** Most jobs that wait, are delayed or run in one queue; what is due beyond them waits in the database. */
  queueCap: number;
  /** By tier, the tenant after which the next page goes on; absent: each beat begins with the first one. */
  turns?: Map<Tier, string>;
}

/** What one beat of a tier did. */
export interface TickSummary {
  tier: Tier;
  /** Runs that somebody asked for. */
  requested: number;
  /** Users who were due. */
  enqueued: number;
  /** Users whose ids no job can carry; they are passed over so that they hold nobody else back. */
  refused: number;
  /** The queue holds as many jobs as it may. */
  full: boolean;
  /** What else was seen that wants doing. */
  upkeep: Upkeep;
}

/** Leases that ran out without a release, and answers kept for repeated requests whose time is over. */
export type Upkeep = Pick<BeatLook, 'leftHolds' | 'expiredRepeats'>;

/** A holder that only lost its connection for a moment renews a hold that has just run out. */
export const HOLD_GRACE_MS = 10_000;

/** With no job in the queue at all, a wake-up put there longer ago than this, and not taken up since, is lost: a crash took it. */
export const LOST_WHEN_EMPTY_MS = 10_000;

export interface FillInput {
  tier: Tier;
  /** A wake-up put in the queue longer ago than this, and not taken up since, counts as lost. */
  requeueAfterMs: number;
  /** When the queue was found to have lost everything (epoch ms): so are the wake-ups put in it before. */
  wipedAt?: number | undefined;
  /** Ends the filling after the page under way. */
  stopping?: AbortSignal;
}

/**
 * Moves one tier from the database into the queue: first the runs that people wait for, then who is due, page by page until the
 * page is short or the queue is full. Most beats find nothing, and are over after one look. The queue is never called inside a
 * transaction: the embedded database would wait for itself. All pages have one instant, so that no page takes up again what an
 * earlier one has marked.
 */
export async function fillTier(deps: FillDeps, input: FillInput): Promise<TickSummary> {
  const at = deps.now();
  const { tier, wipedAt = Number.NEGATIVE_INFINITY } = input;
  const patience = Math.min(
    input.requeueAfterMs,
    Math.max(0, at - wipedAt), // guard: wiped-queue
  );
  const inAdhoc = await jobsIn(deps, 'adhoc');
  const inTier = await jobsIn(deps, tier);
  const requestedAfterMs = patienceWith(inAdhoc, patience);
  // Whoever has a run of their own coming is marked as well.
  const dueAfterMs = patienceWith(inTier + inAdhoc, patience);
  const look = await deps.database.asDispatcher((tx) =>
    lookForWork(tx, { tier, at, requestedAfterMs, dueAfterMs, graceMs: HOLD_GRACE_MS }),
  );
  const requested = await fillQueue(deps, input, inAdhoc, {
    found: look.requested,
    take: (limit) =>
      deps.database.asDispatcher((tx) =>
        takeRequested(tx, { at, limit, requeueAfterMs: requestedAfterMs, tier }),
      ),
    add: (rows: RequestedUser[]) => addRequested(deps, rows, at),
  });
  const due = await fillQueue(deps, input, inTier, {
    found: look.due,
    take: (limit) => takeInTurn(deps, { at, limit, requeueAfterMs: dueAfterMs, tier }),
    add: (rows: DueUser[]) => addDue(deps, tier, rows, at),
  });
  const { leftHolds, expiredRepeats } = look;
  return {
    tier,
    requested: requested.added,
    enqueued: due.added,
    refused: requested.refused + due.refused,
    full: due.full || requested.full,
    upkeep: { leftHolds, expiredRepeats },
  };
}

/** With more tenants than one page can look at, each page goes on where the last one ended. */
async function takeInTurn({ database, turns }: FillDeps, page: DuePage): Promise<DueUser[]> {
  const { users, after } = await database.asDispatcher((tx) =>
    takeDueTurn(tx, { ...page, after: turns?.get(page.tier) }),
  );
  if (after !== null) turns?.set(page.tier, after);
  return users;
}

/** How long a mark counts, given how many jobs are in the queue: where nothing is, nobody waits. */
function patienceWith(jobs: number, patience: number): number {
  return jobs === 0 ? Math.min(patience, LOST_WHEN_EMPTY_MS) : patience; // guard: lost-when-empty
}

async function jobsIn({ queues }: FillDeps, queue: QueueName): Promise<number> {
  const { waiting, delayed, active } = await queues.counts(queue);
  return waiting + delayed + active;
}

interface Source<Row> {
  /** There was somebody to take, at the look. Whoever comes after it is the next beat's. */
  found: boolean;
  take(limit: number): Promise<Row[]>;
  /** @returns how many of the rows no job can carry */
  add(rows: Row[]): Promise<number>;
}

async function fillQueue<Row>(
  deps: FillDeps,
  input: FillInput,
  jobs: number,
  source: Source<Row>,
): Promise<{ added: number; refused: number; full: boolean }> {
  let room = deps.queueCap - jobs;
  let added = 0;
  let refused = 0;
  while (source.found && room > 0 && !input.stopping?.aborted) {
    const limit = Math.min(room, PAGE_MAX);
    const rows = await source.take(limit);
    const left = rows.length === 0 ? 0 : await source.add(rows);
    added += rows.length - left;
    refused += left;
    room -= rows.length - left;
    if (rows.length < limit) break;
  }
  return { added, refused, full: room <= 0 };
}

async function addDue(deps: FillDeps, tier: Tier, rows: DueUser[], at: number): Promise<number> {
  const jobs = rows
    .map(({ tenant, user }): TierJob => ({ v: 1, tenant, user, tier, why: 'schedule' }))
    .filter(isCarriable);
  try {
    await deps.queues.addBulk(jobs);
  } catch (error) {
    await giveBack(deps, tier, rows, at);
    throw error;
  }
  return rows.length - jobs.length;
}

async function addRequested(deps: FillDeps, rows: RequestedUser[], at: number): Promise<number> {
  let refused = 0;
  for (const [position, { tenant, user, tier, runId }] of rows.entries()) {
    const job: TierJob = { v: 1, tenant, user, tier, why: 'adhoc', runId };
    if (!isCarriable(job)) {
      refused += 1;
      continue;
    }
    try {
      await deps.queues.addAdhoc(job);
    } catch (error) {
      await giveBack(deps, tier, rows.slice(position), at);
      throw error;
    }
  }
  return refused;
}

/** One id that the queue refuses would otherwise make it refuse the whole page, beat after beat. */
export function isCarriable(job: TierJob): boolean {
  try {
    parseTierJob(job);
    return true;
  } catch (error) {
    if (error instanceof PayloadError) return false;
    throw error;
  }
}

/** Takes the marks back. When even that fails, the marks lapse by themselves after requeueAfterMs. */
async function giveBack(
  deps: FillDeps,
  tier: Tier,
  users: readonly { tenant: string; user: string }[],
  takenAt: number,
): Promise<void> {
  try {
    const returned = await deps.database.asDispatcher((tx) => returnPage(tx, { tier, takenAt, users }));
    deps.logger.warn({ tier, returned }, 'the queue took no wake-ups: the users stay due');
  } catch {
    deps.logger.warn(
      { tier, users: users.length },
      'the queue took no wake-ups and the marks could not be taken back',
    );
  }
}
