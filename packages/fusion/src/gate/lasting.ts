import { lemmaOf } from './lemma.ts';
import { type Statement, sharesKey, type Unit } from './unit.ts';

const LASTING = new Set(['remain', 'stay'].map(lemmaOf));

/** "They broke up in 2020, but remained friends" is "they remained friends after they broke up in 2020": what remains was there before and is there after. */
export function isLasting(after: Unit, summary: Statement, sources: readonly Statement[]): boolean {
  const said = summary.units.filter((unit) => unit.clause === after.clause && isTelling(unit));
  const first = said.filter(({ word }) => word > after.word);
  const second = said.filter(({ word }) => word < after.word);
  const remains = second.find(({ keys }) => LASTING.has(keys[0]!));
  if (!remains) return false;
  return sources.some(({ units, openings, sentenceOf }) =>
    units.some(({ keys, clause, sentence }) => {
      if (!sharesKeys(keys, remains) || openings.get(clause) !== 'but') return false;
      const [own, before] = [clause, clause - 1].map((which) =>
        units.filter((unit) => unit.clause === which),
      );
      return (
        sentenceOf.get(clause - 1) === sentence &&
        own!.every(({ kind }) => kind !== 'operator') &&
        isIn(second, own!) &&
        isIn(first, before!)
      );
    }),
  );
}

function sharesKeys(keys: readonly string[], unit: Unit): boolean {
  return unit.keys.some((key) => keys.includes(key));
}

/** Not who it is that remains: somebody's name may stand elsewhere. */
function isTelling({ kind, soft, person }: Unit): boolean {
  return kind !== 'operator' && !soft && (kind !== 'name' || person === null);
}

function isIn(units: readonly Unit[], others: readonly Unit[]): boolean {
  return units.length > 1 && units.every((unit) => others.some((other) => sharesKey(unit, other)));
}
