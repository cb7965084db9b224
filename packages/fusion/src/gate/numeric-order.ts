import { isDay, twoDigits } from '../reading/calendar.ts';
import type { DatedReading } from './dated-reading.ts';

/** Of English dates whose order of day and month is open: the other order is another date. */
const OPEN = /^\?(\d{1,2})\/(\d{1,2})\/(\d{4})$/;
/** How far the same day in words may stand behind it: "3/11/2024 (3 November)". */
const BESIDE = 2;
const MONTH =
  '(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)(?:uary|ruary|ch|il|e|y|ust|t|tember|ober|ember)?';
const DAY_FIRST = new RegExp(`\\b\\d{1,2}(?:st|nd|rd|th)?(?: of)? ${MONTH}\\b`, 'i');
const MONTH_FIRST = new RegExp(`\\b${MONTH}\\.? \\d{1,2}(?:st|nd|rd|th)?\\b(?!:)`, 'i');

/**
 * Settles what "7/12/2025" means: the order in which the notes write their dates in words, when all that have any write the day first or all the month
 * first, and the summary does not do otherwise. Who writes "7 December" writes 7/12. Notes without such a date leave it open. A note that tells the same day in
 * words beside it says which it is.
 */
export function settleNumericDates(readings: readonly DatedReading[]): void {
  const hasOpen = readings.some(({ statement }) =>
    statement.units.some(({ kind, form }) => kind === 'date' && OPEN.test(form)),
  );
  if (!hasOpen) return;
  const dayFirst = readings.some(({ content }) => DAY_FIRST.test(content));
  const monthFirst = readings.some(({ content }) => MONTH_FIRST.test(content));
  const bySource = readings.some(
    ({ day, content }) => day !== null && (DAY_FIRST.test(content) || MONTH_FIRST.test(content)),
  );
  const order = bySource && dayFirst !== monthFirst ? (dayFirst ? 'day' : 'month') : null;
  for (const { statement } of readings) {
    for (const [index, unit] of statement.units.entries()) {
      const open = unit.kind === 'date' ? OPEN.exec(unit.form) : null;
      if (open === null) continue;
      const [first, second, year] = [Number(open[1]), Number(open[2]), Number(open[3])];
      const readAs = (month: number, date: number): string =>
        isDay(year, month, date) ? `${twoDigits(month)}-${twoDigits(date)}` : '';
      const [european, american] = [readAs(second, first), readAs(first, second)];
      const beside = statement.units[index + 1];
      const words = beside?.kind === 'date' && beside.word - unit.word <= BESIDE ? beside.form : '';
      const told =
        european === american
          ? null
          : words === `--${european}`
            ? 'day'
            : words === `--${american}`
              ? 'month'
              : null;
      const chosen = told ?? order;
      const day = chosen === 'day' ? european : chosen === 'month' ? american : '';
      if (day !== '') unit.keys = [...new Set([...unit.keys, `date:${year}-${day}`])];
    }
  }
}
