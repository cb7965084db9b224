import { languageOf } from '../reading/languages/all.ts';

/** How a language says an hour of the day: what stands before it, what parts hour and minutes, what may stand behind. */
interface ClockWords {
  /** Words behind which an hour alone is an hour of the day. */
  before: string;
  /** Between hour and minutes. */
  part: string;
  /** Behind them. */
  sign: string;
  /** Whether digits with a sign and nothing before them are an hour of the day. */
  signed: boolean;
  /** What says which half of the day is meant. */
  halves: readonly (readonly [RegExp, 'am' | 'pm'])[];
}

const CLOCKS: Readonly<Record<string, ClockWords>> = {
  de: {
    before: '(?:um|ab|gegen|bis|von|vor|nach|zwischen)',
    part: '[:.]',
    sign: ' ?Uhr',
    signed: true,
    halves: [
      [/^ (?:morgens|früh|vormittags)(?!\p{L})/iu, 'am'],
      [/^ (?:abends|nachmittags|am Abend|am Nachmittag)(?!\p{L})/iu, 'pm'],
    ],
  },
  fr: {
    before: "(?:à|vers|dès|jusqu'à|avant|après|entre)",
    part: ' ?[h:] ?',
    sign: ' ?(?:h|heures?)',
    signed: false,
    halves: [
      [/^ du matin(?!\p{L})/iu, 'am'],
      [/^ (?:du soir|de l'après-midi)(?!\p{L})/iu, 'pm'],
    ],
  },
  es: {
    before: '(?:las|la)',
    part: '[:.h]',
    sign: ' ?(?:h|hs|horas?)(?![\\p{L}\\d])',
    signed: false,
    halves: [
      [/^ (?:de|por) la mañana(?!\p{L})/iu, 'am'],
      [/^ (?:de|por) la (?:tarde|noche)(?!\p{L})/iu, 'pm'],
    ],
  },
  it: {
    before: '(?:alle|dalle|delle|ore|le|per le)',
    part: '[:.]',
    sign: '(?!)',
    signed: false,
    halves: [
      [/^ (?:del mattino|di mattina)(?!\p{L})/iu, 'am'],
      [/^ (?:del pomeriggio|di sera|della sera|di pomeriggio)(?!\p{L})/iu, 'pm'],
    ],
  },
  pt: {
    before: '(?:às|à|das|até às|as)',
    part: ' ?[h:] ?',
    sign: ' ?(?:h|horas?)',
    signed: false,
    halves: [
      [/^ da manhã(?!\p{L})/iu, 'am'],
      [/^ da (?:tarde|noite)(?!\p{L})/iu, 'pm'],
    ],
  },
  nl: {
    before: '(?:om|vanaf|tot|van|rond|voor|na|tussen)',
    part: '[:.]',
    sign: ' ?uur',
    signed: true,
    halves: [
      [/^ (?:'s ochtends|'s morgens)(?!\p{L})/iu, 'am'],
      [/^ (?:'s middags|'s avonds)(?!\p{L})/iu, 'pm'],
    ],
  },
  pl: {
    before: '(?:o|od|do|godz\\.|godzinie|przed|po)',
    part: '[:.]',
    sign: '(?!)',
    signed: false,
    halves: [],
  },
  ru: { before: '(?:в|с|до|к|около|после)', part: '[:.]', sign: '(?!)', signed: false, halves: [] },
  sv: { before: '(?:kl\\.?|klockan)', part: '[:.]', sign: '(?!)', signed: false, halves: [] },
};
/** What may follow an hour that nothing but its preposition tells: no noun. */
const ENDS =
  '(?=\\s*(?:[.,;:!?)]|$)| (?:de|du|del|della|di|e|et|y|o|ou|al|alle|à|a|às|in|im|en|con|avec|com|per|per|por|pour|par|chez|presso|da|dal|el|la|le|los|il|und|bis|van|tot|uur|est|sont)(?!\\p{L}))';

interface Compiled {
  full: RegExp;
  bare: RegExp;
  signed: RegExp | null;
}
const COMPILED = new Map<string, Compiled>();

function compiledOf(code: string, words: ClockWords): Compiled {
  const known = COMPILED.get(code);
  if (known) return known;
  const hour = '(\\d{1,2})';
  const compiled = {
    // "a las 8.15 h", "à 18 h 15"
    full: new RegExp(
      `(?<![\\p{L}])(${words.before}) ${hour}${words.part}([0-5]\\d)(?![\\d.,]\\d|\\d|\\p{L}| ?(?:min|%|€|km|m|kg|euro|zł)(?!\\p{L}))(?:${words.sign}(?!\\p{L}))?`,
      'giu',
    ),
    // "à 18 h", "alle 14"
    bare: new RegExp(
      `(?<![\\p{L}])(${words.before}) ${hour}(?!\\d|[:.h]\\d)(?:${words.sign}(?![\\p{L}\\d])(?! de )|${code === 'it' || code === 'es' || code === 'pt' ? ENDS : '(?!)'})`,
      'giu',
    ),
    // "18h15", "16.30 uur"
    signed: new RegExp(
      code === 'fr' || code === 'pt'
        ? `(?<![\\p{L}\\d.,])()([5-9]|1\\d|2[0-3]) ?h ?([0-5]\\d)(?!\\d|\\p{L}| ?min)`
        : words.signed || code === 'es'
          ? `(?<![\\d.,])()${hour}(?:[:.]([0-5]\\d))${words.sign}(?!\\p{L})`
          : '(?!)',
      'giu',
    ),
  };
  COMPILED.set(code, compiled);
  return compiled;
}

/** The hours of the day of a text as 14:30, where the language's own way of writing them says that they are no lengths of time. */
export function clocksIn(text: string, code: string): string {
  const words = CLOCKS[code];
  if (!words) return text;
  const { full, bare, signed } = compiledOf(code, words);
  let plain = spelledHours(text, code);
  for (const pattern of [full, bare, signed]) {
    if (pattern === null) continue;
    plain = plain.replace(pattern, (...found: (string | number | undefined)[]) => {
      const [all, before, hour, minute] = found as [string, string, string, string | undefined];
      const whole = found.at(-1) as unknown as string;
      const at = found.at(-2) as number;
      const time = typeof minute === 'string' ? minute : '00';
      if (Number(hour) > 24 || (code === 'es' && before === 'la' && hour !== '1')) return all;
      const half = words.halves.find(([pattern]) => pattern.test(whole.slice(at + all.length)));
      const later = half?.[1] === 'pm' && Number(hour) < 12 ? Number(hour) + 12 : Number(hour);
      return `${before === '' ? '' : `${before} `}${String(later).padStart(2, '0')}:${time}`;
    });
  }
  // The half of the day is told by the hour now.
  for (const [half] of words.halves)
    plain = plain.replace(new RegExp(`(?<=\\d\\d:\\d\\d)${half.source.slice(1)}`, 'giu'), '');
  return plain.replace(/(\d\d:\d\d) (?:tot|to|bis|à|às|alle|a las|до|do) (\d\d:\d\d)/giu, '$1-$2');
}

/** "halb acht abends", "alle due del pomeriggio": spelled hours where the half of the day is said. */
function spelledHours(text: string, code: string): string {
  const numbers = languageOf(code)?.numbers;
  if (!numbers) return text;
  const value = (word: string): number | null => numbers.get(word.toLowerCase()) ?? null;
  if (code === 'de' || code === 'nl') {
    const halves = CLOCKS[code]!.halves;
    return text.replace(
      /(?<!\p{L})(?:um |om )?(halb|half) (\p{L}+)(?: Uhr| uur)?(?= )/giu,
      (all, _half, word: string, at: number) => {
        const hour = value(word);
        const said = halves.find(([pattern]) => pattern.test(text.slice(at + all.length)));
        if (hour === null || hour > 12 || !said) return all;
        return `${code === 'de' ? 'um' : 'om'} ${hour - 1}:30 ${code === 'de' ? 'Uhr' : 'uur'}`;
      },
    );
  }
  if (code !== 'it' && code !== 'es') return text;
  const before = code === 'it' ? 'alle|dalle' : 'las';
  return text.replace(
    new RegExp(
      `(?<!\\p{L})(${before}) (\\p{L}+)(?= (?:del|di|della|de la) (?:mattino|mattina|pomeriggio|sera|mañana|tarde|noche)(?!\\p{L}))`,
      'giu',
    ),
    (all, word: string, spelled: string) => {
      const hour = value(spelled);
      return hour === null || hour > 12 ? all : `${word} ${hour}`;
    },
  );
}
