import { LANGUAGES } from '../reading/languages/all.ts';
import { eachOnce, type HardFact, type HardFacts } from './hard-facts.ts';
import { WEEKDAYS } from './held.ts';

export interface Amount {
  amount: number;
  fact: HardFact;
}

/** The facts of a text as they are looked up when another text tells of them less exactly. */
export interface Told {
  dates: ReadonlySet<string>;
  times: ReadonlyMap<string, readonly HardFact[]>;
  /** By unit, '' without one; each list from the smallest to the largest. */
  amounts: ReadonlyMap<string, readonly Amount[]>;
  /** How many times of a day, weekdays, parts of the day and amounts of each unit it lists. */
  listed: ReadonlyMap<string, number>;
}

/** A text is asked for each fact that another one lacks. */
const TOLD = new WeakMap<HardFacts, Told>();

export function toldBy(facts: HardFacts): Told {
  const told = TOLD.get(facts) ?? readTold(facts);
  TOLD.set(facts, told);
  return told;
}

function readTold(reading: HardFacts): Told {
  const dates = new Set<string>();
  const times = new Map<string, HardFact[]>();
  const amounts = new Map<string, Amount[]>();
  for (const fact of eachOnce(reading.facts)) {
    const { kind, value } = fact;
    if (kind === 'date') dates.add(value);
    else if (kind === 'time') addTo(times, value, fact);
    if (kind !== 'number') continue;
    const [figures, unit = ''] = value.split(' ');
    const amount = Number(figures);
    if (!Number.isNaN(amount)) addTo(amounts, unit, { amount, fact });
  }
  for (const list of amounts.values())
    list.sort(({ amount: one }, { amount: other }) => (one < other ? -1 : one > other ? 1 : 0));
  return { dates, times, amounts, listed: listedBySort(reading) };
}

function addTo<T>(lists: Map<string, T[]>, key: string, item: T): void {
  const list = lists.get(key);
  if (list) list.push(item);
  else lists.set(key, [item]);
}

function listedBySort({ facts, words }: HardFacts): Map<string, number> {
  const sorts = new Map<string, number>();
  const count = (sort: string) => sorts.set(sort, (sorts.get(sort) ?? 0) + 1);
  for (const { kind, value } of facts) {
    const unit = kind === 'number' ? value.split(' ').slice(1).join(' ') : '';
    if (kind === 'time') count('time');
    else if (unit !== '') count(`number ${unit}`);
    else if (kind === 'date' && WEEKDAYS.includes(value)) count('weekday');
  }
  const parts = [...words].flatMap((word) => DAY_PARTS.get(singular(word)) ?? []);
  return sorts.set('part of the day', new Set(parts).size);
}

/** "Mornings", "morgens". */
const singular = (word: string): string => word.replace(/s$/, '');

/** Parts of the day by the word that names them, in any language with a table. */
const DAY_PARTS = new Map(
  LANGUAGES.flatMap(({ wording }) =>
    Object.entries(wording.parts).map(([part, name]) => [singular(name.split(' ').at(-1)!), part] as const),
  ),
);
