import type { Difference } from './coverage.ts';
import type { Statement, Unit } from './unit.ts';

const NAMING = new Set(['called', 'named']);

/**
 * Names that the summary gives to something else than the sources do: "the detective is called Bruno" where Bruno is the name of the
 * detective's rival. What only stands before another noun ("the detective's rival") is not what is named.
 */
export function misnamed(summary: Statement, sources: readonly Statement[]): Difference[] {
  if (summary.language !== 'en') return [];
  const known = new Map<string, Set<string>>();
  for (const { name, heads } of sources.flatMap(namingsOf)) {
    const same = known.get(name.keys[0]!) ?? new Set<string>();
    known.set(name.keys[0]!, same);
    for (const { keys } of heads) for (const key of keys) same.add(key);
  }
  return namingsOf(summary)
    .filter(({ name, heads }) => {
      const wanted = known.get(name.keys[0]!);
      return wanted !== undefined && !heads.some(({ keys }) => keys.some((key) => wanted.has(key)));
    })
    .map(({ name }) => ({ kind: 'pairing', value: name.form }));
}

/** Each name behind "called" with what may bear it: the words before it in its clause, without those that only belong to another. */
function namingsOf({ units }: Statement): { name: Unit; heads: Unit[] }[] {
  const namings: { name: Unit; heads: Unit[] }[] = [];
  for (const [at, name] of units.entries()) {
    if (name.kind !== 'name' || !NAMING.has(name.before)) continue;
    const heads: Unit[] = [];
    for (let before = at - 1; before >= 0 && units[before]!.clause === name.clause; before -= 1) {
      const unit = units[before]!;
      const belongs = before + 1 < at && units[before + 1]!.before === unit.form;
      if (unit.kind === 'word' && unit.keys[0] !== 'user' && !belongs) heads.push(unit);
    }
    if (heads.length > 0) namings.push({ name, heads });
  }
  return namings;
}
