import type { Atom } from '../reading/atoms.ts';
import { otherUnits } from './amount-keys.ts';
import type { Place } from './borders.ts';
import type { Unit } from './unit.ts';

/** Rates by what they are counted per, as the words "daily", "a day", "every day" are. */
const RATES = new Map(
  Object.entries({
    day: 'daily',
    week: 'weekly',
    month: 'monthly',
    year: 'yearly',
    hour: 'hourly',
    night: 'nightly',
    quarter: 'quarterly',
  }),
);
const BOUNDS: readonly [string, string][] = [
  ['>=', 'atleast'],
  ['<=', 'atmost'],
  ['>', 'morethan'],
  ['<', 'lessthan'],
  ['~', 'about'],
];
/** A quotation of so many words is a speech: its words are looked at one by one. */
const MAX_QUOTED = 6;

/**
 * The units of an atom that is no name: its value, and apart from it what bounds it or counts it ("at least", "a day"), so that "30 minutes
 * daily" and "30 minutes of walking per day" come to the same.
 */
export function atomUnits(atom: Atom, place: Place, before: string): Unit[] {
  const units: Unit[] = [];
  let rest = atom.value;
  const push = (kind: Unit['kind'], key: string, form: string, word: string): void => {
    units.push({
      kind,
      keys: keysOf(key),
      form,
      soft: !atom.sure,
      frame: false,
      ...place,
      axis: place.axis + units.length * 0.001,
      word: atom.from,
      before: word,
      tense: null,
      verbal: false,
      person: null,
    });
  };
  if (atom.kind === 'number') {
    const bound = BOUNDS.find(([sign]) => rest.startsWith(sign));
    if (bound) {
      push('operator', `op:${bound[1]}`, bound[1], before);
      rest = rest.slice(bound[0].length);
    }
    const per = rest.lastIndexOf('/');
    const rate = per > 0 ? rest.slice(per + 1) : '';
    if (/^[a-z ]+$/.test(rate)) {
      rest = rest.slice(0, per);
      const name = RATES.get(rate);
      if (name !== undefined) push('operator', `op:${name}`, name, '');
      else push('word', rate, rate, '');
    }
  }
  const dots = rest.indexOf('..');
  if (dots > 0 && (atom.kind === 'date' || atom.kind === 'time' || atom.kind === 'number')) {
    const [first, last] = [rest.slice(0, dots), rest.slice(dots + 2)];
    const unit =
      atom.kind === 'number' && last.includes(' ') && !first.includes(' ')
        ? last.slice(last.indexOf(' '))
        : '';
    push(atom.kind, `${atom.kind}:${first}${unit}`, `${first}${unit}`, 'from');
    push(atom.kind, `${atom.kind}:${last}`, last, 'to');
  } else push(atom.kind, `${atom.kind}:${rest}`, rest, before);
  return units;
}

/** An age is also a plain count of years; a rate is also the adverb for it. */
function keysOf(key: string): string[] {
  const rate = key.startsWith('number:per ') ? RATES.get(key.slice('number:per '.length)) : undefined;
  if (rate !== undefined) return [key, `op:${rate}`];
  if (key === 'number:per 2 week') return [key, 'op:biweekly'];
  const same = key.startsWith('number:') ? otherUnits(key.slice('number:'.length)) : [];
  return key.endsWith(' old') ? [key, key.slice(0, -' old'.length), ...same] : [key, ...same];
}

/** Quoted phrases, to be kept word by word; what quotes the whole text is no phrase in it. */
export function quoteUnits(atoms: readonly Atom[], places: readonly Place[], size: number): Unit[] {
  return atoms
    .filter(
      ({ kind, value, from, to }) =>
        kind === 'quote' && value.split(' ').length <= MAX_QUOTED && to - from < size * 0.8,
    )
    .map(({ value, from }) => ({
      kind: 'quote' as const,
      keys: [`quote:${value}`],
      form: value,
      soft: false,
      frame: true,
      ...places[from]!,
      word: from,
      before: '',
      tense: null,
      verbal: false,
      person: null,
    }));
}
