import {
  claimInsights,
  endWorkspaceRun,
  type InsightsRefusal,
  listWorkspaceRuns,
  releaseInsights,
  setInsightsDue,
  startWorkspaceRun,
  type Transaction,
  type WorkspaceKey,
} from '@slowwave/db';
import { isMemoryError } from '../backend/errors.ts';
import type { WorkspaceFiles } from '../files/port.ts';
import type { AskInsights } from './ask.ts';
import { nextInsightsAt } from './cron.ts';
import { createInsightExtraction } from './extraction.ts';
import { ownWords } from './outline.ts';
import type { InsightRun } from './run.ts';
import { WORKING_FILE } from './sources.ts';
import { undoInsightRun } from './undo.ts';

/** A run that no model or no file was there for is tried again after this many ms. */
export const RETRY_MS = 3_600_000;

export interface ClaimedInsightsOptions {
  key: WorkspaceKey;
  files: WorkspaceFiles;
  ask: AskInsights;
  /** Runs one transaction of the workspace's tenant; a worker's proves that it still holds the user. */
  transact<T>(work: (tx: Transaction) => Promise<T>): Promise<T>;
  /** Five-field cron expression. */
  schedule: string;
  /** An IANA name. */
  timezone: string;
  /** Epoch ms. */
  at: number;
  /** UUIDs. */
  newId: () => string;
  /** Asked for by a person, who need not wait for interval and growth. */
  force?: boolean;
  /** The run of the tier that this belongs to; null when a person asks. */
  tierRunId: string | null;
  /** Take up a run of a tier that was broken off. Only for who holds the user, so that nobody else can be at it. */
  resume?: boolean;
  /** Whether the working memory may be pruned; default true. */
  prune?: boolean;
}

export type ClaimedInsights =
  | { status: 'refused'; reason: InsightsRefusal }
  /** The files could not be read; with the code of the error, in lower case. */
  | { status: 'failed'; code: string }
  | { status: 'ran'; run: InsightRun; resumed: boolean };

interface Claim {
  runId: string;
  resumed: boolean;
  /** Null for a run that was taken up: what stood there before its claim is not known any more. */
  before: { lastRunAt: number | null; lastSize: number | null } | null;
}

/**
 * Extracts insights of one workspace now, if the database lets it: enabled, long enough since the last run, enough grown. Whoever asks, the
 * schedule, a retry or a person, asks there. The run is recorded, and the next one is planned.
 * @throws InvalidInsightSchedule; what the transactions throw
 */
export async function extractClaimedInsights(options: ClaimedInsightsOptions): Promise<ClaimedInsights> {
  const { files, ask, at, newId, schedule, timezone, prune } = options;
  const nextAt = nextInsightsAt(schedule, { timezone, after: at });
  const size = await sizeOf(files);
  if (typeof size === 'string') return failEarly(options, size, nextAt);
  const claim = await options.transact((tx) => take(tx, options, size, nextAt));
  if ('reason' in claim) return { status: 'refused', reason: claim.reason };
  const extraction = createInsightExtraction({
    files,
    ask,
    now: () => at,
    newId,
    ...(prune === undefined ? {} : { prune }),
  });
  let run: InsightRun;
  try {
    run = await extraction.run({ runId: claim.runId });
  } catch (error) {
    if (!isMemoryError(error)) throw error;
    const code = error.code.toLowerCase();
    await options.transact(async (tx) => {
      const { key } = options;
      await endWorkspaceRun(tx, key, { id: claim.runId, status: 'failed', reason: code, at });
      await giveBack(tx, options, claim, Math.min(nextAt, at + RETRY_MS));
    });
    return { status: 'failed', code };
  }
  await options.transact((tx) => close(tx, options, { claim, run, nextAt }));
  return { status: 'ran', run, resumed: claim.resumed };
}

/** Characters of the working memory without what we wrote into it, or the code of why it cannot be read. */
async function sizeOf(files: WorkspaceFiles): Promise<number | string> {
  try {
    const text = ownWords((await files.read(WORKING_FILE))?.content ?? '');
    return text.trim() === '' ? 0 : text.length;
  } catch (error) {
    if (!isMemoryError(error)) throw error;
    return error.code.toLowerCase();
  }
}

async function failEarly(
  options: ClaimedInsightsOptions,
  code: string,
  nextAt: number,
): Promise<ClaimedInsights> {
  const { key, at, tierRunId } = options;
  if (tierRunId !== null)
    await options.transact((tx) => setInsightsDue(tx, key, { dueAt: Math.min(nextAt, at + RETRY_MS) }));
  return { status: 'failed', code };
}

async function take(
  tx: Transaction,
  options: ClaimedInsightsOptions,
  size: number,
  nextAt: number,
): Promise<Claim | { reason: InsightsRefusal }> {
  const { key, at, newId, tierRunId } = options;
  const force = options.force ?? false;
  if (options.resume) {
    const [last] = await listWorkspaceRuns(tx, key, { work: 'insights', limit: 1 });
    if (last?.status === 'running' && last.runId !== null)
      return { runId: last.id, resumed: true, before: null };
  }
  const claim = await claimInsights(tx, key, { at, size, force });
  const start = { id: newId(), work: 'insights' as const, runId: tierRunId, at };
  if (claim.claimed) {
    await startWorkspaceRun(tx, key, start);
    return { runId: start.id, resumed: false, before: claim };
  }
  // What a person asked for is told to them; what the schedule asked for is told by its record.
  if (tierRunId !== null && claim.reason !== 'unknown_workspace') {
    await startWorkspaceRun(tx, key, start);
    await endWorkspaceRun(tx, key, { id: start.id, status: 'skipped', reason: claim.reason, at });
    await setInsightsDue(tx, key, { dueAt: nextAt });
  }
  return { reason: claim.reason };
}

/** Without an answer that was paid for a claim counts as none. */
async function giveBack(
  tx: Transaction,
  { key, at }: ClaimedInsightsOptions,
  { before }: Claim,
  dueAt: number,
): Promise<void> {
  if (before !== null) await releaseInsights(tx, key, { at, ...before });
  await setInsightsDue(tx, key, { dueAt, ...(before === null ? { size: 0 } : {}) });
}

async function close(
  tx: Transaction,
  options: ClaimedInsightsOptions,
  { claim, run, nextAt }: { claim: Claim; run: InsightRun; nextAt: number },
): Promise<void> {
  const { key, at } = options;
  const { counts, rejected, reused, audited, size } = run;
  const { refusal, status, sizeDelta } = run.pruning;
  await endWorkspaceRun(tx, key, {
    id: claim.runId,
    status: run.success ? 'completed' : 'failed',
    reason: run.code,
    report: {
      counts,
      rejected,
      reused,
      audited,
      size,
      pruning: { status, refusal, sizeDelta },
      resumed: claim.resumed,
    },
    at,
  });
  if (run.success) await setInsightsDue(tx, key, { dueAt: nextAt, size });
  else if (!run.asked)
    await giveBack(tx, options, claim, run.transient ? Math.min(nextAt, at + RETRY_MS) : nextAt);
  // Paid for: the interval counts, and the growth that nothing came of counts again.
  else await setInsightsDue(tx, key, { dueAt: nextAt, size: claim.before?.lastSize ?? 0 });
}

/** Undoes what a run wrote and says so in its record. @throws as `InsightExtraction.undo` */
export async function undoClaimedInsights(options: {
  key: WorkspaceKey;
  files: WorkspaceFiles;
  transact<T>(work: (tx: Transaction) => Promise<T>): Promise<T>;
  runId: string;
  /** Epoch ms. */
  at: number;
  /** Who undoes it. */
  by: string;
}): Promise<{ restored: string[] }> {
  const { key, files, runId, at, by } = options;
  const undone = await undoInsightRun(files, runId, by);
  await options.transact((tx) => endWorkspaceRun(tx, key, { id: runId, status: 'undone', at }));
  return undone;
}
