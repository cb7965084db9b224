import { detectLanguage } from '../reading/languages/detect.ts';
import { untabledLanguage } from '../reading/languages/untabled.ts';
import { resolveRelativeDates } from '../reading/relative-dates.ts';
import { settleAddresses } from './addresses.ts';
import { joinAsides } from './asides.ts';
import { shareCurrencies } from './foreign-amounts.ts';
import { isHabit, settleYears } from './foreign-days.ts';
import { plainSpelling } from './foreign-spelling.ts';
import { foreignStem } from './foreign-stems.ts';
import { namesDay, showNamedDays, withNamedDays } from './named-days.ts';
import { settleDays } from './said-days.ts';
import { shareUnits } from './shared-units.ts';
import { namesIn, readStatement } from './statement.ts';
import { shareSubjects } from './subjects.ts';
import { settleTimes } from './told-times.ts';
import type { Statement } from './unit.ts';

/** A text with the day on which it was said, YYYY-MM-DD; null when nobody knows. */
export interface SaidText {
  content: string;
  day: string | null;
}

export interface TextReading {
  statement: Statement;
  /** Relative dates that nothing resolves. */
  unresolved: string[];
}

/** Reads texts that are to be compared: in one language, with one set of names, with relative dates resolved. */
export function readTogether(written: readonly SaidText[]): TextReading[] {
  const texts = withNamedDays(written);
  const all = texts.map(({ content }) => content).join('\n');
  const untabled = untabledLanguage(all);
  const code = untabled ?? detectLanguage(all);
  const resolved = texts.map(({ content, day }) => {
    const one = resolveRelativeDates(content, day, untabled);
    return code === 'en' ? one : { ...one, text: plainSpelling(one.text, code) };
  });
  const names = new Set(resolved.flatMap(({ text }) => namesIn(text, code)));
  if (code !== 'en') for (const name of [...names]) names.add(`=${foreignStem(name, code)}`);
  const plain = resolved.map(({ text }) => joinAsides(text, code));
  const readings = resolved.map(({ unresolved }, index) => ({
    statement: readStatement(plain[index]!, code, names),
    unresolved: unresolved.filter(
      (phrase) =>
        !isHarmless(phrase, texts[index]!.content) &&
        !(code !== 'en' && isHabit(phrase, texts[index]!.content, code)),
    ),
  }));
  const statements = readings.map(({ statement }) => statement);
  const english = code === 'en';
  if (english) {
    shareUnits(statements);
    settleAddresses(statements);
  } else shareCurrencies(statements);
  for (const [index, statement] of statements.entries()) {
    if (english) settleTimes(statement, plain[index]!);
    else settleYears(statement, texts[index]!.day);
  }
  const spelled = english
    ? texts
    : texts.map((one) => ({ ...one, content: plainSpelling(one.content, code) }));
  const settled = settleDays(
    readings.map((reading, index) => ({ ...reading, ...spelled[index]!, text: plain[index]! })),
  );
  for (const [index, reading] of readings.entries())
    reading.unresolved = reading.unresolved.filter((phrase) => !settled[index]!.includes(phrase));
  shareSubjects(statements);
  for (const statement of statements) showNamedDays(statement);
  return readings;
}

/**
 * The relative dates of a text that nobody can resolve ("on Friday", "in a few weeks"). A source with one is never covered: it means another day
 * in a summary.
 *
 * @param day on which it was said, YYYY-MM-DD.
 */
export function openDates(text: string, day: string | null): string[] {
  return resolveRelativeDates(text, day).unresolved.filter((phrase) => !isHarmless(phrase, text));
}

const HABITUAL =
  /\b(?:every|each|(?:a|per) week|except|weekdays|weekends|daily|weekly|(?:mon|tues|wednes|thurs|fri|satur|sun)days|(?:mon|tue|wed|thu|fri)[a-z]*[-–](?:wed|thu|fri|sat|sun)[a-z]*)\b/i;

/** A bare weekday that names somebody or tells of a habit ("every day except Wednesday") means no one day. */
function isHarmless(phrase: string, text: string): boolean {
  if (!/^(?:on )?(?:mon|tue|wed|thu|fri|sat|sun)/i.test(phrase)) return false;
  if (HABITUAL.test(text)) return true;
  const at = text.indexOf(phrase);
  return at !== -1 && namesDay(text.slice(0, at));
}
