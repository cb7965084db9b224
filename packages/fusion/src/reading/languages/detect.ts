import { LANGUAGES } from './all.ts';

/** Scripts that alone say which language a text is taken for. Kana comes before Han, which Japanese uses too. */
const SCRIPTS: readonly [RegExp, string][] = [
  [/[\p{sc=Hiragana}\p{sc=Katakana}]/u, 'ja'],
  [/\p{sc=Hangul}/u, 'ko'],
  [/\p{sc=Han}/u, 'zh'],
  [/\p{sc=Cyrillic}/u, 'ru'],
  [/\p{sc=Arabic}/u, 'ar'],
  [/\p{sc=Devanagari}/u, 'hi'],
  [/\p{sc=Thai}/u, 'th'],
  [/\p{sc=Greek}/u, 'el'],
  [/\p{sc=Hebrew}/u, 'he'],
];
/** Enough to tell; the rest of a long text says the same. */
const LOOKED_AT = 4_000;
const LOOKED_AT_WORDS = 600;
const MIN_LEAD = 2;
const WORDS = /[\p{L}\p{M}]+/gu;
const LATIN = /[a-z]/i;

/** For each word, the languages (as indexes) in which it is a plain word. */
const OWNERS = new Map<string, number[]>();
for (const [index, language] of LANGUAGES.entries()) {
  const plain = new Set([
    ...language.stopWords,
    ...language.negators,
    ...language.weekdays.keys(),
    ...[...language.months.keys()].filter((word) => word.length > 4),
    ...language.units.keys(),
    ...relativeWords(language.relative),
  ]);
  for (const word of plain) {
    if (word.length < 2) continue;
    const owners = OWNERS.get(word);
    if (owners) owners.push(index);
    else OWNERS.set(word, [index]);
  }
}

/**
 * The language of a text, ISO 639-1, by its script and its commonest words; 'en' when nothing tells. A guess of another language than
 * English needs a clear lead, since a short English text may hold a word or two that look foreign.
 */
export function detectLanguage(text: string): string {
  const start = text.slice(0, LOOKED_AT).normalize('NFC');
  return (
    scriptOf(start) ?? languageOfWords(Array.from(start.toLowerCase().matchAll(WORDS), ([word]) => word))
  );
}

/** The same for a text that was split into tokens already. */
export function detectLanguageOf(tokens: readonly { kind: string; folded: string }[]): string {
  const spoken: string[] = [];
  for (const { kind, folded } of tokens) {
    if (kind === 'word' || kind === 'run') spoken.push(folded);
    if (spoken.length >= LOOKED_AT_WORDS) break;
  }
  return scriptOf(spoken.join(' ').slice(0, LOOKED_AT)) ?? languageOfWords(spoken);
}

function scriptOf(text: string): string | null {
  if (!LATIN.test(text)) return SCRIPTS.find(([script]) => script.test(text))?.[1] ?? null;
  return SCRIPTS.find(([script]) => count(text, script) * 2 > text.length)?.[1] ?? null;
}

function languageOfWords(spoken: readonly string[]): string {
  const scores = LANGUAGES.map(() => 0);
  for (const word of spoken) {
    const owners = OWNERS.get(word);
    if (!owners) continue;
    for (const owner of owners) scores[owner]! += owners.length === 1 ? 2 : 1;
  }
  let best = 0;
  for (let index = 1; index < scores.length; index += 1) {
    if (scores[index]! > scores[best]!) best = index;
  }
  return best > 0 && scores[best]! - scores[0]! >= MIN_LEAD ? LANGUAGES[best]!.code : 'en';
}

/** The words of the patterns, without their slots and meanings. */
function relativeWords(rules: string): string[] {
  const patterns = rules.split('\n').map((line) => line.split('=')[0]!.replace(/\{\w+\}/g, ' '));
  return patterns.flatMap((pattern) => pattern.split(/[^\p{L}]+/u)).filter((word) => word.length > 3);
}

function count(text: string, script: RegExp): number {
  return text.match(new RegExp(script, 'gu'))?.length ?? 0;
}
