import { words } from './languages/language.ts';

/** What comes round again and again, as plurals: "Tuesday piano lessons" are on Tuesdays. */
const REPEATED = words(`
  lessons classes practices sessions rehearsals trainings runs rides walks swims shifts meetings lunches dinners breakfasts games matches visits calls workouts
  services markets meetups mornings afternoons evenings nights
`);
/** One of them, where something says that it is had week by week: "her Thursday class", "a weekly Tuesday lesson". */
const HELD = words('lesson class practice rehearsal training choir club league seminar');
const OWNED = words('a my his her their our your the weekly regular usual');
/** After one of these a weekday is a day: "on Tuesday lessons begin". */
const DATED = words(
  'on last this next past coming by until till before after since from is was are were and or to in',
);
/** Dishes and things that are called after a day of the week and mean none. */
const CALLED_AFTER = words('roast roasts gravy school schools best papers newspaper newspapers');
/** Between the weekday and its noun stand adjectives and nouns only. */
const NO_ATTRIBUTE = words(
  'i he she it we they you is was are were has have had will the a an and or but at with for to in on of by from my her his their our',
);
const REACH = 3;

/**
 * Whether a weekday says on which day of each week something is: "Tuesday piano lessons", "a weekly Thursday class".
 *
 * @param before the word before it, '' for none. @param after the words behind it, folded.
 */
export function isEachWeek(before: string, after: readonly string[]): boolean {
  if (DATED.has(before)) return false;
  for (const [index, word] of after.slice(0, REACH).entries()) {
    if (NO_ATTRIBUTE.has(word)) return false;
    if (REPEATED.has(word)) return true;
    if (index < 2 && HELD.has(word) && OWNED.has(before)) return true;
  }
  return false;
}

/** "Sunday roast", "Grandma's Sunday gravy": the name of a thing. */
export function isCalledAfter(before: string, after: readonly string[]): boolean {
  return !DATED.has(before) && CALLED_AFTER.has(after[0] ?? '');
}
