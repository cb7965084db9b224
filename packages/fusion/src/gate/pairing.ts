import { exchangedValues } from './binding.ts';
import { changedTenses } from './changed-tenses.ts';
import type { Difference } from './coverage.ts';
import { crossedStatements, novelNeighbours } from './crossing.ts';
import { exchangedDoers, exchangedObjects } from './doers.ts';
import { movedFocus } from './focus.ts';
import { exchangedCases, takenThings } from './foreign-owners.ts';
import { exchangedCounts, loneDenials, turnedReasons } from './foreign-pairing.ts';
import { exchangedAgents } from './foreign-roles.ts';
import { movedDenials, strayClauses, strayValues } from './guards-clauses.ts';
import { turnedComparisons, turnedDegrees, turnedExchanges } from './guards-comparisons.ts';
import { exchangedNeighbours } from './guards-neighbours.ts';
import { takenOperators } from './guards-operators.ts';
import { exchangedOwners } from './guards-owners.ts';
import { addedPhrases } from './guards-phrases.ts';
import { exchangedPlaces } from './guards-places.ts';
import { movedValues } from './guards-values.ts';
import { misheldFacts } from './holders.ts';
import { misnamed } from './naming.ts';
import { turnedParts } from './parts.ts';
import { misattributed } from './persons.ts';
import {
  changedCounts,
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
import { turnedKin } from './turned-kin.ts';
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
    turnedParts,
    exchangedValues,
    swappedValues,
    crossedStatements,
    novelNeighbours,
    strangersIn,
    misattributed,
    misheldFacts,
    misnamed,
    turnedWays,
    turnedKin,
    exchangedRoles,
    exchangedDoers,
    exchangedObjects,
    turnedDirections,
    changedCounts,
    reversedNames,
    turnedPreferences,
    exchangedPrepositions,
    changedTenses,
    unknownPointers,
    exchangedNeighbours,
    exchangedPlaces,
    turnedComparisons,
    turnedDegrees,
    turnedExchanges,
    movedValues,
    takenOperators,
    exchangedOwners,
    exchangedCounts,
    loneDenials,
    turnedReasons,
    exchangedAgents,
    exchangedCases,
    takenThings,
    strayClauses,
    strayValues,
    movedDenials,
    addedPhrases,
  ];
  return checks.flatMap((check) => check(summary, sources));
}
