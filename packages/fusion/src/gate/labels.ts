import { type Statement, sharesKey, type Unit } from './unit.ts';

/** A number in a text and what stands right before it. */
interface Labelled {
  unit: Unit;
  label: Unit | undefined;
  text: number;
}

/** By key, every place of a number in some texts. */
export type Labels = ReadonlyMap<string, readonly Labelled[]>;

/** The numbers of texts with the words right before them: "order 881", "week 33". */
export function labelsIn(texts: readonly Statement[]): Labels {
  const labels = new Map<string, Labelled[]>();
  for (const [text, { units }] of texts.entries()) {
    for (const [at, unit] of units.entries()) {
      if (unit.kind !== 'number') continue;
      const before = units[at - 1];
      const label =
        before?.word === unit.word - 1 && (before.kind === 'word' || before.kind === 'name')
          ? before
          : undefined;
      const same = labels.get(unit.keys[0]!) ?? [];
      labels.set(unit.keys[0]!, same);
      same.push({ unit, label, text });
    }
  }
  return labels;
}

/**
 * Whether two numbers each stand behind a label of their own wherever they stand, one of them for what several notes tell of: "order 881: oak, in week
 * 33" and "order 881 arrived". One sentence has both, so that they belong to one thing.
 */
export function areLabelled(one: Unit, other: Unit, sources: Labels, summary: Labels): boolean {
  const [mine, theirs] = [one, other].map((unit) => sources.get(unit.keys[0]!) ?? []);
  const labels = [mine!, theirs!].map((places) => places[0]?.label);
  if (!labels[0] || !labels[1] || sharesKey(labels[0], labels[1])) return false;
  const told = [mine!, theirs!].some((places) => new Set(places.map(({ text }) => text)).size > 1);
  const together = mine!.some(({ text, unit }) =>
    theirs!.some((place) => place.text === text && place.unit.sentence === unit.sentence),
  );
  return (
    told &&
    together &&
    [mine!, theirs!].every((places, index) => {
      const said = summary.get(places[0]!.unit.keys[0]!) ?? [];
      return [...places, ...said].every(({ label }) => label && sharesKey(label, labels[index]!));
    })
  );
}
