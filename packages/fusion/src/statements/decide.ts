import { type ReportedConflict, readStoredAnswer } from '../answer.ts';
import { dayOf } from '../day.ts';
import { deriveMemory, type FusionTier } from '../derive.ts';
import type { SaidText } from '../gate/hard-facts.ts';
import type { VoteRefusal } from '../judge/answer.ts';
import { runLimit } from '../limits.ts';
import type { Candidate, Cluster } from '../memory.ts';
import type { DerivedMemory, FusionFailure, Merge, ReportedPair, StoredAnswer } from '../ports.ts';
import { parseStatements, STATEMENTS_KEYS, type StatementsProblem, type WrittenStatement } from './answer.ts';
import { buildStatementsRepair, type StatementFault } from './prompt.ts';
import { inOrderOfSaying, type JudgedStatement, judgeStatements, type StatementJudge } from './verdicts.ts';

/** Why a proposed statement was accepted or not, in one word. */
export type LaneWord =
  /** Not as asked: too long, no shorter than its sources, a source twice. */
  | 'form'
  | 'repeat'
  | 'judged'
  | 'floor'
  | 'no_judge'
  /** Undone or refused by a person before, of these very sources. */
  | 'known'
  | 'over_share'
  | 'lost'
  | 'added'
  | 'differs'
  /** The judge's answer was of no use: see VoteRefusal. */
  | 'canary'
  | 'unreadable'
  | 'refused'
  | 'truncated'
  | 'incomplete'
  | 'misquoted';

/** Numbers only: these may be logged. */
export interface GateCounts {
  sources: number;
  claimed: number;
  covered: number;
  lostAtoms: number;
  lostWords: number;
  invented: number;
  /** Things that a judge found told otherwise. */
  mispaired: number;
  sourceChars: number;
  summaryChars: number;
}

/** What became of one proposed statement. Ids and words only: these may be logged. */
export interface DecidedStatement {
  lane: LaneWord;
  /** Of the memories that it would join; none where it could not be read. */
  sourceIds: string[];
}

/** How many statements went which way. Numbers only: these may be logged. */
export type LaneCounts = Partial<Record<LaneWord, number>>;

export function countLanes(statements: readonly Pick<DecidedStatement, 'lane'>[]): LaneCounts {
  const lanes: LaneCounts = {};
  for (const { lane } of statements) lanes[lane] = (lanes[lane] ?? 0) + 1;
  return lanes;
}

export interface DecideContext {
  tier: FusionTier;
  /** The instant of the job, epoch milliseconds. */
  at: number;
  /** How many of the user's memories are latest, and how many this run has superseded already. */
  latestCount: number;
  alreadySuperseded: number;
  /** Null: only repetitions are joined. */
  judge: StatementJudge | null;
  /** Whether a statement of exactly these sources was taken back or turned down before. */
  isKnown?: ((members: Candidate[]) => boolean) | undefined;
  /** Whether the writer may be asked to mend what was not accepted. */
  repairs: boolean;
  /** Awaited before each statement is compared with its sources; what it throws ends the decision. */
  pause?: () => Promise<void>;
}

/** What a stored answer of the writer comes to. */
export type StatementsVerdict =
  | {
      ok: true;
      /** One for each accepted statement; none is a good answer too. */
      derived: DerivedMemory[];
      /** Notes that say a statement again. */
      merges: Merge[];
      conflicts: ReportedPair[];
      counts: GateCounts;
      /** One for each that was proposed, accepted or not. */
      decided: DecidedStatement[];
    }
  | { ok: false; reason: FusionFailure; problem?: StatementsProblem };

/**
 * Decides about a stored answer of the writer: how it ended, its shape, floor, repetition and judge, one request to mend what was refused,
 * and how much one run may supersede. Repeatable: every further answer is stored before it is used. Sources in a reported conflict are left
 * alone until somebody settles it.
 *
 * @throws what the judge's `ask` throws; what `pause` throws
 */
export async function decideStatements(
  cluster: Cluster,
  stored: StoredAnswer,
  context: DecideContext,
): Promise<StatementsVerdict> {
  if (stored.stopReason === 'refusal') return { ok: false, reason: 'refused' };
  if (stored.stopReason === 'max_tokens') return { ok: false, reason: 'truncated' };
  const contents = cluster.members.map(({ content }) => content);
  const reading = parseStatements(stored.text, contents);
  if (!reading.ok) return { ok: false, reason: 'invalid_output', problem: reading.problem };
  const conflicts = reading.answer.conflicts;
  const disputed = disputedIn(conflicts);
  const { problems } = reading.answer;
  const decided: DecidedStatement[] = problems.map(() => ({ lane: 'form', sourceIds: [] }));
  const membersOf = (sources: readonly number[]) => sources.map((number) => cluster.members[number - 1]!);
  const decide = (lane: LaneWord, sources: readonly number[]) => {
    decided.push({ lane, sourceIds: membersOf(sources).map(({ id }) => id) });
  };
  const isFree = ({ sources }: { sources: readonly number[] }): boolean => {
    if (sources.some((number) => disputed.has(number))) return false; // guard: statement-disputed
    // guard: statement-known
    if (context.isKnown?.(membersOf(sources))) {
      decide('known', sources);
      return false;
    }
    return true;
  };
  const said = cluster.members.map(saidOf);
  const free = reading.answer.statements.filter(isFree);
  const judged = await judgeStatements(said, free, context.judge, context.pause);
  const accepted = judged.filter(({ verdict }) => verdict.accepted);
  const refused = judged.filter(({ verdict }) => !verdict.accepted);
  const mended = await mend(cluster, said, { accepted, refused, isFree }, context);
  const chosen: JudgedStatement[] = [];
  let room = runLimit(context.latestCount) - context.alreadySuperseded;
  for (const one of [...accepted, ...(mended ?? refused)]) {
    const { sources } = one.statement;
    // guard: statement-share
    if (one.verdict.accepted && sources.length > room) {
      decide('over_share', sources);
      continue;
    }
    decide(wordOf(one.verdict), sources);
    if (!one.verdict.accepted) continue;
    room -= sources.length;
    chosen.push(one);
  }
  const derived = chosen.map(({ statement: { sources, text } }) => {
    const members = membersOf(sources);
    const coveredIds = members.map(({ id }) => id);
    return deriveMemory({ members, relations: [] }, { summary: text, coveredIds }, context);
  });
  const idOf = (number: number): string => cluster.members[number - 1]!.id;
  return {
    ok: true,
    derived,
    merges: [],
    conflicts: conflicts.map(({ a, b, kind, slot }) => ({ a: idOf(a), b: idOf(b), kind, slot })),
    counts: countsOf(cluster, reading.answer.statements, judged, chosen),
    decided,
  };
}

/** Numbers of the sources that stand in a reported conflict. */
const disputedIn = (conflicts: readonly ReportedConflict[]): Set<number> =>
  new Set(conflicts.flatMap(({ a, b }) => [a, b]));

export const saidOf = ({ content, documentDay, documentDate, category, ...times }: Candidate): SaidText => ({
  content,
  day: documentDay ?? dayOf(documentDate),
  isEvent: category === 'event' || hasTime(times), // guard: repeat-event
});

const hasTime = ({ eventDate, validFrom, validTo }: Pick<Candidate, 'eventDate' | 'validFrom' | 'validTo'>) =>
  eventDate !== null || validFrom !== null || validTo !== null;

/** A proposed statement with what became of it, for people. Holds memory text. */
export interface ProposalView {
  text: string;
  sourceIds: string[];
  accepted: boolean;
  lane: LaneWord;
  /** What was lost or added, in the words of floor or judge. */
  details: string[];
  /** The judge's, in order; none where the floor or repetition decided. */
  votes: VoteView[];
  /** The writer made it of what was refused before. */
  mended: boolean;
}

/** One vote on a proposed statement. Holds memory text. */
export interface VoteView {
  lane: 'same' | VoteRefusal;
  details: string[];
}

/**
 * What a stored answer proposed and what floor, repetition and votes say of each statement, and then the same of what the writer mended.
 * Statements of sources in a conflict that the answer reports are left out: they are not judged.
 * @returns null where the answer cannot be read
 * @throws what the judge's `ask` throws
 */
export async function readProposals(
  cluster: Cluster,
  stored: StoredAnswer,
  judge: StatementJudge | null,
): Promise<ProposalView[] | null> {
  const reading = parseStatements(
    stored.text,
    cluster.members.map(({ content }) => content),
  );
  if (!reading.ok) return null;
  const { statements, conflicts } = reading.answer;
  const disputed = disputedIn(conflicts);
  // The votes were asked for about these statements alone.
  const isFree = ({ sources }: { sources: readonly number[] }) =>
    !sources.some((number) => disputed.has(number));
  const said = cluster.members.map(saidOf);
  const judged = await judgeStatements(said, statements.filter(isFree), judge);
  const accepted = judged.filter(({ verdict }) => verdict.accepted);
  const refused = judged.filter(({ verdict }) => !verdict.accepted);
  const mended = await mend(cluster, said, { accepted, refused, isFree }, { judge, repairs: true });
  return [...viewsOf(cluster, judged), ...viewsOf(cluster, mended ?? [], { mended: true })];
}

export function viewsOf(
  cluster: Cluster,
  judged: readonly JudgedStatement[],
  { mended } = { mended: false },
): ProposalView[] {
  return judged.map(({ statement, verdict, votes }) => ({
    text: statement.text,
    sourceIds: statement.sources.map((number) => cluster.members[number - 1]!.id),
    accepted: verdict.accepted,
    lane: wordOf(verdict),
    details: detailsOf(verdict),
    votes: votes.map((vote) =>
      vote.ok ? { lane: 'same', details: [] } : { lane: vote.reason, details: vote.details },
    ),
    mended,
  }));
}

function detailsOf(verdict: JudgedStatement['verdict']): string[] {
  if (verdict.lane === 'floor') return verdict.problems.map(({ value }) => value);
  return verdict.lane === 'judge' && !verdict.accepted ? verdict.details : [];
}

/** Asks for what was refused once more, where the writer can do something about it. @returns null when nobody was asked, or nothing came */
async function mend(
  cluster: Cluster,
  said: readonly SaidText[],
  of: {
    accepted: readonly JudgedStatement[];
    refused: readonly JudgedStatement[];
    isFree: (statement: { sources: readonly number[] }) => boolean;
  },
  { judge, repairs, pause }: Pick<DecideContext, 'judge' | 'repairs' | 'pause'>,
): Promise<JudgedStatement[] | null> {
  const drafts = of.refused.flatMap((one) => {
    const faults = faultsOf(said, one);
    return faults.length > 0 ? [{ statement: one.statement, faults }] : [];
  });
  if (judge === null || !repairs || drafts.length === 0) return null;
  const taken = new Set(of.accepted.flatMap(({ statement }) => statement.sources));
  const answer = await judge.ask({
    purpose: 'repair',
    about: JSON.stringify(drafts),
    request: buildStatementsRepair(cluster, drafts, taken),
  });
  if (!readStoredAnswer(answer, STATEMENTS_KEYS).ok) return null;
  const contents = cluster.members.map(({ content }) => content);
  const reading = parseStatements(answer.text, contents, taken);
  if (!reading.ok || reading.answer.statements.length === 0) return null;
  return judgeStatements(said, reading.answer.statements.filter(of.isFree), judge, pause);
}

/** What the writer is told about a refused statement; nothing where the judge's answer was of no use. */
function faultsOf(said: readonly SaidText[], { statement, verdict }: JudgedStatement): StatementFault[] {
  if (verdict.lane === 'floor') {
    const numbers = inOrderOfSaying(said, statement.sources);
    return verdict.problems.map(({ problem, source, value }) => ({
      problem,
      source: source === null ? null : numbers[source - 1]!,
      value,
    }));
  }
  if (verdict.lane !== 'judge' || verdict.accepted) return [];
  const problem = { lost: 'lost', added: 'invented', differs: 'differs' } as const;
  const { reason, details } = verdict;
  if (reason !== 'lost' && reason !== 'added' && reason !== 'differs') return [];
  return details.map((value) => ({ problem: problem[reason], source: null, value }));
}

export function wordOf(verdict: JudgedStatement['verdict']): LaneWord {
  switch (verdict.lane) {
    case 'repeat':
    case 'floor':
      return verdict.lane;
    case 'open':
      return 'no_judge';
    case 'judge':
      return verdict.accepted ? 'judged' : verdict.reason;
  }
}

/** @param proposed all of them, and `chosen` those that are accepted */
export function countsOf(
  cluster: Cluster,
  proposed: readonly WrittenStatement[],
  judged: readonly JudgedStatement[],
  chosen: readonly JudgedStatement[],
): GateCounts {
  const numbers = chosen.flatMap(({ statement }) => statement.sources);
  const problems = judged.flatMap(({ verdict }) => (verdict.lane === 'floor' ? verdict.problems : []));
  const votes = judged.flatMap(({ verdict }) =>
    verdict.lane === 'judge' && !verdict.accepted ? [verdict.reason] : [],
  );
  const sum = (lengths: readonly number[]) => lengths.reduce((total, length) => total + length, 0);
  return {
    sources: cluster.members.length,
    claimed: sum(proposed.map(({ sources }) => sources.length)),
    covered: numbers.length,
    lostAtoms: problems.filter(({ problem }) => problem === 'lost').length,
    lostWords: votes.filter((reason) => reason === 'lost').length,
    invented:
      problems.filter(({ problem }) => problem === 'invented').length +
      votes.filter((reason) => reason === 'added').length,
    mispaired: votes.filter((reason) => reason === 'differs').length,
    sourceChars: sum(numbers.map((number) => cluster.members[number - 1]!.content.length)),
    summaryChars: sum(chosen.map(({ statement }) => statement.text.length)),
  };
}
