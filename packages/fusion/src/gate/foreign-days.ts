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

/** "until the end of the year" without its accents, and the word for the year in it. */
const YEAR_END =
  / (?:ate (?:o |ao )?(?:fim|final) do ano|(?:hasta|antes de) (?:el )?(?:fin|final|finales) (?:de|del) ano|bis (?:zum )?ende des jahres|avant la fin de l'?(?: )?annee|entro la fine dell'?(?: )?anno|voor het einde? van het jaar|do konca roku) /;
const YEAR = new Set('ano año jahres année anno jaar roku'.split(' '));
/** Verbs that say that something is still to come. */
const INTENDING = new Set(
  'wil willen gaat zal zullen will wollen möchte möchten plant planen veut veux souhaite compte prévoit quiere quiero piensa vuole voglio quer quero pretende chce chcę zamierza planuje vill ska planerar хочет планирует собирается'.split(
    ' ',
  ),
);

/**
 * A day or a month of a note without its year is also that of the year in which it was said; where somebody means to do something then and the
 * month is past, that of the next. "Until the end of the year" names the year.
 */
export function settleYears(statement: Statement, day: string | null): void {
  if (day === null) return;
  const year = Number(day.slice(0, 4));
  const meant = new Set(
    statement.units.filter(({ form }) => INTENDING.has(form)).map(({ clause }) => clause),
  );
  const ends = YEAR_END.test(statement.spoken);
  for (const unit of statement.units) {
    if (ends && unit.kind === 'word' && YEAR.has(unit.form)) addKey(unit, `date:${year}`, statement);
    if (unit.kind !== 'date' || !YEARLESS.test(unit.form)) continue;
    unit.keys = [...unit.keys, `date:${day.slice(0, 4)}${unit.form.slice(1)}`];
    const past = unit.form.slice(2, 4) < day.slice(5, 7);
    if (past && meant.has(unit.clause)) addKey(unit, `date:${year + 1}${unit.form.slice(1)}`, statement);
  }
}

function addKey(unit: Statement['units'][number], key: string, statement: Statement): void {
  unit.keys = [...unit.keys, key];
  (statement.keys as Set<string>).add(key);
}
