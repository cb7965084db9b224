import { lemmaOf } from './lemma.ts';
import { SLOTS } from './lexicon/classes.ts';
import { isAtomKind, type Statement, type Unit } from './unit.ts';

const SLOT_OF = new Map<string, string>();
for (const [index, words] of SLOTS.entries()) {
  for (const word of words.map(lemmaOf)) if (!SLOT_OF.has(word)) SLOT_OF.set(word, `slot${index}`);
}

/** The kind of value that a unit is, when two of its kind could change places: dates, names, amounts of one unit, colours, meals. */
export function slotOf(unit: Unit): string | null {
  if (unit.kind === 'number') {
    const space = unit.form.indexOf(' ');
    return space === -1 ? 'number' : `number${unit.form.slice(space)}`;
  }
  if (unit.kind === 'name') return unit.person === null ? 'name' : null;
  if (isAtomKind(unit.kind)) return unit.kind;
  return unit.kind === 'word' ? (SLOT_OF.get(unit.keys[0]!) ?? null) : null;
}

/** The units of a text that are values, by kind. */
export function valuesOf(
  statement: Statement,
  listed: ReadonlyMap<string, string> = new Map(),
): Map<string, Unit[]> {
  const values = new Map<string, Unit[]>();
  for (const unit of statement.units) {
    const slot = slotOf(unit) ?? (unit.kind === 'word' ? (listed.get(unit.keys[0]!) ?? null) : null);
    if (slot === null) continue;
    const same = values.get(slot);
    if (same) same.push(unit);
    else values.set(slot, [unit]);
  }
  return values;
}

/**
 * Words that stand in one list are of one kind, whatever it is: "Emre, Can und Levent". Only where no names tell.
 *
 * @returns for each word's key the list.
 */
export function listedTogether(sources: readonly Statement[]): Map<string, string> {
  const listed = new Map<string, string>();
  for (const [number, { units, language }] of sources.entries()) {
    if (language === 'en') continue;
    for (const [index, unit] of units.entries()) {
      const before = units[index - 1];
      const alone = unit.clause !== before?.clause && unit.clause !== units[index + 1]?.clause;
      if (!before || !alone || before.sentence !== unit.sentence || before.clause !== unit.clause - 1)
        continue;
      if (before.kind !== 'word' || unit.kind !== 'word' || before.soft || unit.soft) continue;
      const list = listed.get(before.keys[0]!) ?? `list${number}.${index}`;
      for (const { keys } of [before, unit]) if (!listed.has(keys[0]!)) listed.set(keys[0]!, list);
    }
  }
  return listed;
}
