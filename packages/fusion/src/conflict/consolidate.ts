import type { Embedder } from '../ports.ts';
import type { NoteProvider } from './ask-notes.ts';
import { clusterNotes, DEFAULT_SIMILARITY_THRESHOLD, type NoteCluster } from './cluster-notes.ts';
import { detectConflicts, newestOf } from './detect.ts';
import { CONSOLIDATED_TAG, type NewNote, type Note } from './notes.ts';
import { resolveConflicts } from './resolve.ts';
import { summarizeCluster } from './summarize.ts';
import type { MemoryConflict } from './types.ts';

/** Where the notes of users stand. What it lists and writes is bounded to the user that it is asked about. */
export interface NoteStore {
  /** The newest first. */
  listByUser(userId: string, options?: { limit?: number }): Promise<Note[]>;
  create(note: NewNote): Promise<Note>;
  saveConflicts(conflicts: MemoryConflict[]): Promise<void>;
}

/** Turns a text into a vector: an embedder of the tiers, or one that takes a single text. */
export type NoteEmbedder = Embedder | { embed(text: string): Promise<Float32Array> };

export interface ConsolidationReport {
  userId: string;
  /** Clusters, single notes included. */
  clustersFound: number;
  summariesCreated: number;
  conflictsDetected: number;
  conflictsAutoResolved: number;
  conflictsNeedingReview: number;
  /** ISO 8601. */
  timestamp: string;
}

export interface ConsolidateOptions {
  /** Epoch ms; absent: the report carries the newest date of the notes. */
  now?: () => number;
  /** Makes ids (UUIDs) of clusters and conflicts; absent: ids that follow from the notes. */
  newId?: () => string;
  /** Told of a cluster that failed; the others go on. Absent: the first failure is thrown at the end. */
  onFailure?: (clusterId: string, cause: unknown) => void;
  signal?: AbortSignal;
}

/** Notes that one call looks at. */
const MAX_NOTES = 1_000;
const SUMMARY_IMPORTANCE = 0.7;

/**
 * Consolidates one user's notes: clusters them by likeness, writes one summary per cluster of several notes, and saves what
 * disagrees. The notes themselves stay as they are. Notes that consolidation made, and clusters that it summarised before, are left out,
 * so that calling it again without new notes asks nobody and writes nothing.
 * @throws what the store throws, and the first failure of a model unless `onFailure` is given
 */
export async function consolidate(
  userId: string,
  store: NoteStore,
  embedding: NoteEmbedder,
  llm: NoteProvider,
  options: ConsolidateOptions = {},
): Promise<ConsolidationReport> {
  const listed = await store.listByUser(userId, { limit: MAX_NOTES });
  // A store that lists too much must not mix users.
  const own = listed.filter((note) => note.user_id === undefined || note.user_id === userId);
  const made = own.filter(({ tags }) => tags.includes(CONSOLIDATED_TAG));
  const notes = own.filter(({ tags }) => !tags.includes(CONSOLIDATED_TAG));
  const summarised = new Map(made.map((note) => [setOf(note.links ?? []), note]));
  const clusters = clusterNotes(notes, thresholdOf(embedding), options);
  const report: ConsolidationReport = {
    userId,
    clustersFound: clusters.length,
    summariesCreated: 0,
    conflictsDetected: 0,
    conflictsAutoResolved: 0,
    conflictsNeedingReview: 0,
    timestamp: options.now ? new Date(options.now()).toISOString() : newestOf(own),
  };
  const failures: unknown[] = [];
  for (const cluster of clusters) {
    if (cluster.notes.length < 2 || isSummarised(cluster, summarised)) continue;
    options.signal?.throwIfAborted();
    try {
      await consolidateCluster({ userId, cluster, store, embedding, llm, options, report });
    } catch (cause) {
      failures.push(cause);
      options.onFailure?.(cluster.id, cause);
    }
  }
  if (failures.length > 0 && !options.onFailure) throw failures[0];
  return report;
}

interface ClusterWork {
  userId: string;
  cluster: NoteCluster;
  store: NoteStore;
  embedding: NoteEmbedder;
  llm: NoteProvider;
  options: ConsolidateOptions;
  report: ConsolidationReport;
}

/** Everything is asked before anything is written: a model that fails half way leaves no summary without its conflicts. */
async function consolidateCluster(work: ClusterWork): Promise<void> {
  const { cluster, store, embedding, llm, options, report, userId } = work;
  const result = await summarizeCluster(cluster, llm, options);
  const conflicts = resolveConflicts(await detectConflicts(cluster, llm, options));
  const vector = await embedOne(embedding, result.summary);
  // First the conflicts: saved twice they are the same, while the summary marks the cluster as done.
  if (conflicts.length > 0) await store.saveConflicts(conflicts);
  await store.create({
    content: result.summary,
    context: `Summary of ${result.sourceNoteIds.length} notes`,
    keywords: [],
    tags: [CONSOLIDATED_TAG],
    embedding: vector,
    links: result.sourceNoteIds,
    created_by: 'slowwave',
    user_id: userId,
    importance: SUMMARY_IMPORTANCE,
    source: 'inferred',
    confidence: result.confidence,
  });
  const settled = conflicts.filter(({ resolved }) => resolved).length;
  report.summariesCreated += 1;
  report.conflictsDetected += conflicts.length;
  report.conflictsAutoResolved += settled;
  report.conflictsNeedingReview += conflicts.length - settled;
}

/** Whether a summary of these very notes stands there already, and none of them changed since. */
function isSummarised({ notes }: NoteCluster, summaries: ReadonlyMap<string, Note>): boolean {
  const summary = summaries.get(setOf(notes.map(({ id }) => id)));
  if (!summary) return false;
  const madeAt = Date.parse(summary.created_at ?? '');
  // A time that is not known does not say that anything changed.
  return !notes.some(({ updated_at }) => Date.parse(updated_at ?? '') > madeAt);
}

/** An embedder of the tiers knows from which cosine on its vectors count as related. */
function thresholdOf(embedding: NoteEmbedder): number {
  return 'threshold' in embedding ? embedding.threshold : DEFAULT_SIMILARITY_THRESHOLD;
}

async function embedOne(embedding: NoteEmbedder, text: string): Promise<Float32Array> {
  if (!('threshold' in embedding)) return embedding.embed(text);
  const [vector] = await embedding.embed([text]);
  return vector ?? new Float32Array(0);
}

function setOf(ids: readonly string[]): string {
  return [...new Set(ids)].sort().join('\n');
}
