import { checkGateInSlices, type GateVerdict } from '../gate/gate.ts';
import type { SaidText } from '../gate/hard-facts.ts';
import { readVotes, type Vote } from '../judge/answer.ts';
import { canariesFor } from '../judge/canaries.ts';
import { judgeItemsInSlices, type KeyedHash } from '../judge/items.ts';
import { buildJudgeRequest } from '../judge/request.ts';
import type { CompletionRequest, StoredAnswer } from '../ports.ts';
import type { Slices } from '../slices.ts';
import type { WrittenStatement } from './answer.ts';

/** What a question beside the one of the writer is for. */
export type JudgePurpose = 'vote-1' | 'vote-2' | 'repair';

/** A question to the judge, or to the writer once more. */
export interface JudgeQuestion {
  purpose: JudgePurpose;
  /** What makes it this question: the same text for the same statements, whatever ids and order the request shows. Holds memory text. */
  about: string;
  request: CompletionRequest;
}

/** The judge of one fusion: what it needs to ask, and to find what it was answered before. */
export interface StatementJudge {
  /** Whether it has passed its exam; else every statement needs both votes. */
  isExamined: boolean;
  /** Keyed with a secret, so that no text can foresee ids, order and canaries. */
  hash: KeyedHash;
  /**
   * Finds the stored answer of exactly this question, or asks and stores it before anything is made of it.
   * @throws ModelError as a provider does
   */
  ask(question: JudgeQuestion): Promise<StoredAnswer>;
}

/** A proposed statement and what floor, repetition and votes make of it. Holds memory text. */
export interface JudgedStatement {
  statement: WrittenStatement;
  verdict: GateVerdict;
  /** In order; none where the floor or repetition decided. */
  votes: readonly Vote[];
}

/**
 * Judges the statements of a cluster: floor and repetition by code, everything else by votes. Votes that are needed are asked for together,
 * so that in a batch they are one round. Without a judge only repetitions are accepted.
 *
 * @param cluster what its members say and when, in order
 * @param pause awaited before each statement is compared with its sources, and between the slices of that and of what the judge is shown
 * @throws what the judge's `ask` throws, after both votes were asked for; what `pause` throws
 */
export async function judgeStatements(
  cluster: readonly SaidText[],
  statements: readonly WrittenStatement[],
  judge: StatementJudge | null,
  pause: () => Promise<void> = async () => undefined,
): Promise<JudgedStatement[]> {
  const isExamined = judge?.isExamined ?? false;
  const sourcesOf = (statement: WrittenStatement) =>
    inOrderOfSaying(cluster, statement.sources).map((number) => cluster[number - 1]!);
  const verdictOn = (statement: WrittenStatement, votes: readonly Vote[]): Promise<GateVerdict> =>
    paused(checkGateInSlices(sourcesOf(statement), statement.text, votes, { isExamined }), pause);
  const first: JudgedStatement[] = [];
  for (const statement of statements) {
    first.push({ statement, verdict: await verdictOn(statement, []), votes: [] });
  }
  const open = first.filter(({ verdict }) => verdict.lane === 'open');
  if (judge === null || open.length === 0) return first;
  // What the judge is shown, and nothing else: ids and canaries follow from it, and so a stored answer is found again.
  const shown = cluster.map(({ content, day }): SaidText => ({ content, day }));
  const everything = inOrderOfSaying(
    shown,
    shown.map((_, at) => at + 1),
  );
  const canaries = canariesFor(
    everything.map((number) => shown[number - 1]!),
    judge.hash,
  );
  const votesOn = async (asked: readonly JudgedStatement[], vote: 1 | 2): Promise<Vote[]> => {
    if (asked.length === 0) return [];
    const proposed = asked.map(({ statement: { text, sources } }) => ({
      text,
      sources: inOrderOfSaying(cluster, sources).map((number) => number - 1),
    }));
    const items = await paused(judgeItemsInSlices(shown, proposed, canaries, judge.hash), pause);
    const answer = await judge.ask({
      purpose: `vote-${vote}`,
      about: JSON.stringify(proposed),
      request: buildJudgeRequest(items, { vote }),
    });
    return readVotes(items, asked.length, answer);
  };
  const twice = open.filter(({ verdict }) => verdict.lane === 'open' && verdict.needed === 2);
  const [votes, again] = await allOf([() => votesOn(open, 1), () => votesOn(twice, 2)]);
  const judged: JudgedStatement[] = [];
  for (const one of first) {
    const at = open.indexOf(one);
    const second = again![twice.indexOf(one)];
    if (at === -1) judged.push(one);
    else {
      const given = [votes![at]!, ...(second ? [second] : [])];
      judged.push({ ...one, verdict: await verdictOn(one.statement, given), votes: given });
    }
  }
  return judged;
}

async function paused<Result>(slices: Slices<Result>, pause: () => Promise<void>): Promise<Result> {
  for (;;) {
    await pause();
    const slice = slices.next();
    if (slice.done) return slice.value;
  }
}

/**
 * Numbers of sources by day and words: so the same texts make the same request, whatever ids gave the cluster its order.
 * @param numbers from 1
 */
export function inOrderOfSaying(cluster: readonly SaidText[], numbers: readonly number[]): number[] {
  const keyOf = (number: number): string => {
    const { day, content } = cluster[number - 1]!;
    return `${day ?? ''} ${content}`;
  };
  return [...numbers].sort((one, other) =>
    keyOf(one) < keyOf(other) ? -1 : keyOf(one) > keyOf(other) ? 1 : one - other,
  );
}

/** One after the other, all of them even where one fails: a question that is put off must not put off the next. @throws the first failure */
async function allOf<T>(works: readonly (() => Promise<T>)[]): Promise<T[]> {
  const results: T[] = [];
  const failures: unknown[] = [];
  for (const work of works) {
    try {
      results.push(await work());
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
  return results;
}
