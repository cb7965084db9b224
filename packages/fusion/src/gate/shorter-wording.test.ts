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

/** What one of them keeps, and its nearest neighbours that it does not. */
function cases(title: string, notes: readonly string[], kept: readonly string[], changed: readonly string[]) {
  describe(title, () => {
    it.each(kept)('is kept by "%s"', (summary) => expect(passes(notes, summary)).toBe(true));
    it.each(changed)('is not "%s"', (summary) => expect(passes(notes, summary)).toBe(false));
  });
}

cases(
  'a wish that goes on behind a preposition and a noun in -s',
  [
    'For your information, I always want an aisle seat on planes, never a window seat.',
    'On trains I want a window seat, facing forward.',
  ],
  [
    'User always wants an aisle seat on planes, never a window seat, but on trains a window seat, facing forward.',
  ],
  [
    'User always wants an aisle seat on trains, never a window seat, but on planes a window seat, facing forward.',
    'User always wants a window seat on planes, never an aisle seat, but on trains an aisle seat, facing forward.',
    'User always wants an aisle seat on planes, but on trains never a window seat, facing forward.',
  ],
);

cases(
  'numbers behind labels of their own',
  [
    'Order 881-2207: standing desk, 160x80, oak, delivery in CW 33.',
    'The desk of order 881-2207 arrived with a scratched top.',
  ],
  ['The standing desk (160x80, oak) of order 881-2207, delivery in CW 33, arrived with a scratched top.'],
  [
    'The standing desk (160x80, oak) of order 33, delivery in CW 881-2207, arrived with a scratched top.',
    'The standing desk (160x80, oak) of order 881-2207, delivery in CW 35, arrived with a scratched top.',
    'The standing desk (160x33, oak) of order 881-2207, delivery in CW 80, arrived with a scratched top.',
  ],
);

cases(
  'numbers behind labels of two things',
  ['The room 12 is warm, the table 5 is damp.', 'The room 12 is at the back of the house.'],
  ['Room 12 at the back of the house is warm, table 5 damp.'],
  [
    'The room 12 at the back of the house is damp, the table 5 is warm.',
    'The room 5 at the back of the house is warm, the table 12 is damp.',
    'The room 12 is warm, the table 5 at the back of the house is damp.',
  ],
);

cases(
  'a number reached so far',
  ["User's goal is walking 10,000 steps a day; user currently manages 7,200."],
  ["User's goal is walking 10,000 steps a day (currently 7,200)."],
  [
    "User's goal is walking 7,200 steps a day (currently 10,000).",
    "User's goal is walking 10,000 steps a day (formerly 7,200).",
    "User's goal is walking 10,000 steps a day, 7,200.",
  ],
);

cases(
  'what somebody manages beside a goal',
  ["User's goal is 10,000 steps a day; user currently manages 3 shops."],
  ["User's goal is 10,000 steps a day; currently manages 3 shops."],
  [
    "User's goal is 10,000 steps a day (currently 3 shops).",
    "User's goal is 10,000 steps a day; currently has 3 shops.",
    "User's goal is 3 steps a day; currently manages 10,000 shops.",
  ],
);

cases(
  'an address in another order',
  [
    'User moved to 27 Calder Row, flat 3, Leith on November 15.',
    "User's old address was 6 Bread Street, don't use it for deliveries.",
    'Parcels can be left with the neighbour in flat 2.',
  ],
  [
    "On November 15 user moved to flat 3, 27 Calder Row, Leith; the old address was 6 Bread Street, don't use it for deliveries. Parcels can be left with the neighbour in flat 2.",
  ],
  [
    "On November 15 user moved to flat 27, 3 Calder Row, Leith; don't use the old address, 6 Bread Street, for deliveries. Parcels can be left with the neighbour in flat 2.",
    "On November 15 user moved to flat 3, 6 Calder Row, Leith; don't use the old address, 27 Bread Street, for deliveries. Parcels can be left with the neighbour in flat 2.",
    "On November 15 user moved to flat 3, 6 Bread Street, Leith; don't use the old address, 27 Calder Row, for deliveries. Parcels can be left with the neighbour in flat 2.",
    "On November 15 user moved to flat 2, 27 Calder Row, Leith; don't use the old address, 6 Bread Street, for deliveries. Parcels can be left with the neighbour in flat 3.",
    "On November 15 user moved to flat 3, 27 Calder Row, Leith; don't use the neighbour, flat 2, for deliveries. Parcels can be left at the old address, 6 Bread Street.",
  ],
);

cases(
  'a pronoun that may stand for one of two',
  ["The new phone replaced the old one, don't charge it at night."],
  ["The new phone replaced the old one, don't charge it at night."],
  [
    "The new phone replaced the old; don't charge the old one at night.",
    'The new phone replaced the old one, charge it at night.',
    "Don't replace the old phone, charge the new one at night.",
  ],
);

cases(
  'somebody who is named after a day',
  [
    'We adopted a rescue greyhound, her name is Sunday.',
    'Sunday must stay on the leash because she chases rabbits.',
    'At night Sunday the greyhound sleeps in the hallway.',
  ],
  [
    'User adopted a rescue greyhound named Sunday, who sleeps in the hallway at night and must stay on the leash because she chases rabbits.',
  ],
  [
    'User adopted a rescue greyhound named Monday, who sleeps in the hallway at night and must stay on the leash because she chases rabbits.',
    'User adopted a rescue greyhound on Sunday, who sleeps in the hallway at night and must stay on the leash because she chases rabbits.',
    'User adopted a rescue greyhound named Sunday, who chases rabbits in the hallway at night and must stay on the leash because she sleeps.',
  ],
);

cases(
  'a day of the week beside somebody who is named after it',
  [
    'Her name is Sunday.',
    'The greyhound gets a bath on Sunday.',
    'The greyhound is due at the vet by Sunday.',
  ],
  [],
  [
    'Her name is Sunday; the greyhound gets a bath on Sunday and is due at the vet by Sunday.',
    'Her name is Sunday; the greyhound gets a bath and is due at the vet by Sunday.',
    'Sunday the greyhound gets a bath and is due at the vet.',
  ],
);

cases(
  'somebody who called on a day',
  ['Mom called Sunday and asked about the greyhound.', 'The winner of the show was named Sunday.'],
  [],
  [
    'Mom called Sunday and asked about the greyhound; the winner of the show was named Sunday.',
    'Mom called Sunday, asked about the greyhound; the winner of the show is Sunday.',
    'The greyhound is named Sunday; Mom called and asked about the winner of the show.',
  ],
);
