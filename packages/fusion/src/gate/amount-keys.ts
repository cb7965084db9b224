import { numberText } from '../reading/digits.ts';

/** Units that are whole multiples of another by definition: of milligrams, millilitres, millimetres, months and days. Nothing is rounded. */
const MULTIPLES = new Map<string, readonly [string, number]>(
  Object.entries({
    mg: ['mg', 1],
    g: ['mg', 1e3],
    kg: ['mg', 1e6],
    ml: ['ml', 1],
    cl: ['ml', 10],
    dl: ['ml', 100],
    l: ['ml', 1e3],
    mm: ['mm', 1],
    cm: ['mm', 10],
    m: ['mm', 1e3],
    km: ['mm', 1e6],
    month: ['month', 1],
    year: ['month', 12],
    'month old': ['month old', 1],
    'year old': ['month old', 12],
    day: ['day', 1],
    week: ['day', 7],
    fortnight: ['day', 14],
  }),
);
/** Parts of a whole, as they are told in hundredths. */
const PERCENT = new Map(Object.entries({ '0.5': '50', '0.25': '25', '0.75': '75' }));

/** Further keys of an amount by which the very same amount is told in another unit: 1000 mg is 1 g, half of something 50 %, pounds are either kind. */
export function otherUnits(value: string): string[] {
  const part = PERCENT.get(value);
  if (part !== undefined) return [`number:${part} percent`];
  const amount = /^(\d+(?:\.\d+)?) ([a-z ]+)$/.exec(value);
  if (amount === null) return [];
  const [, number = '', unit = ''] = amount;
  if (unit === 'pound') return [`number:${number} lb`, `number:${number} gbp`];
  const [base, factor] = MULTIPLES.get(unit) ?? [];
  return base === undefined ? [] : [`amount:${numberText(Number(number) * factor!)} ${base}`];
}
