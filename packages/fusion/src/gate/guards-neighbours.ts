import type { Difference } from './coverage.ts';
import type { Statement, Unit } from './unit.ts';

/** Two things of one clause with no border and no third thing between them stand nearer than this. */
const BESIDE = 0.5;

interface Beside {
  one: Unit;
  other: Unit;
}

/**
 * Two things that have changed places though each of their neighbours stayed: "daughter Ines … Linden Street" told as "daughter Linden … Ines
 * Street", "every 12 hours … 30 days" as "every 30 hours … 12 days". Whatever the words mean and wherever they stand: of two pairs of
 * neighbours that the sources have the summary has neither, and it has both pairs that come of exchanging them.
 */
export function exchangedNeighbours(summary: Statement, sources: readonly Statement[]): Difference[] {
  const known = new Set<string>();
  const before = new Map<string, Set<string>>();
  const after = new Map<string, Set<string>>();
  const kinds = kindsOf(sources);
  for (const source of sources) {
    for (const { one, other } of neighboursIn(source)) {
      for (const first of one.keys) {
        for (const second of other.keys) {
          known.add(`${first} ${second}`).add(`${second} ${first}`);
          after.set(first, (after.get(first) ?? new Set()).add(second));
          before.set(second, (before.get(second) ?? new Set()).add(first));
        }
      }
    }
  }
  const turned = isPassive(summary) !== sources.some(isPassive);
  const said = new Set<string>();
  const pairs = neighboursIn(summary);
  for (const { one, other } of pairs)
    for (const first of one.keys) for (const second of other.keys) said.add(`${first} ${second}`);
  const problems: Difference[] = [];
  for (const { one, other } of pairs) {
    // A passive puts everything else beside its verb; who does it is compared by its "by".
    if (turned && one.verbal !== other.verbal) continue;
    if (one.keys.some((first) => other.keys.some((second) => known.has(`${first} ${second}`)))) continue;
    const wasAfter = partners(one, after);
    const wasBefore = partners(other, before);
    const exchanged = wasAfter.some((right) =>
      wasBefore.some(
        (left) =>
          left !== right &&
          // A day and a thing, or a name and a word, cannot have changed places: they have been told in another order.
          other.keys.some((key) => kinds.get(key) === kinds.get(right)) &&
          said.has(`${left} ${right}`) &&
          !known.has(`${left} ${right}`) &&
          !one.keys.some((key) => said.has(`${key} ${right}`)) &&
          !other.keys.some((key) => said.has(`${left} ${key}`)),
      ),
    );
    if (exchanged) problems.push({ kind: 'pairing', value: `${one.form} ${other.form}` });
  }
  return problems;
}

function isPassive({ units }: Statement): boolean {
  return units.some(({ before }) => before === 'by');
}

/** So many partners of one word are looked at: a word with more of them tells nothing. */
const MAX_PARTNERS = 12;

function kindsOf(sources: readonly Statement[]): Map<string, Unit['kind']> {
  const kinds = new Map<string, Unit['kind']>();
  for (const { units } of sources)
    for (const { keys, kind } of units) for (const key of keys) kinds.set(key, kind);
  return kinds;
}

function partners(unit: Unit, table: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  const found = unit.keys.flatMap((key) => [...(table.get(key) ?? [])]);
  return found.length > MAX_PARTNERS ? [] : found;
}

function neighboursIn({ units }: Statement): Beside[] {
  const pairs: Beside[] = [];
  let one: Unit | null = null;
  for (const other of units) {
    if (other.kind === 'quote' || isSilent(other)) continue;
    if (other.kind === 'operator') {
      one = null;
      continue;
    }
    if (one && one.clause === other.clause && other.axis - one.axis < BESIDE) pairs.push({ one, other });
    one = other;
  }
  return pairs;
}

/** A word for the user or of saying may come and go between two others. */
function isSilent(unit: Unit): boolean {
  return unit.keys[0] === 'user' || (unit.soft && unit.frame);
}
