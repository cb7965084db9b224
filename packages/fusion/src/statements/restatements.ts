import { closenessOf } from '../closeness.ts';
import { runLimit } from '../limits.ts';
import { selectNodes } from '../links.ts';
import type { Candidate, Cluster } from '../memory.ts';
import { byDate, emptyCounts, type PlanOptions, pairKey } from '../plan-config.ts';
import type { Merge, Restating } from '../ports.ts';
import type { WrittenStatement } from './answer.ts';
import {
  countsOf,
  type DecideContext,
  type DecidedStatement,
  type LaneWord,
  type ProposalView,
  type StatementsVerdict,
  saidOf,
  viewsOf,
  wordOf,
} from './decide.ts';
import { type JudgedStatement, judgeStatements, type StatementJudge } from './verdicts.ts';

/** Pairs that one request of the judge asks about. */
const PAIRS_AT_ONCE = 4;
/** Requests about restatements that one run makes, at most; the next run goes on. */
const MAX_REQUESTS = 2;

interface Pair {
  statement: Candidate;
  note: Candidate;
  closeness: number;
}

/**
 * Requests about notes that may say a statement again, the closest pairs first. A note is asked about with its closest statement alone, and
 * a statement with one note a run: what it stands for must be settled before the next one is compared with it.
 */
export function planRestatements(
  candidates: Candidate[],
  restating: Restating | undefined,
  options: PlanOptions,
): Cluster[] {
  if (!restating) return [];
  const { statements, edges } = restating;
  const statementOf = new Map(statements.map((statement) => [statement.id, statement]));
  const nodes = selectNodes(candidates, options, emptyCounts(candidates.length, edges.length));
  const noteOf = new Map(nodes.map((note) => [note.id, note]));
  const apart = new Set((options.apart ?? []).map(({ a, b }) => pairKey(a, b)));
  const pairs = edges.flatMap((edge): Pair[] => {
    const [statement, note] = [statementOf.get(edge.a), noteOf.get(edge.b)];
    if (!statement || !note || !mayRestate(statement, note, options)) return [];
    const closeness = closenessOf(edge.words ?? 0, edge.weight, options.edgeThreshold);
    if (!(closeness >= options.minCloseness) || apart.has(pairKey(edge.a, edge.b))) return [];
    return options.isKnownSourceSet?.([statement, note]) ? [] : [{ statement, note, closeness }];
  });
  pairs.sort((one, other) => other.closeness - one.closeness || (keyOf(one) < keyOf(other) ? -1 : 1));
  const requests: Pair[][] = [];
  const taken = new Set<string>();
  for (const pair of pairs) {
    if (taken.has(pair.statement.id) || taken.has(pair.note.id)) continue;
    let request = requests.find(
      (found) => found.length < PAIRS_AT_ONCE && found[0]!.note.origin === pair.note.origin,
    );
    if (!request) {
      if (requests.length >= Math.min(MAX_REQUESTS, options.maxClusters)) continue;
      request = [];
      requests.push(request);
    }
    request.push(pair);
    taken.add(pair.statement.id).add(pair.note.id);
  }
  return requests.map(clusterOf);
}

/** One stands for the other only where both come from the same and may be seen by the same. */
function mayRestate(statement: Candidate, note: Candidate, options: PlanOptions): boolean {
  return (
    statement.origin === note.origin &&
    statement.visibility === note.visibility &&
    (options.crossCategory || statement.category === note.category) &&
    statement.content.length <= options.maxContentChars
  );
}

const keyOf = ({ statement, note }: Pair): string => pairKey(statement.id, note.id);

function clusterOf(pairs: readonly Pair[]): Cluster {
  const placed = pairs.flatMap(({ statement, note }, at) => [
    { member: statement, at },
    { member: note, at },
  ]);
  placed.sort((one, other) => byDate(one.member, other.member));
  return {
    members: placed.map(({ member }) => member),
    groups: placed.map(({ at }) => at),
    relations: [],
    restates: true,
  };
}

/** The pairs of such a request. @returns numbers of its members from 1 */
export function restatedPairs({ members, groups = [] }: Cluster): { statement: number; note: number }[] {
  const statements = new Map<number, number>();
  members.forEach(({ memoryType }, at) => {
    if (memoryType === 'derived') statements.set(groups[at]!, at + 1);
  });
  return members.flatMap(({ memoryType }, at) => {
    const statement = statements.get(groups[at]!);
    return memoryType === 'derived' || statement === undefined ? [] : [{ statement, note: at + 1 }];
  });
}

/** Each statement as it stands, as one of itself and of the note. */
function proposalsOf(cluster: Cluster): WrittenStatement[] {
  return restatedPairs(cluster).map(({ statement, note }) => ({
    sources: [statement, note],
    text: cluster.members[statement - 1]!.content,
  }));
}

/** What floor, repetition and votes say of each pair of such a request. @throws what the judge's `ask` throws */
export async function readRestatements(
  cluster: Cluster,
  judge: StatementJudge | null,
): Promise<ProposalView[]> {
  return viewsOf(cluster, await judgeStatements(cluster.members.map(saidOf), proposalsOf(cluster), judge));
}

/**
 * Decides about such a request. What is accepted loses nothing of the note, which the statement then stands for; where the note says more, both stay.
 *
 * @throws what the judge's `ask` throws
 */
export async function decideRestatements(
  cluster: Cluster,
  context: Omit<DecideContext, 'repairs'>,
): Promise<Extract<StatementsVerdict, { ok: true }>> {
  const { members } = cluster;
  const decided: DecidedStatement[] = [];
  const decide = (lane: LaneWord, sources: readonly number[]) => {
    decided.push({ lane, sourceIds: sources.map((number) => members[number - 1]!.id) });
  };
  const proposed = proposalsOf(cluster);
  const free = proposed.filter(({ sources }) => {
    if (!context.isKnown?.(sources.map((number) => members[number - 1]!))) return true; // guard: restated-known
    decide('known', sources);
    return false;
  });
  const judged = await judgeStatements(members.map(saidOf), free, context.judge, context.pause);
  const chosen: JudgedStatement[] = [];
  const room = runLimit(context.latestCount) - context.alreadySuperseded;
  for (const one of judged) {
    const isOver = one.verdict.accepted && chosen.length >= room; // guard: restated-share
    decide(isOver ? 'over_share' : wordOf(one.verdict), one.statement.sources);
    if (one.verdict.accepted && !isOver) chosen.push(one);
  }
  const merges = chosen.map(({ statement: { sources } }): Merge => {
    const [keep, drop] = sources;
    return { keepId: members[keep! - 1]!.id, dropId: members[drop! - 1]!.id };
  });
  const counts = { ...countsOf(cluster, proposed, judged, chosen), covered: merges.length };
  return { ok: true, derived: [], merges, conflicts: [], counts, decided };
}
