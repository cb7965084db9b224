import type { CompletionRequest } from '../ports.ts';
import { askForJson, type NoteProvider } from './ask-notes.ts';
import type { NoteCluster } from './cluster-notes.ts';
import { fenceNotes, NOTES_RULE, noteNamed } from './note-prompt.ts';

/** What one summary says of the notes that it was made of. None of them is ever deleted. */
export interface ConsolidationResult {
  clusterId: string;
  summary: string;
  /** All notes of the cluster. */
  sourceNoteIds: string[];
  /** How well the summary holds the cluster, 0 to 1, as the model says. */
  confidence: number;
  /** Notes that the summary holds completely. */
  redundantNoteIds: string[];
}

const SYSTEM = `You consolidate memories: write one summary of related notes that keeps every distinct fact.
${NOTES_RULE}
"summary": one text in plain sentences with everything that the notes say and nothing that they do not say.
"confidence": from 0 to 1, how completely the summary holds the notes; 1 when nothing at all is missing.
"redundant": the numbers of the notes that say nothing beyond the summary. Leave a note out when in doubt.
Answer with JSON only: {"summary": "...", "confidence": 0.9, "redundant": [1, 2]}`;

/** How sure a summary is for which the model gave no number. */
const UNKNOWN_CONFIDENCE = 0.5;

/**
 * Summarises a cluster. One note is its own summary and costs no call; an answer without a summary is replaced by the notes' own
 * words, joined. Only notes of the cluster can be called redundant.
 * @throws what the provider throws
 */
export async function summarizeCluster(
  cluster: NoteCluster,
  llm: NoteProvider,
  options: { signal?: AbortSignal } = {},
): Promise<ConsolidationResult> {
  const { notes } = cluster;
  const sourceNoteIds = notes.map(({ id }) => id);
  if (notes.length < 2) {
    const summary = notes[0]?.content ?? '';
    return { clusterId: cluster.id, summary, sourceNoteIds, confidence: 1, redundantNoteIds: [] };
  }
  const answer = (await askForJson(llm, requestOf(cluster, options.signal), ['summary'])) ?? {};
  const { summary, confidence, redundant, redundantNoteIds } = answer;
  const named = Array.isArray(redundantNoteIds)
    ? redundantNoteIds
    : Array.isArray(redundant)
      ? redundant
      : [];
  const meant = named.flatMap((name: unknown) => noteNamed(notes, name)?.id ?? []);
  const written = typeof summary === 'string' && summary.trim() !== '';
  return {
    clusterId: cluster.id,
    summary: written ? summary.trim() : notes.map(({ content }) => content).join('; '),
    sourceNoteIds,
    confidence: isShare(confidence) ? confidence : UNKNOWN_CONFIDENCE,
    // Joined words hold everything, but they are nobody's summary.
    redundantNoteIds: written ? [...new Set(meant)] : [],
  };
}

function requestOf(
  { notes }: NoteCluster,
  signal: AbortSignal | undefined,
): CompletionRequest & { system: string } {
  const characters = notes.reduce((sum, { content }) => sum + content.length, 0);
  return {
    system: SYSTEM,
    messages: [{ role: 'user', content: `${fenceNotes(notes)}\n\nSummarise these ${notes.length} notes.` }],
    temperature: 0.1,
    maxTokens: Math.min(8_192, 256 + characters),
    ...(signal ? { signal } : {}),
  };
}

function isShare(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= 1;
}
