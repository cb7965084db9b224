import {
  listWorkspaceRuns,
  type Promotion,
  readProjectedLines,
  type Transaction,
  type WorkspaceKey,
  type WorkspaceRun,
} from '@slowwave/db';
import { lineHash, linesOf, marksIn } from './markers.ts';
import type { MemoryCounts, WrittenLine } from './memory-plan.ts';

/** One write of a run, as its report tells of it. */
export interface WriteRecord {
  path: string;
  /** Under which what stood before is kept. */
  write: string;
  /** SHA-256 of what stood before, null when nothing did. */
  before: string | null;
  after: string;
}

/** What a run is about to make of the lines of a document; taken out once it stands in the ledger of lines. */
export interface LinePlan {
  before: string | null;
  after: string;
  lines: WrittenLine[];
}

export interface DreamsCounts {
  /** Whether the run got an entry; one that has it already gets no second. */
  added: boolean;
  entries: number;
  /** Entries that were too old to stay. */
  rotated: number;
  /** Lines taken out since they were about something forgotten. */
  forgotten: number;
}

/** The report of a projection. Counts, ids and hashes; no text. */
export interface ProjectionReport {
  promotion: Omit<Promotion, 'memories'> | null;
  memory: MemoryCounts | null;
  dreams: DreamsCounts | null;
  writes: WriteRecord[];
  plan?: LinePlan;
}

export const emptyReport = (): ProjectionReport => ({
  promotion: null,
  memory: null,
  dreams: null,
  writes: [],
});

/** The report of a run of ours as it stands in the database. */
export function reportOf(run: WorkspaceRun | null): ProjectionReport {
  return { ...emptyReport(), ...(run?.report as Partial<ProjectionReport> | undefined) };
}

/** A document with the ledger of its lines. */
export interface LineState {
  /** Lines that stand as far as anybody knows. */
  standing: WrittenLine[];
  /** Lines that may stand besides. */
  perhaps: WrittenLine[];
  removed: Set<string>;
  /** Runs that ended before they could say whether they wrote their lines, or were never ended. */
  unfinished: WorkspaceRun[];
}

const UNFINISHED_LOOKED_AT = 20;

/** What is known of the lines of a document, also when the last run ended between writing and saying so. */
export async function readLines(
  tx: Transaction,
  key: WorkspaceKey,
  document: { path: string; content: string | null; sha256: string | null },
): Promise<LineState> {
  const rows = (await readProjectedLines(tx, key)).filter(({ path }) => path === document.path);
  const ledger = rows.filter(({ removedAt }) => removedAt === null);
  const removed = new Set(rows.filter((row) => row.removedAt !== null).map(({ memoryId }) => memoryId));
  const runs = await listWorkspaceRuns(tx, key, { work: 'projection', limit: UNFINISHED_LOOKED_AT });
  const unfinished = runs.filter((run) => run.status === 'running' || reportOf(run).plan !== undefined);
  const plan = unfinished.map((run) => reportOf(run).plan).find((one) => one !== undefined);
  const written = ledger.map(({ memoryId, lineHash: hash }) => ({ memoryId, lineHash: hash }));
  if (!plan) return { standing: written, perhaps: [], removed, unfinished };
  const planned = plan.lines.filter(({ memoryId }) => !removed.has(memoryId));
  const [standing, perhaps] = isWritten(document, plan, written) ? [planned, written] : [written, planned];
  return { standing, perhaps, removed, unfinished };
}

/** Whether a plan was carried out, judged by what stands there now. */
function isWritten(
  document: { content: string | null; sha256: string | null },
  plan: LinePlan,
  ledger: readonly WrittenLine[],
): boolean {
  if (document.sha256 === plan.after) return true;
  if (document.sha256 === plan.before) return false;
  // Somebody edited it since: lines that stand in the one only tell.
  const lines = linesOf(document.content ?? '').filter((line) => marksIn(line).length > 0);
  const present = new Set(lines.map(lineHash));
  const only = (of: readonly WrittenLine[], others: readonly WrittenLine[]) =>
    of.filter((one) => !others.some((other) => other.lineHash === one.lineHash));
  const [planned, former] = [only(plan.lines, ledger), only(ledger, plan.lines)];
  if (planned.length > 0) return planned.some((line) => present.has(line.lineHash));
  return !former.some((line) => present.has(line.lineHash));
}
