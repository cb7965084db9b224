import { GERMAN } from './de.ts';
import { ENGLISH } from './en.ts';
import { SPANISH } from './es.ts';
import { FRENCH } from './fr.ts';
import { ITALIAN } from './it.ts';
import type { Language } from './language.ts';
import { DUTCH } from './nl.ts';
import { PORTUGUESE } from './pt.ts';

/** Every language with a table. English first: it is what a text is taken for when nothing says otherwise. */
export const LANGUAGES: readonly Language[] = [ENGLISH, GERMAN, FRENCH, SPANISH, ITALIAN, PORTUGUESE, DUTCH];

const BY_CODE = new Map(LANGUAGES.map((language) => [language.code, language]));

/** The table of a language, or null when there is none. */
export function languageOf(code: string): Language | null {
  return BY_CODE.get(code) ?? null;
}
