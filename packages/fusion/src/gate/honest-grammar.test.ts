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

const GUESTS = 'For the party the user invited 35 guests, but uncle Stefan is not invited to the party.';
const COFFEE = 'User usually drinks two cups of coffee before noon. User no longer drinks coffee after 2 pm.';
const MOVE = 'User moved from Denver to Halifax in August 2025.';
const SEATS = [
  'User always wants an aisle seat on planes.',
  'On trains user wants a window seat, facing forward.',
];

describe('a statement told in another order or with less words', () => {
  it.each([
    [[GUESTS], '35 guests are invited to the party by the user, but not uncle Stefan.'],
    [[COFFEE], 'User usually drinks 2 cups of coffee before noon and no longer after 2 pm.'],
    [[MOVE], 'In August 2025 user moved to Halifax from Denver.'],
    [SEATS, 'User always wants an aisle seat on planes, but on trains a window seat, facing forward.'],
    [["User's passport number ends in 4471."], "User's passport no. ends in 4471."],
    [["Don't suggest restaurants with loud music."], 'Suggest no restaurants with loud music.'],
    [
      ['User goes to every home game of the Rotbach club.'],
      'User is going to every home game of the Rotbach club.',
    ],
    [
      [
        'The assistant may book restaurants up to 100 euros.',
        "Never send emails on user's behalf to clients.",
      ],
      "The assistant may book restaurants up to 100 euros but must never send emails on user's behalf to clients.",
    ],
    [['User is saving for a deposit on a flat.'], 'User saves for a flat deposit.'],
    [["I'd like you to call me Sasha, not Alexandra."], 'User wants to be called Sasha, not Alexandra.'],
  ])('%s is kept by "%s"', (notes, summary) => {
    expect(passes(notes, summary)).toBe(true);
  });

  it.each([
    [[GUESTS], 'Uncle Stefan is invited to the party by the user, but not 35 guests.'],
    [[COFFEE], 'User no longer drinks 2 cups of coffee before noon and usually after 2 pm.'],
    [[MOVE], 'In August 2025 user moved to Denver from Halifax.'],
    [SEATS, 'User always wants a window seat on planes, but on trains an aisle seat, facing forward.'],
    [['Suggest restaurants, no bars with loud music.'], 'Suggest no restaurants, bars with loud music.'],
    [
      ['User goes to every home game of the Rotbach club.'],
      'User is going to quit every home game of the Rotbach club.',
    ],
    [
      ['User never sends emails on Fridays to the clients.'],
      'User must never send emails on Fridays to the clients.',
    ],
    [['User would like to call Sasha, not Alexandra.'], 'User would like to be called Sasha, not Alexandra.'],
  ])('%s is not "%s"', (notes, summary) => {
    expect(passes(notes, summary)).toBe(false);
  });
});
