import type { Vote, VoteRefusal } from '../judge/answer.ts';
import { flagsInSlices } from '../judge/flags.ts';
import { inOneGo, type Slices } from '../slices.ts';
import { isRepeat } from './fast-lane.ts';
import { type FloorProblem, floorProblemsInSlices } from './floor.ts';
import type { SaidText } from './hard-facts.ts';

/** How a statement came to its verdict: by the floor, by word-for-word repetition, by the judge's votes, or not yet. */
export type GateVerdict =
  | { lane: 'floor'; accepted: false; problems: FloorProblem[] }
  | { lane: 'repeat'; accepted: true }
  | { lane: 'judge'; accepted: true }
  | { lane: 'judge'; accepted: false; reason: VoteRefusal; details: string[] }
  /** `needed` votes in all; those given so far say yes. */
  | { lane: 'open'; accepted: false; needed: 1 | 2 };

export interface GateOptions {
  /** False while the judge has not passed its exam: every statement then needs both votes. */
  isExamined: boolean;
}

/** Whether a statement may take the place of its sources, given what the judge has said so far, in order of the votes. */
export function checkGate(
  sources: readonly SaidText[],
  statement: string,
  votes: readonly Vote[],
  options: GateOptions,
): GateVerdict {
  return inOneGo(checkGateInSlices(sources, statement, votes, options));
}

/** As checkGate, in slices: to read long sources takes longer than others can wait. */
export function* checkGateInSlices(
  sources: readonly SaidText[],
  statement: string,
  votes: readonly Vote[],
  { isExamined }: GateOptions,
): Slices<GateVerdict> {
  const problems = yield* floorProblemsInSlices(sources, statement);
  if (problems.length > 0) return { lane: 'floor', accepted: false, problems }; // guard: gate-floor
  if (isRepeat(sources, statement)) return { lane: 'repeat', accepted: true };
  const veto = votes.find((vote) => !vote.ok);
  if (veto) return { lane: 'judge', accepted: false, reason: veto.reason, details: veto.details }; // guard: gate-veto
  const contents = sources.map(({ content }) => content);
  const needed = !isExamined || (yield* flagsInSlices(contents, statement)).size > 0 ? 2 : 1;
  return votes.length >= needed
    ? { lane: 'judge', accepted: true }
    : { lane: 'open', accepted: false, needed };
}
