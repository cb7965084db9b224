import { describe, expect, it } from 'vitest';
import { extractAtoms } from './atoms.ts';
import { resolveRelativeDates } from './relative-dates.ts';

function valuesOf(text: string): string[] {
  return extractAtoms(text)
    .filter(({ kind }) => kind !== 'name')
    .map(({ kind, value }) => `${kind}:${value}`);
}

describe('weekdays of every week', () => {
  it.each([
    ['has Tuesday piano lessons', ['date:tuesdays']],
    ['goes for Sunday long runs', ['date:sundays']],
    ['has a weekly Thursday class', ['number:per week', 'date:thursdays']],
    ['every Tuesday, Thursday and Saturday', ['date:tuesdays', 'date:thursdays', 'date:saturdays']],
    ['on Tuesday lessons begin', ['date:tuesday']],
    ['next Tuesday lessons begin', ['date:tuesday']],
    ['has a Tuesday appointment', ['date:tuesday']],
    ['Tuesday and every Thursday', ['date:tuesday', 'date:thursdays']],
  ])('%s', (text, values) => {
    expect(valuesOf(text)).toEqual(values);
  });
});

describe('amounts, rates and times', () => {
  it.each([
    ['98.6F', ['number:98.6 °f']],
    ['70 m2', ['number:70 sqm']],
    ['70 sq m', ['number:70 sqm']],
    ['tyres for 148 pounds', ['number:148 pound']],
    ['paid 148 pounds', ['number:148 gbp']],
    ['weighs 148 pounds', ['number:148 lb']],
    ['up to an hour', ['number:<=60 min']],
    ['for a year', ['number:1 year']],
    ['twice a year', ['number:2 times', 'number:per year']],
    ['a quarter of an hour', ['number:15 min']],
    ['every other week', ['number:per 2 week']],
    ['every second week', ['number:per 2 week']],
    ['every morning', ['number:per day']],
    ['every week', ['number:per week']],
    ['the rent goes up to 1,420 pounds', ['number:1420 gbp']],
    ['a flat for up to 1,420 pounds a month of rent', ['number:<=1420 gbp', 'number:per month']],
    ['a second-hand bike', []],
    ['a second bike', ['number:2th']],
    ['aged about six', ['number:6 year old']],
    ['142 over 91', ['number:142/91']],
    ['order 881-2207', ['number:8812207']],
    ['from 12 to 20:00', ['time:12:00..20:00']],
    ['13.00 until 19.30', ['time:13:00..19:30']],
    ['from 2.50 to 3.10 euros', ['number:2.5..3.1 eur']],
    ['16 at night', ['number:16']],
    ['8 at night', ['time:20:00']],
    ["since New Year's Day", ['date:--01-01']],
    ["on Valentine's Day 2025", ['date:2025-02-14']],
    ['in Jan', ['date:--01']],
    ['with Jan', []],
    ['3/5/2025', ['date:?3/5/2025']],
  ])('%s', (text, values) => {
    expect(valuesOf(text)).toEqual(values);
  });
});

describe('days that are told to the day', () => {
  it.each([
    ['quit three weeks ago today', '2025-08-22', 'quit on 2025-08-01'],
    ['quit a month ago today', '2025-08-22', 'quit on 2025-07-22'],
    ['quit a month ago today', '2025-07-31', 'quit a month ago today'],
    ['quit about three weeks ago today', '2025-08-22', 'quit about three weeks ago today'],
  ])('%s (%s)', (text, day, resolved) => {
    expect(resolveRelativeDates(text, day).text).toBe(resolved);
  });

  it.each([
    ['Has Tuesday piano lessons', []],
    ["Grandma's Sunday gravy", []],
    ['Her Thursday class', []],
    ['Her Thursday appointment', ['Thursday']],
    ['Sees him on Tuesday', ['Tuesday']],
  ])('%s', (text, unresolved) => {
    expect(resolveRelativeDates(text, '2025-03-04').unresolved).toEqual(unresolved);
  });
});
