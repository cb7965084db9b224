/**
 * Labelled pairs of memories and how well a judge of duplicates does on them. Pure: text in, rows and figures out.
 */

export type PairLabel = 'twin' | 'duplicate';

/** Two texts that an embedding takes for nearly equal. A twin differs in a fact; a duplicate only in its words. */
export interface LabelledPair {
  id: string;
  a: string;
  b: string;
  label: PairLabel;
  kind: string;
}

/** A line that is no labelled pair. Says what was expected, never what stands there. */
export interface UnreadableLine {
  /** From 1. */
  line: number;
  problem: string;
}

/** True when the two texts say the same and may become one memory. */
export type DuplicateJudge = (a: { content: string }, b: { content: string }) => boolean;

export interface KindScore {
  label: PairLabel;
  kind: string;
  pairs: number;
  merged: number;
  apart: number;
}

export interface TwinScore {
  /** Twins first, each label's kinds in the order of the file. */
  kinds: KindScore[];
  twins: { pairs: number; merged: number };
  /** `share` is found / pairs, null without pairs. */
  duplicates: { pairs: number; found: number; share: number | null };
  /** Twins that were merged and duplicates that were not, in the order of the file. */
  wrong: { id: string; label: PairLabel; kind: string }[];
  /** No twin merged. */
  holds: boolean;
}

export const PAIR_SHAPE = '{"id": "…", "a": "…", "b": "…", "label": "twin" or "duplicate", "kind": "…"}';

const isText = (value: unknown): value is string => typeof value === 'string' && value.trim() !== '';

function parseObject(line: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}

/** The pair on a line, or what is wrong with it. Numbers are welcome as ids; further fields are left alone. */
function readPair(line: string): LabelledPair | string {
  const value = parseObject(line);
  if (!value) return 'no JSON object';
  const id = typeof value.id === 'number' ? String(value.id) : value.id;
  const { a, b, label, kind } = value;
  if (!isText(id)) return '"id" is no text';
  if (!isText(a)) return '"a" is no text';
  if (!isText(b)) return '"b" is no text';
  if (label !== 'twin' && label !== 'duplicate') return '"label" is neither "twin" nor "duplicate"';
  if (!isText(kind)) return '"kind" is no text';
  return { id, a, b, label, kind };
}

/**
 * JSON Lines of PAIR_SHAPE. Empty lines are skipped and a byte order mark is allowed; an id may stand once.
 *
 * @returns the pairs in order, and every line that is none; a text without any pair is unreadable in its first line
 */
export function readPairs(text: string): { pairs: LabelledPair[]; unreadable: UnreadableLine[] } {
  const pairs: LabelledPair[] = [];
  const unreadable: UnreadableLine[] = [];
  const lineOf = new Map<string, number>();
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  for (const [index, content] of lines.entries()) {
    if (content.trim() === '') continue;
    const line = index + 1;
    const pair = readPair(content);
    if (typeof pair === 'string') {
      unreadable.push({ line, problem: pair });
    } else if (lineOf.has(pair.id)) {
      unreadable.push({ line, problem: `its "id" stands on line ${lineOf.get(pair.id)} already` });
    } else {
      lineOf.set(pair.id, line);
      pairs.push(pair);
    }
  }
  if (pairs.length === 0 && unreadable.length === 0) unreadable.push({ line: 1, problem: 'no pair at all' });
  return { pairs, unreadable };
}

/** Asked both ways round. When the answers differ, the one counts that is wrong for the label: order must not matter. */
function isMerged({ a, b, label }: LabelledPair, judge: DuplicateJudge): boolean {
  const answers = [judge({ content: a }, { content: b }), judge({ content: b }, { content: a })];
  return label === 'twin' ? answers.includes(true) : !answers.includes(false);
}

/** Exit condition and figures of a set. Every pair is taken as one of high similarity: the words alone decide. */
export function scorePairs(pairs: readonly LabelledPair[], judge: DuplicateJudge): TwinScore {
  const kinds = new Map<string, KindScore>();
  const wrong: TwinScore['wrong'] = [];
  for (const pair of pairs) {
    const { id, label, kind } = pair;
    const key = `${label} ${kind}`;
    const score = kinds.get(key) ?? { label, kind, pairs: 0, merged: 0, apart: 0 };
    kinds.set(key, score);
    const merged = isMerged(pair, judge);
    score.pairs += 1;
    score[merged ? 'merged' : 'apart'] += 1;
    if (merged !== (label === 'duplicate')) wrong.push({ id, label, kind });
  }
  const of = (label: PairLabel) => [...kinds.values()].filter((score) => score.label === label);
  const sum = (label: PairLabel, key: 'pairs' | 'merged') =>
    of(label).reduce((total, score) => total + score[key], 0);
  const twins = { pairs: sum('twin', 'pairs'), merged: sum('twin', 'merged') };
  const [asked, found] = [sum('duplicate', 'pairs'), sum('duplicate', 'merged')];
  const share = asked === 0 ? null : found / asked;
  return {
    kinds: [...of('twin'), ...of('duplicate')],
    twins,
    duplicates: { pairs: asked, found, share },
    wrong,
    holds: twins.merged === 0,
  };
}
