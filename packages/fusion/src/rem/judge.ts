import { readStoredAnswer, type UnreadableAnswer } from '../answer.ts';
import { isSafeText } from '../fence.ts';
import type { StoredAnswer } from '../ports.ts';
import { readProfile } from '../reading/profile.ts';
import { isGrounded } from '../summaries/grounded.ts';
import { startOf } from '../summaries/sentences.ts';
import type { RemNode, RemSeed } from './config.ts';

/** In UTF-16 units. */
export const MAX_EXPLANATION_CHARS = 300;
/** A mean of 3 over the three scores, as their sum. */
const ACCEPTED_SUM = 9;

/** What was thought of one candidate. */
export interface RemVerdict {
  /** Of the candidate. */
  id: string;
  version: number;
  /** Integers, 1 to 5. */
  novelty: number;
  plausibility: number;
  usefulness: number;
  accepted: boolean;
  /** What connects the two; '' when rejected. */
  explanation: string;
}

/** candidates = judged + dropped. */
export interface RemJudgeCounts {
  candidates: number;
  judged: number;
  accepted: number;
  /** Candidates without a verdict that can be used. */
  dropped: number;
  /** Scored high enough, and rejected for an explanation that is missing or says what neither memory says. */
  unexplained: number;
}

export type RemJudgement =
  | { ok: true; verdicts: RemVerdict[]; counts: RemJudgeCounts }
  | { ok: false; reason: UnreadableAnswer };

/**
 * Judges a stored answer about one seed. Pure and repeatable.
 *
 * - A verdict is dropped when its number is no candidate's, when a score is missing, no integer or out of range, or when the same
 *   number has another verdict: the model contradicts itself or its place in the list, so none of them counts. The rest stays.
 * - An answer that leaves no verdict at all is `invalid_output`.
 * - Accepted from a mean of 3, if the explanation is there and holds no hard atom that neither memory has.
 *
 * Verdicts come in the order of the candidates.
 */
export function judgeRem(seed: RemSeed, answer: StoredAnswer): RemJudgement {
  const reading = readStoredAnswer(answer, ['verdicts']);
  if (!reading.ok) return reading;
  const items = reading.value.verdicts;
  if (!Array.isArray(items)) return { ok: false, reason: 'invalid_output' };
  const byNumber = new Map<unknown, unknown[]>();
  for (const item of items as unknown[]) {
    const number = (item as { n?: unknown } | null)?.n;
    const same = byNumber.get(number);
    if (same) same.push(item);
    else byNumber.set(number, [item]);
  }
  const counts: RemJudgeCounts = {
    candidates: seed.candidates.length,
    judged: 0,
    accepted: 0,
    dropped: 0,
    unexplained: 0,
  };
  const verdicts: RemVerdict[] = [];
  for (const [index, { node }] of seed.candidates.entries()) {
    const given = byNumber.get(index + 1) ?? [];
    const scores = given.length === 1 ? readScores(given[0]) : null;
    if (scores) verdicts.push(verdictOf(seed.seed, node, scores, counts));
  }
  if (verdicts.length === 0) return { ok: false, reason: 'invalid_output' };
  counts.judged = verdicts.length;
  counts.dropped = counts.candidates - counts.judged;
  counts.accepted = verdicts.filter(({ accepted }) => accepted).length;
  return { ok: true, verdicts, counts };
}

interface Scores {
  novelty: number;
  plausibility: number;
  usefulness: number;
  explanation: unknown;
}

function readScores(item: unknown): Scores | null {
  const { novelty, plausibility, usefulness, explanation } = item as Record<string, unknown>;
  const whole = isScore(novelty) && isScore(plausibility) && isScore(usefulness);
  return whole ? { novelty, plausibility, usefulness, explanation } : null;
}

function isScore(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 1 && (value as number) <= 5;
}

function verdictOf(seed: RemNode, node: RemNode, given: Scores, counts: RemJudgeCounts): RemVerdict {
  const { novelty, plausibility, usefulness } = given;
  const high = novelty + plausibility + usefulness >= ACCEPTED_SUM;
  const explanation = high ? readExplanation(given.explanation, seed, node) : '';
  if (high && explanation === '') counts.unexplained += 1;
  return {
    id: node.id,
    version: node.version,
    novelty,
    plausibility,
    usefulness,
    accepted: explanation !== '',
    explanation,
  };
}

/** The explanation, cut to its limit; '' when there is none that may stay. */
function readExplanation(value: unknown, seed: RemNode, node: RemNode): string {
  if (typeof value !== 'string' || !isSafeText(value) || !/[\p{L}\p{N}]/u.test(value)) return '';
  const whole = value.trim().replace(/\s+/g, ' ');
  const cut = whole.length > MAX_EXPLANATION_CHARS ? `${startOf(whole, MAX_EXPLANATION_CHARS - 1)}…` : whole;
  const sources = [readProfile(seed.content), readProfile(node.content)];
  // A cut can leave half of a number behind.
  return isGrounded(whole, sources) && (cut === whole || isGrounded(cut, sources)) ? cut : '';
}
