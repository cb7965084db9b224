import type { Token } from './tokens.ts';

/** Canonical unit by spelling; plurals are added below. */
const UNITS = new Map<string, string>();
for (const line of [
  'kg kilo kilogram kilogramme|g gram gramme|mg milligram|lb lbs|pound|oz ounce|t tonne ton',
  'km kilometre kilometer|m metre meter|cm centimetre centimeter|mm millimetre millimeter|mi mile|ft foot feet|inch',
  'l litre liter|ml millilitre milliliter|kb|mb|gb|tb|kwh|kw|watt|volt|hz',
  'year yr|month|week wk|day|hour hr h|minute min mins|second sec secs s',
  'percent percentage|usd dollar|eur euro|gbp|jpy yen|chf|inr rupee|rub rouble ruble|cny yuan|pln zloty|try lira',
  'mph|kmh|kcal calorie|°c celsius|°f fahrenheit',
]) {
  for (const group of line.split('|')) {
    const spellings = group.split(' ');
    for (const spelling of spellings) {
      UNITS.set(spelling, spellings[0]!);
      if (spelling.length > 3) UNITS.set(`${spelling}s`, spellings[0]!);
    }
  }
}
UNITS.set('inches', 'inch');
const CURRENCY_MARKS = new Map<string, string>(
  Object.entries({
    $: 'usd',
    '€': 'eur',
    '£': 'gbp',
    '¥': 'jpy',
    '₹': 'inr',
    '₽': 'rub',
    '₺': 'try',
  }),
);
const CURRENCIES = new Set(['usd', 'eur', 'gbp', 'jpy', 'chf', 'inr', 'rub', 'cny', 'pln', 'try']);

/** A currency before a number: $5, EUR 5. */
export function readCurrencyPrefix(tokens: Token[], at: number): { unit: string; next: number } | null {
  const token = tokens[at]!;
  if (tokens[at + 1]?.kind !== 'digits') return null;
  if (token.kind === 'mark' && CURRENCY_MARKS.has(token.text)) {
    return { unit: CURRENCY_MARKS.get(token.text)!, next: at + 1 };
  }
  return token.kind === 'word' && token.text === token.text.toUpperCase() && CURRENCIES.has(token.folded)
    ? { unit: token.folded, next: at + 1 }
    : null;
}

/** A unit after a number: 5 kg, five-year, 20 %, 20 per cent, 5 °C, 20 €. */
export function readUnit(tokens: Token[], at: number): { unit: string; next: number } | null {
  let token = tokens[at];
  let index = at;
  if (token?.text === '-' && token.glued && tokens[at + 1]?.glued) {
    index += 1;
    token = tokens[index];
  }
  if (token === undefined) return null;
  if (token.text === '%') return { unit: 'percent', next: index + 1 };
  if (token.folded === 'per' && tokens[index + 1]?.folded === 'cent')
    return { unit: 'percent', next: index + 2 };
  if (token.text === '°') {
    const scale = tokens[index + 1];
    if (scale?.glued && (scale.folded === 'c' || scale.folded === 'f'))
      return { unit: `°${scale.folded}`, next: index + 2 };
    return { unit: '°', next: index + 1 };
  }
  if (token.kind === 'mark' && CURRENCY_MARKS.has(token.text)) {
    return { unit: CURRENCY_MARKS.get(token.text)!, next: index + 1 };
  }
  const unit = token.kind === 'word' ? UNITS.get(token.folded) : undefined;
  return unit === undefined ? null : { unit, next: index + 1 };
}
