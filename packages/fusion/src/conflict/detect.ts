import { CONFLICT_TYPES, type ConflictType } from '../memory.ts';
import type { CompletionRequest } from '../ports.ts';
import { askForJson, type NoteProvider } from './ask-notes.ts';
import type { NoteCluster } from './cluster-notes.ts';
import { fenceNotes, NOTES_RULE, noteNamed } from './note-prompt.ts';
import type { Note } from './notes.ts';
import { stableUuid } from './stable-uuid.ts';
import type { MemoryConflict } from './types.ts';

export interface DetectOptions {
  /** Makes the conflicts' ids (UUIDs); absent: one that follows from the two notes. */
  newId?: () => string;
  /** Epoch ms; absent: the newest date that the two notes carry, or 1970 when they carry none. */
  now?: () => number;
  signal?: AbortSignal;
}

/** Pairs in one request. */
const PAIRS_PER_CALL = 30;
/** Pairs of one cluster that are asked about, in the order of the notes: a large cluster must not cost without a bound. */
export const MAX_PAIRS = 300;
const MAX_DESCRIPTION_CHARS = 1_000;

const SYSTEM = `You compare memories about one person: for each pair of notes, say how the two relate.
${NOTES_RULE}
"type" is one of:
- "compatible": both can be true at once ("likes coffee" and "prefers dark roast").
- "contradictory": they cannot both be true ("lives in New York" and "lives in San Francisco").
- "subsumes": one says everything that the other says, and more ("has a dog" and "has a golden retriever named Max"); "wider" is the number of the one that says more.
- "ambiguous": one cannot tell; a person has to look.
"description": one sentence that says why.
Answer with JSON only: {"pairs": [{"a": 1, "b": 2, "type": "compatible", "wider": null, "description": "..."}]}`;

/**
 * Asks how the notes of a cluster relate, pair by pair, many pairs in one request. What the model says of notes that are not in the
 * cluster, or of a note and itself, is left out; a type that it made up counts as ambiguous. Nothing is resolved here.
 * @throws what the provider throws
 */
export async function detectConflicts(
  cluster: NoteCluster,
  llm: NoteProvider,
  options: DetectOptions = {},
): Promise<MemoryConflict[]> {
  const conflicts = new Map<string, MemoryConflict>();
  for (const pairs of batches(pairsOf(cluster.notes.length))) {
    const answer = await askForJson(llm, requestOf(cluster.notes, pairs, options.signal), LIST_KEYS);
    for (const item of listOf(answer)) {
      const conflict = readPair(cluster.notes, item, options);
      if (!conflict) continue;
      const key = [conflict.noteIdA, conflict.noteIdB].sort().join(' ');
      if (!conflicts.has(key)) conflicts.set(key, conflict);
    }
  }
  return [...conflicts.values()];
}

/** All pairs of notes by number from 1, at most MAX_PAIRS. */
function pairsOf(size: number): [number, number][] {
  const pairs: [number, number][] = [];
  for (let a = 1; a <= size; a += 1) {
    for (let b = a + 1; b <= size && pairs.length < MAX_PAIRS; b += 1) pairs.push([a, b]);
  }
  return pairs;
}

function* batches(pairs: [number, number][]): Generator<[number, number][]> {
  for (let from = 0; from < pairs.length; from += PAIRS_PER_CALL)
    yield pairs.slice(from, from + PAIRS_PER_CALL);
}

function requestOf(
  notes: Note[],
  pairs: [number, number][],
  signal: AbortSignal | undefined,
): CompletionRequest & { system: string } {
  const wanted = pairs.map(([a, b]) => `${a} and ${b}`).join(', ');
  return {
    system: SYSTEM,
    messages: [{ role: 'user', content: `${fenceNotes(notes)}\n\nPairs to compare: ${wanted}.` }],
    temperature: 0.1,
    maxTokens: 256 + 96 * pairs.length,
    ...(signal ? { signal } : {}),
  };
}

/** Names under which an answer may have its list, the best first. */
const LIST_KEYS = ['pairs', 'conflicts', 'items'];

function listOf(answer: Record<string, unknown> | null): unknown[] {
  const list = LIST_KEYS.map((key) => answer?.[key]).find((value) => value != null);
  return Array.isArray(list) ? list : [];
}

function readPair(notes: Note[], item: unknown, options: DetectOptions): MemoryConflict | null {
  if (typeof item !== 'object' || item === null) return null;
  const { a, b, noteIdA, noteIdB, type, wider, description } = item as Record<string, unknown>;
  const one = noteNamed(notes, noteIdA ?? a);
  const other = noteNamed(notes, noteIdB ?? b);
  if (!one || !other || one === other) return null;
  const kind = CONFLICT_TYPES.includes(type as ConflictType) ? (type as ConflictType) : 'ambiguous';
  const conflict: MemoryConflict = {
    id: options.newId?.() ?? stableUuid([one.id, other.id].sort().join('\n')),
    noteIdA: one.id,
    noteIdB: other.id,
    type: kind,
    description: typeof description === 'string' ? description.trim().slice(0, MAX_DESCRIPTION_CHARS) : '',
    resolved: false,
    detectedAt: options.now ? new Date(options.now()).toISOString() : newestOf([one, other]),
  };
  const winner = noteNamed([one, other], noteNamed(notes, wider)?.id);
  return kind === 'subsumes' && winner ? { ...conflict, subsumedBy: winner.id } : conflict;
}

/** The newest date that the notes carry, ISO 8601. */
export function newestOf(notes: readonly Note[]): string {
  const times = notes.flatMap(({ created_at, updated_at }) =>
    [created_at, updated_at].map((time) => Date.parse(time ?? '')).filter(Number.isFinite),
  );
  return new Date(Math.max(0, ...times)).toISOString();
}
