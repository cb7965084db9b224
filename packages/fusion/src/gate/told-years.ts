import type { Statement, Unit } from './unit.ts';

const SEASONS = new Map(Object.entries({ spring: 2, summer: 5, autumn: 8, fall: 8 }));
/** Words before a season or a month that lies ahead. */
const AHEAD = new Set(['by', 'until', 'till', 'before', 'from']);
/** After a day without its year these bring the year: "9 September (married 2016)". */
const BEGINNING = new Set(['married', 'born', 'founded', 'wed', 'engaged', 'marry', 'bear', 'wedding']);
const NEAR = 5;

/**
 * Gives the words of a note that leave the year to the day on which it was said ("by summer", "until the end of the year") the keys of that very year, and
 * a day without a year the year that stands in brackets behind it.
 *
 * @param day on which it was said, YYYY-MM-DD.
 */
export function settleYears(statement: Statement, text: string, day: string): void {
  if (statement.language !== 'en') return;
  const [year, month] = [Number(day.slice(0, 4)), Number(day.slice(5, 7)) - 1];
  const ends = /\b(?:end of (?:the|this) year|(?:the|this) year[- ]end|the year is out)\b/i.test(text);
  for (const [index, unit] of statement.units.entries()) {
    if (unit.kind === 'word') {
      const last = SEASONS.get(unit.form);
      if (last !== undefined && AHEAD.has(unit.before))
        add(unit, `date:${year + (month > last ? 1 : 0)}-${unit.form === 'fall' ? 'autumn' : unit.form}`);
      if (unit.form === 'year' && ends) add(unit, `date:${year}`);
    }
    if (unit.kind === 'date' && /^--\d\d-\d\d$/.test(unit.form)) joinYear(statement, unit, index, text);
  }
}

/** "9 September (married 2016)" */
function joinYear(statement: Statement, unit: Unit, index: number, text: string): void {
  const [what, year] = [statement.units[index + 1], statement.units[index + 2]];
  if (what === undefined || year?.kind !== 'date' || !/^\d{4}$/.test(year.form)) return;
  if (year.word - unit.word > NEAR + 1 || !BEGINNING.has(what.form)) return;
  if (!new RegExp(`\\(${what.form}\\w* (?:in )?${year.form}\\)`, 'i').test(text)) return;
  const key = `date:${year.form}${unit.form.slice(1)}`;
  add(unit, key);
  add(year, key);
}

/** A summary may say "around" before a day that a note told by whole weeks. */
export function allowAbout(summary: Statement, all: readonly Statement[]): void {
  const rough = new Set(all.flatMap(({ units }) => units.flatMap(({ keys }) => keys.filter(isRough))));
  if (rough.size === 0) return;
  for (const [index, unit] of summary.units.entries()) {
    const next = summary.units[index + 1];
    if (unit.kind !== 'operator' || !unit.keys.includes('op:about') || next?.kind !== 'date') continue;
    if (rough.has(`about:${next.form.slice(-5)}`)) unit.frame = true;
  }
}

function isRough(key: string): boolean {
  return key.startsWith('about:');
}

function add(unit: Unit, key: string): void {
  if (!unit.keys.includes(key)) unit.keys = [...unit.keys, key];
}
