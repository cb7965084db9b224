import { dayOf } from '../day.ts';
import type { Candidate, Cluster } from '../memory.ts';
import type { FusionFailure } from '../ports.ts';
import { type Difference, inventedBy, lostFrom } from './coverage.ts';
import { pairingProblems } from './pairing.ts';
import { readTogether } from './reading.ts';
import { alignWords } from './replaced.ts';
import type { Statement } from './unit.ts';
import { isListOfNotes } from './verbatim.ts';

/** One run supersedes at most the larger of this many memories and this share of the user's latest ones. */
export const MIN_RUN_LIMIT = 16;
export const RUN_LIMIT_SHARE = 0.25;
/** A derived memory replaces at least this many sources. */
export const MIN_COVERED = 2;

export interface GateContext {
  /** How many of the user's memories are latest, taken when the run began. */
  latestCount: number;
  /** How many this run has superseded already. */
  alreadySuperseded: number;
}

/** Numbers only: these may be logged. */
export interface GateCounts {
  sources: number;
  claimed: number;
  covered: number;
  lostAtoms: number;
  lostWords: number;
  invented: number;
  /** Things that stand with something else than in their source. */
  mispaired: number;
  sourceChars: number;
  summaryChars: number;
}

/** What the repair request names. It holds memory text: it goes into a request and nowhere else. */
export interface GateMissing {
  lost: (Difference & { source: number })[];
  invented: Difference[];
}

export type GateVerdict =
  | { ok: true; coveredIds: string[]; counts: GateCounts }
  | { ok: false; reason: FusionFailure; counts: GateCounts; missing: GateMissing };

/** How many memories one run may supersede. */
export function runLimit(latestCount: number): number {
  return Math.max(MIN_RUN_LIMIT, Math.floor(latestCount * RUN_LIMIT_SHARE));
}

/**
 * Judges a summary before anything is superseded: shorter than its sources; every hard atom and content word of a covered source kept; no
 * hard atom that no source has; not too many at once. A source is covered when the model claims it and the code can verify it.
 *
 * @param coveredNumbers the sources that the model claims, numbered from 1 in the cluster's order.
 */
export function checkGate(
  cluster: Cluster,
  summary: string,
  coveredNumbers: number[],
  context: GateContext,
): GateVerdict {
  const claimed = [...new Set(coveredNumbers)].sort((one, other) => one - other);
  const counts: GateCounts = {
    sources: cluster.members.length,
    claimed: claimed.length,
    covered: 0,
    lostAtoms: 0,
    lostWords: 0,
    invented: 0,
    mispaired: 0,
    sourceChars: lengthOf(cluster.members),
    summaryChars: summary.length,
  };
  const missing: GateMissing = { lost: [], invented: [] };
  const fail = (reason: FusionFailure): GateVerdict => ({ ok: false, reason, counts, missing });
  const known = claimed.every((number) => cluster.members[number - 1] !== undefined);
  if (summary.trim() === '' || !known) return fail('invalid_output');
  if (summary.length >= counts.sourceChars) return fail('not_shorter'); // guard: gate-length

  const reading = readCluster(cluster.members, summary);
  const covered = claimed.filter((number) => {
    const lost = lostFrom(reading.sources[number - 1]!, reading.summary);
    for (const value of reading.unresolved[number - 1]!) lost.push({ kind: 'relative_date', value });
    for (const difference of lost) missing.lost.push({ source: number, ...difference });
    return lost.length === 0; // guard: gate-loss
  });
  counts.covered = covered.length;
  counts.lostWords = missing.lost.filter(({ kind }) => kind === 'word').length;
  counts.lostAtoms = missing.lost.length - counts.lostWords;
  missing.invented = [...inventedBy(reading.summary, reading.sources, reading.years), ...reading.pending];
  counts.invented = missing.invented.length;
  const notes = cluster.members.map(({ content }) => content);
  const paired = isListOfNotes(summary, notes) ? [] : pairingProblems(reading.summary, reading.sources);
  counts.mispaired = paired.length;
  missing.invented.push(...paired);

  if (counts.invented > 0) return fail('invented'); // guard: gate-invention
  if (paired.length > 0) return fail('fact_loss'); // guard: gate-pairing
  if (covered.length < MIN_COVERED) return fail(missing.lost.length > 0 ? 'fact_loss' : 'too_few_covered');
  const members = covered.map((number) => cluster.members[number - 1]!);
  // guard: gate-share
  if (context.alreadySuperseded + covered.length > runLimit(context.latestCount))
    return fail('share_exceeded');
  return { ok: true, coveredIds: members.map(({ id }) => id), counts };
}

function lengthOf(members: { content: string }[]): number {
  return members.reduce((sum, { content }) => sum + content.length, 0);
}

interface ClusterReading {
  sources: Statement[];
  /** Relative dates of each source that nothing resolves. */
  unresolved: string[][];
  summary: Statement;
  /** Relative dates that the summary left standing. */
  pending: Difference[];
  /** Years in which the sources were said. */
  years: Set<string>;
}

function readCluster(members: readonly Candidate[], summary: string): ClusterReading {
  const said = members.map(({ content, documentDay, documentDate }) => ({
    content,
    day: documentDay ?? dayOf(documentDate),
  }));
  const readings = readTogether([...said, { content: summary, day: null }]);
  const last = readings.pop()!;
  alignWords(
    readings.map(({ statement }) => statement),
    last.statement,
  );
  return {
    sources: readings.map(({ statement }) => statement),
    unresolved: readings.map(({ unresolved }) => unresolved),
    summary: last.statement,
    pending: last.unresolved.map((value) => ({ kind: 'relative_date', value })),
    years: new Set(said.flatMap(({ day }) => (day === null ? [] : [day.slice(0, 4)]))),
  };
}
