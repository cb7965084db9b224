import { languageOf } from '../reading/languages/all.ts';
import { clocksIn } from './foreign-clocks.ts';
import { ordinalsIn } from './foreign-ordinals.ts';
import { hanSpelling } from './han-spelling.ts';
import { spelledNumber } from './lexicon/foreign-numbers.ts';
import { phrasesOf } from './lexicon/foreign-phrases.ts';

/** Languages that write the day before the month, whatever stands between them. */
const DAY_FIRST = new Set('de fr es it pt nl pl ru tr ar hi'.split(' '));
const NUMERIC_DATE = /(?<![\d./-])(\d{1,2})([./-])(\d{1,2})\2((?:19|20)\d\d)(?![./-]?\d)/g;
/** Words behind which "10/11" is a day and no fraction. */
const BEFORE_DAY =
  /(?<![\p{L}])(el|del|al|le|du|au|il|dal|em|no|do|ao|até|am|vom|zum|bis|op|tot|vanaf) (\d{1,2})[/.](\d{1,2})(?![\d/%]|\.\d|,\d)/giu;

/** Long names of measures, and the short ones by which they are known. */
const MEASURES: readonly (readonly [RegExp, string])[] = [
  [
    /k[ií]l[oó]m[eè]tr(?:os?|es?)|chilometr[io]|quil[oôó]metros?|kilometern?|kilometr(?:ów|y|a)|километр(?:а|ов|ы)?|км/,
    'km',
  ],
  [/cent[ií]m[eè]tr(?:os?|es?)|centimetr[io]|zentimetern?|сантиметр(?:а|ов|ы)?|см/, 'cm'],
  [/m[ií]l[ií]metr(?:os?|es?)|millimètres?|millimetr[io]|millimetern?|миллиметр(?:а|ов|ы)?|мм/, 'mm'],
  [/metros?|mètres?|metr[io]|metern?|метр(?:а|ов|ы)?/, 'm'],
  [/miligramos?|milligrammes?|milligramm[io]|miligramas?|milligramm|миллиграмм(?:а|ов|ы)?|мг/, 'mg'],
  [/microgramos?|microgrammes?|mikrogramm|microgrammi|microgramas?|мкг/, 'mcg'],
  [
    /kilogramos?|kilogrammes?|chilogramm[io]|quilogramas?|kilogram(?:m|ów|y|u)?|килограмм(?:а|ов|ы)?|кг|kilos|quilos?|chil[io]/,
    'kg',
  ],
  [/gramos?|grammes?|gramm[io]|gramas?|gramm|gram|грамм(?:а|ов|ы)?/, 'g'],
  [/mililitros?|millilitres?|millilitri|millilitern?|миллилитр(?:а|ов|ы)?|мл/, 'ml'],
  [/litros?|litres?|litr[io]|litern?|литр(?:а|ов|ы)?/, 'l'],
  [/рубл(?:ь|я|ей)|руб\.?/, 'rub'],
  [/zł|złotych|złote|złoty/, 'pln'],
  [/lira(?:ya|dan|lık|sı)?|tl|try/, 'lira'],
  [/гб/, 'gb'],
  [/тб/, 'tb'],
  [/мб/, 'mb'],
];
const MEASURE = MEASURES.map(
  ([words, short]) =>
    [
      new RegExp(`(?<=\\d ?)(?<=\\s|\\d)(?:${words.source})(?![\\p{L}\\p{M}])`, 'giu'),
      short,
      new RegExp(`(?<!\\p{L})(\\p{L}+) (?:${words.source})(?![\\p{L}\\p{M}])`, 'giu'),
    ] as const,
);
/** "3 horas y 45 minutos", "3 h 45 min", "3 Stunden 45 Minuten". */
const HOURS_MINUTES =
  /(\d+) ?(?:h|horas?|heures?|ore|ora|stunden?|uur|uren) (?:y |et |e |und |en )?(\d{1,2}) ?(?:min|minutos?|minutes?|minuti|minuten|minuut)(?!\p{L})\.?/giu;
/** Words of an amount that say nothing between a number and what it counts. */
const OF_MILLIONS =
  /(\d ?(?:mil )?(?:millones|millón|milhões|milhão|milioni|milione|millions?)) (?:de |di |d')(?=\p{L})/giu;
const YEAR_WORDS: Readonly<Record<string, RegExp>> = {
  de: /(?<!\p{L})(?:im Jahre?|Jahr) (?=(?:19|20)\d\d(?!\d))/giu,
  fr: /(?<!\p{L})(?:en l'an|en l'année|année) (?=(?:19|20)\d\d(?!\d))/giu,
  es: /(?<!\p{L})(?:en el año|del año|año) (?=(?:19|20)\d\d(?!\d))/giu,
  it: /(?<!\p{L})(?:nell'anno|anno) (?=(?:19|20)\d\d(?!\d))/giu,
  pt: /(?<!\p{L})(?:no ano de|ano de|no ano|ano) (?=(?:19|20)\d\d(?!\d))/giu,
  nl: /(?<!\p{L})(?:in het jaar|het jaar|jaar) (?=(?:19|20)\d\d(?!\d))/giu,
};

/**
 * A text of another language than English with its dates, hours, measures and set phrases in the one spelling that the readers know. Nothing
 * is converted: only ways of writing the same thing are made one.
 */
export function plainSpelling(text: string, code: string): string {
  if (code === 'ja' || code === 'zh') return hanSpelling(text, code);
  let plain = joinedOf(text.replace(/[’ʼ]/g, "'").replace(/[\u00a0\u202f]/g, ' '), code);
  if (DAY_FIRST.has(code)) plain = daysIn(plain, code);
  plain = clocksIn(plain, code);
  if (code === 'tr' || code === 'pl' || code === 'sv')
    plain = plain.replace(/(?<![\d.,])\d{1,3}(?:\.\d{3})+(?![\d.])/g, (digits) => digits.replaceAll('.', ''));
  if (code === 'tr') plain = plain.replace(/(?<![\d.,])(\d+) bin(?!\p{L})/gu, '$1000');
  if (code === 'ru') plain = plain.replace(/(?<![\d.,])(\d+) тыс(?:\.|яч[иа]?)?(?!\p{L})/gu, '$1000');
  plain = plain.replace(HOURS_MINUTES, '$1 h $2 min').replace(OF_MILLIONS, '$1 ');
  const years = YEAR_WORDS[code];
  if (years) plain = plain.replace(years, (words) => (/^(?:im|en|nell|no|in) /i.test(words) ? 'in ' : ''));
  plain = measuresIn(plain, code);
  plain = ordinalsIn(plain, code);
  for (const [pattern, canonical] of phrasesOf(code)) plain = plain.replace(pattern, canonical);
  return plain;
}

const TURKISH_MONTHS = 'Ocak|Şubat|Mart|Nisan|Mayıs|Haziran|Temmuz|Ağustos|Eylül|Ekim|Kasım|Aralık';
const OPEN_VOWELS: Readonly<Record<string, string>> = {
  á: 'ar',
  é: 'er',
  ê: 'er',
  í: 'ir',
  i: 'ir',
  ô: 'or',
};

/** What is written together with a date, and a Portuguese verb without its pronoun. */
function joinedOf(text: string, code: string): string {
  if (code === 'fr') return text.replace(/(?<!\p{L})d'(?=(?:avril|août|octobre)(?!\p{L}))/giu, 'de ');
  if (code === 'it')
    return text
      .replace(/(?<!\p{L})(?:l|dell|all|dall)'(?=\d)/giu, 'il ')
      .replace(/(?<=\d)[°º](?= \p{L}{4})/gu, '')
      .replace(/(?<!\p{L})d'(?=(?:aprile|agosto|ottobre)(?!\p{L}))/giu, 'di ');
  // "14 Eylül'de", "2024'te": the case says no more than the date.
  if (code === 'tr') return text.replace(new RegExp(`(?<=\\d|${TURKISH_MONTHS})'\\p{L}{1,5}`, 'gu'), '');
  if (code === 'pt')
    return text
      .replace(/([áéêíiô])-l[oa]s?(?!\p{L})/gu, (_all, vowel: string) => OPEN_VOWELS[vowel]!)
      .replace(/(?<=\p{L}{3})-(?:se|me|te|lhes?|nos|[oa]s?)(?![\p{L}-])/gu, '');
  if (code === 'es')
    return text.replace(/(?<!las )(?<![\d:.])([0-4]):([0-5]\d) ?(?:horas|h)(?!\p{L})/giu, '$1 h $2 min');
  return text;
}

function daysIn(text: string, code: string): string {
  const months = languageOf(code)?.wording.monthNames;
  const whole = text.replace(NUMERIC_DATE, (all, day: string, _mark, month: string, year: string) =>
    isDay(day, month) ? `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}` : all,
  );
  if (!months) return whole;
  return whole.replace(BEFORE_DAY, (all, word: string, day: string, month: string) =>
    isDay(day, month) ? `${word} ${Number(day)} ${months[Number(month) - 1]!}` : all,
  );
}

function isDay(day: string, month: string): boolean {
  return Number(day) >= 1 && Number(day) <= 31 && Number(month) >= 1 && Number(month) <= 12;
}

function measuresIn(text: string, code: string): string {
  let plain = text.replace(
    /(?<=[€$₽£\d]) ?\/ ?(?=\p{L}{3})/gu,
    code === 'es' || code === 'pt' ? ' por ' : ' / ',
  );
  // "три литра": a spelled number counts as one before its measure.
  if (languageOf(code) === null)
    plain = plain.replace(
      /(\p{L}+)(?= (?:км|см|мм|мг|кг|мл|гб|тб|метр|литр|килограмм|грамм|рубл|zł))/giu,
      (word) => {
        const value = spelledNumber(word.toLowerCase(), code);
        return value === null ? word : String(value);
      },
    );
  const numbers = languageOf(code)?.numbers;
  for (const [pattern, short, spelled] of MEASURE) {
    plain = plain.replace(pattern, short);
    if (numbers)
      plain = plain.replace(spelled, (all, word: string) =>
        numbers.has(word.toLowerCase()) ? `${word} ${short}` : all,
      );
  }
  // A year is no amount of money: "1800 reais" is written as one.
  return code === 'pt' ? plain.replace(/(?<!R\$ ?)(?<![\d.,])(\d[\d.,]*) reais(?!\p{L})/giu, 'R$ $1') : plain;
}
