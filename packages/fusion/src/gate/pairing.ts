import { exchangedValues } from './binding.ts';
import type { Difference } from './coverage.ts';
import { crossedStatements, novelNeighbours } from './crossing.ts';
import { movedFocus } from './focus.ts';
import { misheldFacts } from './holders.ts';
import { exchangedNeighbours, turnedParts } from './neighbours.ts';
import { misattributed } from './persons.ts';
import {
  changedCounts,
  changedTenses,
  exchangedPrepositions,
  exchangedRoles,
  reversedNames,
  turnedDirections,
  turnedPreferences,
  unknownPointers,
} from './roles.ts';
import { misplacedOperators } from './scope.ts';
import { strangersIn } from './strangers.ts';
import { swappedValues } from './swaps.ts';
import type { Statement } from './unit.ts';
import { turnedWays } from './ways.ts';

/** Beyond this many units in all the comparison is refused: it grows with their square. */
export const MAX_UNITS = 4_000;

/**
 * Everything that a summary says otherwise than its sources though all its words are there. Any of it refuses the whole summary: what stands
 * with the wrong thing is false, whichever source is left latest.
 */
export function pairingProblems(summary: Statement, sources: readonly Statement[]): Difference[] {
  const size = sources.reduce((sum, { units }) => sum + units.length, summary.units.length);
  if (size > MAX_UNITS) return [{ kind: 'pairing', value: '' }];
  const checks = [
    misplacedOperators,
    movedFocus,
    exchangedNeighbours,
    turnedParts,
    exchangedValues,
    swappedValues,
    crossedStatements,
    novelNeighbours,
    strangersIn,
    misattributed,
    misheldFacts,
    turnedWays,
    exchangedRoles,
    turnedDirections,
    changedCounts,
    reversedNames,
    turnedPreferences,
    exchangedPrepositions,
    changedTenses,
    unknownPointers,
  ];
  return checks.flatMap((check) => check(summary, sources));
}
