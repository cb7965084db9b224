import { describe, expect, it } from 'vitest';
import { inventedBy, lostFrom } from './coverage.ts';
import { readTogether } from './reading.ts';

/** What a summary loses of a note and adds to it. */
function differences(note: string, day: string, summary: string): string[] {
  const [source, other] = readTogether([
    { content: note, day },
    { content: summary, day: null },
  ]);
  return [
    ...lostFrom(source!.statement, other!.statement),
    ...inventedBy(other!.statement, [source!.statement], new Set([day.slice(0, 4)])),
  ].map(({ kind, value }) => `${kind}:${value}`);
}

describe('days that a note tells relative to its own', () => {
  it.each([
    ['Ann sold the boat today.', '2025-04-20', 'Ann sold the boat on April 20.'],
    ['The cast comes off in five weeks.', '2025-06-26', 'The cast comes off on July 31, 2025.'],
    ['The cast comes off in five weeks.', '2025-06-26', 'The cast comes off in the week of July 28, 2025.'],
    ['Ann must answer within eight days.', '2025-06-19', 'Ann must answer by June 27.'],
    ['The Harriers won last night.', '2025-04-13', 'The Harriers won on April 12, 2025.'],
    ['Ann fell on Sunday (June 22).', '2025-06-24', 'Ann fell on June 22, 2025.'],
    ['Ann fell on June 22.', '2025-06-24', 'Ann fell on Sunday, June 22.'],
    ['Ann practises the cello 40 minutes a day.', '2025-06-24', 'Ann practises the cello 40 minutes daily.'],
    ['Working hours: 37.5 a week.', '2025-06-24', 'Works 37.5 hours a week.'],
  ])('%s (%s) is %s', (note, day, summary) => {
    expect(differences(note, day, summary)).toEqual([]);
  });

  it.each([
    ['Ann sold the boat today.', '2025-04-20', 'Ann sold the boat on April 21.'],
    ['Ann sold the boat on April 20, 2025.', '2025-05-01', 'Ann sold the boat on April 20.'],
    ['Ann sold the boat today.', '2025-04-20', 'Born on 3 May 1990, Ann sold the boat on April 20.'],
    ['The cast comes off in five weeks.', '2025-06-26', 'The cast comes off on July 28, 2025.'],
    ['Ann must answer within eight days.', '2025-06-19', 'Ann must answer by June 28.'],
    ['Ann fell on June 22.', '2025-06-24', 'Ann fell on Monday, June 22.'],
    ['Ann comes on Saturday morning, 28 June.', '2025-06-24', 'Ann comes on 28 June.'],
  ])('%s (%s) is not %s', (note, day, summary) => {
    expect(differences(note, day, summary)).not.toEqual([]);
  });
});
