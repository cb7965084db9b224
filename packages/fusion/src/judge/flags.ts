import { flagKindsInSlices, languageOfAll } from '../gate/difference-words.ts';
import { extractAtoms } from '../reading/atoms.ts';
import { languageOf } from '../reading/languages/all.ts';
import { inOneGo, type Slices } from '../slices.ts';

/** Why a statement needs a second vote. */
export type Flag =
  | 'negation'
  | 'quantity'
  | 'modality'
  | 'condition'
  | 'cause'
  | 'comparison'
  | 'names'
  | 'amounts'
  | 'language';

/** What in a statement or its sources is easily misread: such a statement needs two votes. */
export function flagsOf(sources: readonly string[], statement: string): Set<Flag> {
  return inOneGo(flagsInSlices(sources, statement));
}

/** As flagsOf, a text in each slice. */
export function* flagsInSlices(sources: readonly string[], statement: string): Slices<Set<Flag>> {
  const texts = [...sources, statement];
  const flags = new Set<Flag>();
  for (const kind of yield* flagKindsInSlices(texts)) if (kind !== 'tense') flags.add(kind);
  if (languageOf(languageOfAll(texts)) === null) flags.add('language');
  const atoms = extractAtoms(statement);
  const names = new Set(atoms.filter(({ kind }) => kind === 'name').map(({ value }) => value));
  if (names.size > 1) flags.add('names');
  const units = atoms
    .filter(({ kind }) => kind === 'number' || kind === 'time')
    .map(({ kind, value }) => `${kind} ${value.split(' ').slice(1).join(' ')}`);
  if (new Set(units).size < units.length) flags.add('amounts');
  return flags;
}
