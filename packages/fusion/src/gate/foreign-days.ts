import { languageOf } from '../reading/languages/all.ts';
import { tellsHabit } from './foreign-context.ts';
import type { Statement } from './unit.ts';

const YEARLESS = /^--\d\d(?:-\d\d)?$/;

/** Whether a phrase that names a weekday means any of that name: the sentence tells what somebody does often. */
export function isHabit(phrase: string, text: string, code: string): boolean {
  const words = phrase.toLowerCase().split(/[\s-]+/);
  const weekdays = languageOf(code)?.weekdays;
  if (!weekdays || words.length > 2 || !words.some((word) => weekdays.has(word))) return false;
  const sentence = text.split(/(?<=[.!?;])\s/).find((part) => part.includes(phrase));
  return sentence !== undefined && tellsHabit(sentence);
}

/** A day or a month of a note without its year is also that of the year in which it was said. */
export function settleYears(statement: Statement, day: string | null): void {
  if (day === null) return;
  for (const unit of statement.units) {
    if (unit.kind !== 'date' || !YEARLESS.test(unit.form)) continue;
    unit.keys = [...unit.keys, `date:${day.slice(0, 4)}${unit.form.slice(1)}`];
  }
}
