import { dayOf } from '../day.ts';
import { checkGate } from '../gate/gate.ts';
import type { Candidate } from '../memory.ts';
import { resolveRelativeDates } from '../reading/relative-dates.ts';
import type { ConflictSide } from './pair.ts';

/** The limit on what a run supersedes is its caller's. */
const NO_LIMIT = { latestCount: Number.MAX_SAFE_INTEGER, alreadySuperseded: 0 };

/**
 * Whether one memory holds everything that another one says: the loss gate, asked whether the first, with its relative dates resolved,
 * would do as a summary of both. In doubt it does not.
 */
export function holdsAll(wider: ConflictSide, narrower: ConflictSide): boolean {
  const { text } = resolveRelativeDates(wider.content, wider.documentDay ?? dayOf(wider.documentDate));
  const cluster = { members: [candidateOf(wider), candidateOf(narrower)], relations: [] };
  const verdict = checkGate(cluster, text, [1, 2], NO_LIMIT);
  return verdict.ok && verdict.coveredIds.length === 2;
}

/** The gate reads what was said and when; the rest of a candidate says nothing here. */
function candidateOf(side: ConflictSide): Candidate {
  const { workspace: _workspace, archived: _archived, ...shared } = side;
  return {
    ...shared,
    category: 'fact',
    importance: 5,
    confidence: 1,
    prominence: 0,
    confirmations: 0,
    createdAt: side.documentDate,
  };
}
