import { describe, expect, it } from 'vitest';
import { clusterOf } from '../testing/samples.ts';
import { checkGate } from './gate.ts';

const SHELF = 'The box of apples stands in the cellar behind the old shelf.';

/** Whether a summary holds the notes and two more about something else, which leave it room. */
function passes(notes: readonly string[], summary: string): boolean {
  const sources = [...notes, SHELF, `${SHELF} It is green.`];
  const all = sources.map((_, index) => index + 1);
  const told = `${summary} ${SHELF} It is green.`;
  const verdict = checkGate(clusterOf(...sources), told, all, { latestCount: 1_000, alreadySuperseded: 0 });
  expect(told.length).toBeLessThan(sources.join('').length);
  return verdict.ok && verdict.coveredIds.length === sources.length;
}

const BECAUSE = 'Nadia stays home because the car broke down.';
const SO = 'The car broke down, so Nadia stays home.';
const AFTER = 'Nadia must rest for ten days after the operation on 3 May.';
const REFUSAL = "Xiomara can't come to the offsite, her passport expired.";

describe('a reason', () => {
  it.each([
    [BECAUSE, 'The car broke down, so Nadia stays home.'],
    [BECAUSE, 'The car broke down, which is why Nadia stays home.'],
    [BECAUSE, 'Since the car broke down, Nadia stays home.'],
    [SO, 'Nadia stays home because the car broke down.'],
    [SO, 'As the car broke down, Nadia stays home.'],
    [SO, 'The car broke down, therefore Nadia stays home.'],
    [REFUSAL, "Xiomara can't come to the offsite because her passport expired."],
  ])('of "%s" is kept by "%s"', (note, summary) => {
    expect(passes([note], summary)).toBe(true);
  });

  it.each([
    [BECAUSE, 'Nadia stays home, so the car broke down.'],
    [BECAUSE, 'Because Nadia stays home, the car broke down.'],
    [SO, 'Nadia stays home, so the car broke down.'],
    [SO, 'The car broke down because Nadia stays home.'],
    ['The car broke down and Nadia stays home.', 'Nadia stays home because the car broke down.'],
    [REFUSAL, "Xiomara's passport expired because she can't come to the offsite."],
    ['Ann lives in Oslo, she has a dog.', 'Ann lives in Oslo because she has a dog.'],
    [
      "I haven't met Finn yet, Daniel would rather wait until summer.",
      "I haven't met Finn yet, as I would rather wait until summer.",
    ],
  ])('of "%s" is not "%s"', (note, summary) => {
    expect(passes([note], summary)).toBe(false);
  });
});

describe('a word that changes a statement', () => {
  it.each([
    [AFTER, 'Nadia has the operation on 3 May and must rest for ten days afterwards.'],
    ['Nadia bikes to work unless it rains.', 'Nadia bikes to work except when it rains.'],
    ['Only Vera may pick up Emil.', 'Vera alone may pick up Emil.'],
    ['Nadia drinks only green tea.', 'Nadia drinks just green tea.'],
    ['Nadia drinks only green tea.', 'Nadia drinks green tea only.'],
    ['The flat has no elevator.', 'The flat lacks an elevator.'],
    ['Nadia is not allowed to drive.', "Nadia mustn't drive."],
    ['The swimming only begins after half-term.', "The swimming doesn't begin until after half-term."],
    ['The assistant may book restaurants.', 'The assistant is allowed to book restaurants.'],
    ['The budget for shoes is at most 80 euros.', 'The budget for shoes is capped at 80 euros.'],
    ['The budget for shoes is at most 80 euros.', 'The budget for shoes is 80 euros or less.'],
    ['About 40 guests come.', 'Some 40 guests come.'],
  ])('of "%s" is kept by "%s"', (note, summary) => {
    expect(passes([note], summary)).toBe(true);
  });

  it.each([
    [AFTER, 'Nadia must rest for ten days and has the operation on 3 May afterwards.'],
    ['Nadia bikes to work unless it rains.', 'Nadia bikes to work when it rains.'],
    ['Nadia drinks only green tea.', 'Only Nadia drinks green tea.'],
    ['Only Nadia drinks green tea.', 'Nadia drinks only green tea.'],
    ['Ann lets Mateo watch cartoons only on weekends.', 'Ann lets Mateo watch only cartoons on weekends.'],
    ['Nadia must not drive.', "Nadia doesn't need to drive."],
    ['The swimming begins after half-term.', "The swimming doesn't begin until half-term."],
    ['It may rain in Oslo.', 'It is allowed to rain in Oslo.'],
    ['The budget for shoes is at most 80 euros.', 'The budget for shoes is 80 euros or more.'],
    ['40 guests are expected, 6 of them children.', '40 guests are expected, plus 6 children.'],
    [
      'The train leaves Oriente 09:39 for Campanha 12:50.',
      'The train leaves Campanha 09:39 for Oriente 12:50.',
    ],
  ])('of "%s" is not "%s"', (note, summary) => {
    expect(passes([note], summary)).toBe(false);
  });

  it('goes on where its verb is left out', () => {
    const seats = ['I want an aisle seat on planes.', 'On trains I want a window seat.'];
    expect(passes(seats, 'User wants an aisle seat on planes but on trains a window seat.')).toBe(true);
    expect(passes(seats, 'User wants a window seat on planes but on trains an aisle seat.')).toBe(false);
    const bounds = [
      'Rashid approves expenses above 500 dollars.',
      'Expenses below 500 dollars are approved by Wen.',
    ];
    expect(passes(bounds, 'Rashid approves expenses above 500 dollars, and Wen those below.')).toBe(true);
    expect(passes(bounds, 'Rashid approves expenses below 500 dollars, and Wen those above.')).toBe(false);
  });
});
