import { LANGUAGES } from './all.ts';
import { words } from './language.ts';

/** Words that tell languages without a table of their own from English. */
export const TELLING = new Map<string, ReadonlySet<string>>(
  Object.entries({
    pl: `jest nie się na do że są ma użytkownik użytkownika przy jego jej który która które dla oraz mieszka lubi pracuje wizyta zł roku godz od jako już tylko
      bez jak czy moja mój mam się ich było będzie przez wczoraj jutro dzisiaj ze córka syn żona mąż`,
    sv: `och är att det på för inte användaren användarens jag från bor heter klockan av ett ingen får behöver vill kan åt hade sin deras varje
      år sedan hos också mycket kronor till som igår imorgon idag hennes hans dotter`,
    tr: `ve bir için kullanıcı kullanıcının bu var yok değil olan saat günü her ile yaşıyor çalışıyor çok ama sonra gibi kadar dün yarın bugün
      kızı oğlu eşi adı olarak`,
  }).map(([code, list]) => [code, telling(list)]),
);
/** Letters that hardly stand in another language. */
const LETTERS = new Map<string, RegExp>([
  ['pl', /[łąęśźżćń]/u],
  ['sv', /å/u],
  ['tr', /[ğış]/u],
]);
const ENGLISH = words('the a and of is user to in has with for was on by that');
/** A word that another language uses as well ("ich", "do", "ma") tells nothing. */
function telling(list: string): ReadonlySet<string> {
  const all = [...words(list)];
  return new Set(all.filter((word) => !LANGUAGES.some(({ stopWords }) => stopWords.has(word))));
}

const PARTED = /[^\p{L}\p{M}]+/u;
const LOOKED_AT = 4_000;
/** Fewer signs than these may be chance. */
const MIN_SIGNS = 3;

/** Another language than English that has no table, by its commonest words and its letters; null when nothing tells. */
export function untabledLanguage(text: string): string | null {
  const spoken = text.slice(0, LOOKED_AT).toLowerCase().normalize('NFC').split(PARTED);
  let best: string | null = null;
  let most = MIN_SIGNS - 1;
  for (const [code, telling] of TELLING) {
    const letters = LETTERS.get(code)!;
    const plain = spoken.filter((word) => telling.has(word)).length;
    // Names alone tell nothing: their letters count beside a word.
    const count =
      plain === 0 ? 0 : plain + spoken.filter((word) => !telling.has(word) && letters.test(word)).length;
    if (count > most) [best, most] = [code, count];
  }
  const english = spoken.filter((word) => ENGLISH.has(word)).length;
  return most > english ? best : null;
}
