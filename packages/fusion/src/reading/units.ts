import type { Language } from './languages/language.ts';
import type { Token } from './tokens.ts';

/**
 * Canonical unit by spelling; plurals are added below. Only spellings of the same word stand together: nothing is converted but hours,
 * which are minutes by their definition.
 */
const UNITS = new Map<string, string>();
for (const line of [
  'kg kilo kilogram kilogramme kgs|g gram gramme gr|mg milligram milligramme|mcg µg μg microgram|lb lbs|oz ounce|tonne|ton|stone',
  'km kilometre kilometer kms|m metre meter mtr|cm centimetre centimeter|mm millimetre millimeter|mile mi|ft foot feet|inch inches|yard yd yds',
  'sqm m2 qm|sqft ft2|sqkm km2|sqcm cm2|acre|hectare ha|m3',
  'l litre liter ltr|ml millilitre milliliter|cl|dl|gallon gal|pint|quart|cup|tbsp tablespoon|tsp teaspoon|cc',
  'kb kilobyte|mb megabyte|gb gigabyte gig gigs|tb terabyte|mbps|gbps|px pixel|mp megapixel|fps|dpi',
  'kwh|kw kilowatt|watt w|volt|hz hertz|khz|mhz|ghz|mah|kcal|cal calorie|kj|bpm|rpm|psi|mmhg|db decibel',
  'year yr yrs|month|fortnight|week wk wks|day|hour hr hrs h|min minute mins|second sec secs s|ms millisecond|decade|century centuries',
  'percent percentage pct prozent procent|pp',
  'usd dollar buck|cad|aud|nzd|eur euro|gbp quid sterling|jpy yen|chf franc|inr rupee rs|rub rouble ruble|cny yuan rmb renminbi|pln zloty',
  'try lira|sek kronor krona|nok|dkk kroner krone|kr|brl reais|mxn peso|krw|cent|penny pence pennies|btc bitcoin|eth',
  'mph|kmh kph|°c celsius centigrade|°f fahrenheit|times time x',
]) {
  for (const group of line.split('|')) {
    const spellings = group.split(' ');
    for (const spelling of spellings) {
      UNITS.set(spelling, spellings[0]!);
      if (spelling.length > 2) UNITS.set(`${spelling}s`, spellings[0]!);
    }
  }
}
const CURRENCY_MARKS = new Map<string, string>(
  Object.entries({
    $: 'usd',
    '€': 'eur',
    '£': 'gbp',
    '¥': 'jpy',
    '₹': 'inr',
    '₽': 'rub',
    '₺': 'try',
    '₩': 'krw',
    '₿': 'btc',
    '¢': 'cent',
  }),
);
/** Before a dollar sign without a space: whose dollar it is. */
const DOLLARS = new Map<string, string>(
  Object.entries({
    us: 'usd',
    c: 'cad',
    ca: 'cad',
    a: 'aud',
    au: 'aud',
    nz: 'nzd',
    r: 'brl',
    hk: 'hkd',
    s: 'sgd',
  }),
);
export const CURRENCIES = new Set(
  'usd cad aud nzd eur gbp jpy chf inr rub cny pln try sek nok dkk brl mxn krw btc eth rs kr'.split(' '),
);
const NATIONAL = new Map<string, string>(
  Object.entries({
    'us dollar': 'usd',
    'american dollar': 'usd',
    'canadian dollar': 'cad',
    'australian dollar': 'aud',
    'swiss franc': 'chf',
    'indian rupee': 'inr',
    'japanese yen': 'jpy',
    'british pound': 'gbp',
    'polish zloty': 'pln',
    'swedish krona': 'sek',
    'swedish kronor': 'sek',
    'norwegian kroner': 'nok',
    'danish kroner': 'dkk',
    'mexican peso': 'mxn',
    'chinese yuan': 'cny',
    'turkish lira': 'try',
  }),
);
/** Units that are spelled like common words: they count right after the digits only. */
const GLUED_ONLY = new Set(['w', 'x', 'mp', 'pp', 'try']);
/** Words of money around "pounds". */
const MONEY_WORDS = new Set(
  `pay pays paid paying cost costs price priced worth rent salary earn earns earned spend spends spent budget fee fees bill owe owes owed lent
  loan save saved saves saving savings fine deposit order donate donated donation account subscription ticket tickets bank invoice charge charged charges invest invests invested investment isa pension inheritance inherited bonus debt cash grant prize dividend mortgage bought buy sold sell money sterling tip refund donated wage`.split(
    /\s+/,
  ),
);
/** Words of weight around "pounds". */
const WEIGHT_WORDS = new Set(
  `weigh weighs weighed weighing weight lost lose losing gained gain heavy heavier lighter lift lifts lifted lifting bench squat squats deadlift press kilo kilos kg lb lbs
  ounces oz dumbbell dumbbells barbell kettlebell vest body fat slimmer diet flour beef meat pressure thrust`.split(
    /\s+/,
  ),
);
const AROUND = 8;

/** Speeds by one word: what they are, and per what. */
export const SPEEDS = new Map([
  ['mph', 'mile'],
  ['kmh', 'km'],
]);

export interface UnitReading {
  unit: string;
  next: number;
}

/** A currency before a number: $5, US$5, EUR 5, Rs. 500. */
export function readCurrencyPrefix(tokens: readonly Token[], at: number): UnitReading | null {
  const token = tokens[at]!;
  const next = tokens[at + 1];
  if (token.kind === 'mark') {
    const unit = CURRENCY_MARKS.get(token.text);
    const number = next?.kind === 'digits' || (next?.text === '.' && tokens[at + 2]?.kind === 'digits');
    return unit !== undefined && number ? { unit, next: at + 1 } : null;
  }
  if (token.kind !== 'word') return null;
  if (next?.text === '$' && next.glued && tokens[at + 2]?.kind === 'digits') {
    const unit = DOLLARS.get(token.folded);
    return unit === undefined ? null : { unit, next: at + 2 };
  }
  const dot = next?.text === '.' && next.glued ? 1 : 0;
  if (tokens[at + 1 + dot]?.kind !== 'digits' || !CURRENCIES.has(token.folded)) return null;
  return dot === 1 || token.text !== token.folded
    ? { unit: UNITS.get(token.folded) ?? token.folded, next: at + 1 + dot }
    : null;
}

const HUNDREDTHS = new Set(['per cent', 'pour cent', 'por ciento', 'por cento', 'per cento']);

/** The canonical unit of a word, or null. */
export function unitOf(word: string): string | null {
  return UNITS.get(word) ?? null;
}

/** A unit after a number: 5 kg, five-year, 20 %, 20 per cent, 5 °C, 20 €, 50 square metres. */
export function readUnit(
  tokens: readonly Token[],
  at: number,
  language: Language | null,
): UnitReading | null {
  const dash = tokens[at]?.text === '-' && tokens[at]!.glued && tokens[at + 1]?.glued ? 1 : 0;
  const index = at + dash;
  const token = tokens[index];
  if (token === undefined) return null;
  if (token.text === '%') return { unit: 'percent', next: index + 1 };
  const { folded } = token;
  const after = tokens[index + 1]?.folded;
  if (HUNDREDTHS.has(`${folded} ${after ?? ''}`)) return { unit: 'percent', next: index + 2 };
  if ((folded === 'percentage' || folded === 'percent') && (after === 'points' || after === 'point')) {
    return { unit: 'pp', next: index + 2 };
  }
  if (token.text === '°') return readDegrees(tokens, index + 1, true);
  if (folded === 'degrees' || folded === 'degree') return readDegrees(tokens, index + 1, false);
  if (token.kind === 'mark') {
    const unit = CURRENCY_MARKS.get(token.text);
    return unit === undefined ? null : { unit, next: index + 1 };
  }
  if (token.kind !== 'word') return null;
  const national = NATIONAL.get(`${folded} ${after?.replace(/s$/, '') ?? ''}`);
  if (national !== undefined) return { unit: national, next: index + 2 };
  // "98.6F", but not the end of "0x1F".
  const begun = tokens[index - 1]?.glued === true && tokens[index - 2]?.kind === 'word';
  if (token.text === 'F' && token.glued && !begun) return { unit: '°f', next: index + 1 };
  // "70 m2": letters and digits without a space.
  const power = tokens[index + 1];
  if (power?.glued && (power.text === '2' || power.text === '3') && !goesOn(tokens[index + 2])) {
    const raised = UNITS.get(`${folded}${power.text}`);
    if (raised !== undefined) return { unit: raised, next: index + 2 };
  }
  if (folded === 'sq' && after !== undefined) {
    const square = UNITS.get(`${UNITS.get(after) ?? ''}2`);
    if (square !== undefined) return { unit: square, next: index + 2 };
  }
  if (folded === 'square' || folded === 'cubic') {
    const unit = UNITS.get(after ?? '');
    if (unit === undefined) return null;
    return {
      unit: folded === 'cubic' ? `${unit}3` : (UNITS.get(`${unit}2`) ?? `sq ${unit}`),
      next: index + 2,
    };
  }
  if (folded === 'pound' || folded === 'pounds') {
    const money = isAbout(MONEY_WORDS, tokens, index) || after === 'sterling';
    const unit = money ? 'gbp' : isAbout(WEIGHT_WORDS, tokens, index) ? 'lb' : 'pound';
    return { unit, next: index + (after === 'sterling' ? 2 : 1) };
  }
  if (GLUED_ONLY.has(folded) && !token.glued) return null;
  const own = language?.units.get(folded);
  // Units of one letter are written small; "5 M" is no length, and a name may follow a number.
  if (folded.length === 1 && token.text !== folded && folded !== 'l') return null;
  const joined = UNITS.get(folded) ?? own;
  return joined === undefined ? null : { unit: joined, next: index + 1 };
}

function goesOn(token: Token | undefined): boolean {
  return token?.glued === true && token.kind !== 'mark';
}

function readDegrees(tokens: readonly Token[], at: number, sign: boolean): UnitReading {
  const token = tokens[at];
  const word = token?.kind === 'word' && (!sign || token.glued || token.text.length > 1) ? token.folded : '';
  if (word === 'c' || word === 'celsius' || word === 'centigrade') return { unit: '°c', next: at + 1 };
  if (word === 'f' || word === 'fahrenheit') return { unit: '°f', next: at + 1 };
  return { unit: '°', next: at };
}

/** "pounds" are money where money is spoken of and a weight where weight is; elsewhere they may be either. */
function isAbout(words: ReadonlySet<string>, tokens: readonly Token[], at: number): boolean {
  const { sentence } = tokens[at]!;
  for (let index = Math.max(0, at - AROUND); index < at + AROUND && index < tokens.length; index += 1) {
    const token = tokens[index]!;
    if (token.sentence === sentence && words.has(token.folded)) return true;
  }
  return false;
}

/** Whether a unit is money. */
export function isCurrency(unit: string): boolean {
  return CURRENCIES.has(unit);
}
