import type { Difference } from './coverage.ts';
import { byLanguage } from './lexicon/word-list.ts';
import type { Statement, Unit } from './unit.ts';

/** By language: what belongs to the one who speaks, and what to somebody else. */
const MINE = byLanguage({
  de: 'mein meine meinen meinem meiner meines unser unsere unseren unserem unserer',
  fr: 'mon ma mes notre nos',
  es: 'mi mis nuestro nuestra nuestros nuestras',
  it: 'mio mia miei mie nostro nostra nostri nostre',
  pt: 'meu minha meus minhas nosso nossa',
  nl: 'mijn ons onze',
  sv: 'min mitt mina vår vårt våra',
  ru: 'мой моя моё мои моего моей моих мою моим моими наш наша наше наши',
  pl: 'mój moja moje mojego mojej moich moją',
});
const THEIRS = byLanguage({
  de: 'sein seine seinen seinem seiner seines ihr ihre ihren ihrem ihrer ihres',
  fr: 'son sa ses leur leurs',
  es: 'su sus',
  it: 'suo sua suoi sue',
  pt: 'seu sua seus suas',
  nl: 'zijn haar hun',
  sv: 'hans hennes deras',
  ru: 'его её ее их',
  pl: 'jego jej ich',
});

/** "I water her flowers" told as "she waters my flowers": what is somebody else's in every source is the speaker's in the summary. */
export function takenThings(summary: Statement, sources: readonly Statement[]): Difference[] {
  const [mine, theirs] = [MINE.get(summary.language), THEIRS.get(summary.language)];
  if (!mine || !theirs) return [];
  const known = new Map<string, Set<string>>();
  for (const { keys, before } of sources.flatMap(({ units }) => units))
    for (const key of keys) known.set(key, (known.get(key) ?? new Set()).add(before));
  return summary.units
    .filter(({ keys, before, kind }) => {
      if (kind === 'operator' || !mine.has(before)) return false;
      const had = keys.flatMap((key) => [...(known.get(key) ?? [])]);
      return had.some((word) => theirs.has(word)) && !had.some((word) => mine.has(word));
    })
    .map(({ form }) => ({ kind: 'pairing', value: form }));
}

/** Languages that tell by the ending of a name who does it to whom. */
const CASED = new Set(['ru', 'pl']);

/** "Максим одолжил Ольге" told as "Ольга одолжила Максиму": both names of a verb have exchanged their cases. */
export function exchangedCases(summary: Statement, sources: readonly Statement[]): Difference[] {
  if (!CASED.has(summary.language)) return [];
  const named = new Set([summary, ...sources].flatMap((statement) => [...statement.named]));
  const known = sources.flatMap((source) => pairsOf(source, named));
  return pairsOf(summary, named)
    .filter(({ names: [one, other], words }) => {
      const same = known.filter(
        ({ names, words: others }) =>
          words.some((word) => others.some((more) => shares(word, more))) &&
          [one, other].every((name) => names.some((more) => shares(name, more))),
      );
      const changed = ({ names }: Pair): boolean =>
        [one, other].every((name) => names.every((more) => !shares(name, more) || name.form !== more.form));
      return same.length > 0 && same.every(changed);
    })
    .map(({ names: [one] }) => ({ kind: 'pairing', value: one.form }));
}

interface Pair {
  names: [Unit, Unit];
  words: Unit[];
}

/** Clauses with just two names, and what else they say. */
function pairsOf({ units }: Statement, named: ReadonlySet<string>): Pair[] {
  const clauses = new Map<number, Unit[]>();
  for (const unit of units) clauses.set(unit.clause, [...(clauses.get(unit.clause) ?? []), unit]);
  return [...clauses.values()].flatMap((all) => {
    const names = all.filter(({ keys }) => keys.some((key) => named.has(key)));
    const words = all.filter((unit) => unit.kind === 'word' && !unit.soft && !names.includes(unit));
    return names.length === 2 ? [{ names: [names[0]!, names[1]!], words }] : [];
  });
}

function shares(one: Unit, other: Unit): boolean {
  return one.keys.some((key) => other.keys.includes(key));
}
