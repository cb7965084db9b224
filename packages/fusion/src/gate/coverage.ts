import { hasPhrase } from '../reading/spoken.ts';
import { isCarried, isCarrierAdded } from './carriers.ts';
import { isConverseKept } from './converses.ts';
import { isHeadOfCompound, isKeptInCompound } from './foreign-compounds.ts';
import { isInstructed } from './instructions.ts';
import { isLasting } from './lasting.ts';
import { isImpliedReason, linkOf } from './links.ts';
import { isRephrased } from './rephrased.ts';
import { isRetold } from './retold.ts';
import { isAtomKind, type Statement, type Unit } from './unit.ts';

/** One thing that a text has and another lacks. An empty value stands for text that cannot be compared. */
export interface Difference {
  kind: Unit['kind'] | 'word' | 'pairing' | 'relative_date';
  value: string;
}

/** Soft words that a summary may add all the same. */
const HARMLESS = new Set([
  'can',
  'any',
  'feel',
  'still',
  'yet',
  'even',
  'specific',
  'either',
  'people',
  'person',
  'happen',
  'happens',
  'happened',
]);

/** What `source` says that `summary` does not; empty means covered. In doubt something is listed. */
export function lostFrom(source: Statement, summary: Statement): Difference[] {
  const lost: Difference[] = [];
  const said = new Set<string>();
  for (const unit of source.units) {
    if (unit.soft || isKept(unit, source, summary)) continue;
    const value = unit.kind === 'operator' ? unit.keys[0]!.slice(3) : unit.form;
    const kind = kindOf(unit);
    if (!said.has(`${kind} ${value}`)) lost.push({ kind, value });
    said.add(`${kind} ${value}`);
  }
  const comparable = source.units.some((unit) => !unit.soft);
  if (!comparable || source.opaque) lost.push({ kind: 'word', value: '' });
  return lost;
}

function kindOf(unit: Unit): Difference['kind'] {
  if (unit.kind === 'operator') return isDenying(unit) ? 'negation' : 'word';
  return unit.kind === 'gram' ? 'word' : unit.kind;
}

function isDenying(unit: Unit): boolean {
  return ['op:not', 'op:never', 'op:nolonger'].includes(unit.keys[0]!);
}

function isKept(unit: Unit, source: Statement, summary: Statement): boolean {
  if (unit.keys.some((key) => summary.keys.has(key))) return true;
  if (unit.kind === 'quote') return hasPhrase(summary.spoken, unit.keys[0]!.slice('quote:'.length));
  if (unit.kind === 'number') return isNumberKept(unit, source, summary);
  if (unit.kind === 'date') return isDateKept(unit, summary);
  if (unit.kind === 'operator') return isOperatorKept(unit, source, summary);
  if (unit.kind === 'word' || unit.kind === 'name')
    return (
      isCompoundKept(unit, source, summary) ||
      isCarried(unit, source, summary) ||
      isConverseKept(unit, source, summary) ||
      isRetold(unit, source, summary)
    );
  return false;
}

/** "is 6" is kept by "6-year-old". */
function isNumberKept(unit: Unit, source: Statement, summary: Statement): boolean {
  const value = unit.keys[0]!.slice('number:'.length);
  if (value === '2' && summary.spoken.includes(' both ')) return true;
  // "a weekly lesson on Thursdays" is one every Thursday.
  if (value === 'per week' && isWeeklyDay(unit, source, summary)) return true;
  if (/^\d+$/.test(value))
    return summary.keys.has(`number:${value} year`) || summary.keys.has(`number:${value} year old`);
  const years = /^(\d+) year(?: old)?$/.exec(value);
  return (
    years !== null && summary.keys.has(`number:${years[1]}`) && !summary.keys.has(`number:${years[1]} month`)
  );
}

/** What is counted per week beside a day of each week that both texts tell, and nothing else is. */
function isWeeklyDay(unit: Unit, source: Statement, summary: Statement): boolean {
  const at = source.units.indexOf(unit);
  if (source.units[at - 1]?.kind === 'number' || source.units[at + 1]?.kind === 'number') return false;
  return source.units.some(
    ({ kind, form, sentence }) =>
      kind === 'date' &&
      sentence === unit.sentence &&
      /days$/.test(form) &&
      summary.units.some((other) => other.kind === 'date' && other.form === form),
  );
}

/** A day without a year is kept by the same day with one; whether the year is right is not asked here. */
function isDateKept(unit: Unit, summary: Statement): boolean {
  const value = unit.keys[0]!.slice('date:'.length);
  if (!/^--\d\d(?:-\d\d)?$/.test(value)) return false;
  return summary.units.some(
    ({ kind, form }) => kind === 'date' && /^\d{4}-/.test(form) && form.slice(4) === value.slice(1),
  );
}

function isOperatorKept(unit: Unit, source: Statement, summary: Statement): boolean {
  switch (unit.keys[0]) {
    // Between alternatives that are all denied "or" and "and" say the same.
    case 'op:or':
      return hasDenial(source, unit);
    case 'op:about':
      return true;
    default:
      return isRephrased(unit, source, summary);
  }
}

export function hasDenial(statement: Statement, unit: Unit): boolean {
  return statement.units.some((other) => isDenying(other) && other.sentence === unit.sentence);
}

/** "check-up" and "checkup", "data base" and "database". */
function isCompoundKept(unit: Unit, source: Statement, summary: Statement): boolean {
  const at = source.units.indexOf(unit);
  for (const [first, second] of [
    [unit, source.units[at + 1]],
    [source.units[at - 1], unit],
  ]) {
    if (first && second && summary.keys.has(`=${first.form}${second.form}`)) return true;
  }
  for (let index = 0; index + 1 < summary.units.length; index += 1) {
    if (`${summary.units[index]!.form}${summary.units[index + 1]!.form}` === unit.form) return true;
  }
  return source.language !== 'en' && isKeptInCompound(unit, source, summary);
}

/** What `summary` says that none of the sources does. */
export function inventedBy(
  summary: Statement,
  sources: readonly Statement[],
  years: ReadonlySet<string>,
): Difference[] {
  const known = new Set<string>();
  const implied = new Set<string>();
  for (const source of sources) {
    for (const key of source.keys) known.add(key);
    for (const unit of source.units) addImplied(implied, unit, years);
    if (source.spoken.includes(' both ')) implied.add('number:2');
  }
  const invented: Difference[] = [];
  for (const unit of summary.units) {
    if (unit.frame || unit.keys.some((key) => known.has(key) || implied.has(key))) continue;
    if (unit.soft && (unit.kind !== 'word' || HARMLESS.has(unit.form) || comesFrom(unit, summary))) continue;
    if (unit.kind === 'operator' && isImpliedOperator(unit, summary, sources)) continue;
    if (
      (unit.kind === 'word' || unit.kind === 'name') &&
      (sources.some(
        (source) => isCompoundKept(unit, summary, source) || isHeadOfCompound(unit, summary, source),
      ) ||
        isCarrierAdded(unit, summary, sources))
    )
      continue;
    invented.push({
      kind: kindOf(unit),
      value: unit.kind === 'operator' ? unit.keys[0]!.slice(3) : unit.form,
    });
  }
  if (saysBoth(summary) && sources.some(tellsOfOne) && !sources.some(saysBoth))
    invented.push({ kind: 'word', value: 'both' });
  return invented;
}

/** "beans that come from Ethiopia" are beans from there. */
function comesFrom(unit: Unit, { units }: Statement): boolean {
  if (!/^com(?:e|es|ing)$/.test(unit.form)) return false;
  return units[units.indexOf(unit) + 1]?.before === 'from';
}

function saysBoth({ spoken, language }: Statement): boolean {
  return language === 'en' && spoken.includes(' both ');
}

/** Of several there one is meant: no "both". */
function tellsOfOne({ spoken }: Statement): boolean {
  return spoken.includes(' one of ');
}

function isImpliedOperator(unit: Unit, summary: Statement, sources: readonly Statement[]): boolean {
  if (unit.keys[0] === 'op:because') {
    const link = linkOf(summary, unit);
    return link !== null && isImpliedReason(link, sources);
  }
  if (unit.form === 'after') return isLasting(unit, summary, sources);
  if (unit.keys[0] === 'op:need' || unit.keys[0] === 'op:should') return isInstructed(unit, summary, sources);
  if (unit.form === 'each') return isPerEach(unit, summary, sources);
  if (unit.keys[0] === 'op:or')
    return hasDenial(summary, unit) && sources.some((source) => source.keys.has('op:not'));
  return false;
}

/** "48 hours each" where a source has "48 hours per job". */
function isPerEach(unit: Unit, summary: Statement, sources: readonly Statement[]): boolean {
  const counted = summary.units[summary.units.indexOf(unit) - 1];
  if (counted?.kind !== 'number' || counted.clause !== unit.clause) return false;
  return sources.some(({ units }) =>
    units.some(
      ({ keys }, at) => keys.some((key) => counted.keys.includes(key)) && units[at + 1]?.before === 'per',
    ),
  );
}

/** Leaving out a unit or a part of a date is a loss, not an invention; nor is the year of a day that the source's own date tells. */
function addImplied(implied: Set<string>, unit: Unit, years: ReadonlySet<string>): void {
  if (!isAtomKind(unit.kind)) return;
  const value = unit.form;
  if (unit.kind === 'number') {
    const space = value.indexOf(' ');
    if (space !== -1) implied.add(`number:${value.slice(0, space)}`);
    else if (/^\d+$/.test(value)) {
      implied.add(`number:${value} year`);
      implied.add(`number:${value} year old`);
    }
    return;
  }
  if (unit.kind !== 'date') return;
  const date = /^(\d{4})-(\d\d)(?:-(\d\d))?$/.exec(value);
  if (date) {
    implied.add(`date:${date[1]}`);
    implied.add(`date:--${date[2]}`);
    implied.add(`date:${date[1]}-${date[2]}`);
    if (date[3]) implied.add(`date:--${date[2]}-${date[3]}`);
  } else if (/^--\d\d-\d\d$/.test(value)) {
    implied.add(`date:${value.slice(0, 4)}`);
    for (const year of years) implied.add(`date:${year}${value.slice(1)}`);
  } else if (/^--\d\d$/.test(value)) {
    for (const year of years) implied.add(`date:${year}${value.slice(1)}`);
  }
}
