import { describe, expect, it } from 'vitest';
import { clusterOf } from '../testing/samples.ts';
import { checkGate } from './gate.ts';

/** One more source keeps the summary shorter than its sources; it is not claimed. */
const MORE = 'There is nothing more than that to be said of it by now, as far as it goes.';

function outcome(sources: readonly string[], summary: string): number | string {
  const claimed = sources.map((_, n) => n + 1);
  const context = { latestCount: 1_000, alreadySuperseded: 0 };
  const verdict = checkGate(clusterOf(...sources, MORE), summary, claimed, context);
  return verdict.ok ? verdict.coveredIds.length : verdict.reason;
}

/** What is kept, the sources, a summary that holds them, and one with the same words that says something else. */
const CASES: [string, string[], string, string][] = [
  [
    'dates of two people',
    ["Nadia's birthday is on 4 June.", "Oskar's birthday is on 9 August."],
    "Nadia's birthday is on June 4, and Oskar's on August 9.",
    "Nadia's birthday is on August 9, and Oskar's on June 4.",
  ],
  [
    'amounts of two things',
    ['The gym costs 35 euros a month.', 'The parking lot costs 60 euros a month.'],
    'The gym costs €35 a month and the parking lot €60 a month.',
    'The gym costs €60 a month and the parking lot €35 a month.',
  ],
  [
    'words without a hard atom',
    ['The hallway is painted.', 'The cellar is tiled.'],
    'The hallway is painted and the cellar is tiled.',
    'The hallway is tiled and the cellar is painted.',
  ],
  [
    'values of one list',
    ['Pays for phone 20, for water 45 and for power 90.', 'Water was cheaper in spring.'],
    'Pays for phone 20, for water 45 and for power 90; water was cheaper in spring.',
    'Pays for phone 45, for water 20 and for power 90; water was cheaper in spring.',
  ],
  [
    'what a denial denies',
    ['Eats eggs.', 'Does not eat cheese.'],
    'Eats eggs but does not eat cheese.',
    'Does not eat eggs but eats cheese.',
  ],
  [
    'what is only possible',
    ['Might sell the boat.', 'Bought a van.'],
    'Might sell the boat and bought a van.',
    'Sold the boat and might buy a van.',
  ],
  [
    'a bound',
    ['Wants at least 8 seats.', 'Wants 2 tables.'],
    'Wants at least 8 seats and 2 tables.',
    'Wants 8 seats and at least 2 tables.',
  ],
  [
    'who does it',
    ['Nadia lent Oskar 70 dollars.', 'Oskar lives in Cork.'],
    'Nadia lent Oskar $70; Oskar lives in Cork.',
    'Oskar lent Nadia $70; Oskar lives in Cork.',
  ],
  [
    'of whom it is told',
    ["User's sister Nadia is allergic to wasps.", 'User lives in Cork.'],
    "User lives in Cork; user's sister Nadia is allergic to wasps.",
    "User is allergic to wasps; user's sister Nadia lives in Cork.",
  ],
  [
    'into what and from what',
    [
      "The assistant should translate user's emails into Dutch.",
      'The Dutch translations have to be informal.',
    ],
    "User's emails should be translated into Dutch by the assistant, and they have to be informal.",
    "User's emails should be translated from Dutch by the assistant, and they have to be informal.",
  ],
  [
    'from where to where',
    ['Flew from Cork to Riga.', 'Had a window seat.'],
    'Flew from Cork to Riga and had a window seat.',
    'Flew from Riga to Cork and had a window seat.',
  ],
  [
    'what is preferred to what',
    ['Prefers trains over planes.', 'Travels light.'],
    'Prefers trains over planes and travels light.',
    'Prefers planes over trains and travels light.',
  ],
  [
    'what is replaced by what',
    ['Replaces butter with oil.', 'Bakes bread.'],
    'Replaces butter with oil and bakes bread.',
    'Replaces oil with butter and bakes bread.',
  ],
  [
    'when it was',
    ['Worked at a harbour.', 'Lives in Cork.'],
    'Worked at a harbour and lives in Cork.',
    'Works at a harbour and lives in Cork.',
  ],
  [
    'how many of two',
    ['Is blind in one eye.', 'Wears a hat.'],
    'Is blind in one eye and wears a hat.',
    'Is blind in both eyes and wears a hat.',
  ],
  [
    'the order of initials',
    ['The box is marked K.L. on its lid.', 'The box is oak.'],
    'The oak box is marked K.L. on its lid.',
    'The oak box is marked L.K. on its lid.',
  ],
  [
    'what a word stands beside',
    ['Used to be a tram driver.', 'Had an accident in 2004.'],
    'Used to be a tram driver and had an accident in 2004.',
    'Used to be a tram driver and had a tram accident in 2004.',
  ],
  [
    'words that differ by an "e" alone',
    ['Is rated by the club.', 'Has a rat in the shed.'],
    'Is rated by the club and has a rat in the shed.',
    'Is rated by the club and has a rate in the shed.',
  ],
  [
    'two names of one source',
    ['The hamster is called Turbo and belongs to Lena.', "Turbo's cage gets cleaned on Saturdays by Jonas."],
    'The hamster Turbo belongs to Lena; Jonas cleans its cage on Saturdays.',
    'The hamster Lena belongs to Turbo; Jonas cleans its cage on Saturdays.',
  ],
  [
    'two figures of one source',
    [
      'Day 1 (Oct 3): Lisbon, check in at Casa Amora after 15:00.',
      'Day 2 (Oct 4): train Lisbon Oriente 09:39 to Porto Campanhã 12:50, coach 4, seats 51-52.',
      'Day 4 (Oct 6): Douro boat trip at 10:15 from Porto, takes 3 hrs, and lunch is not included.',
    ],
    'Oct 3 (day 1): Lisbon, check in at Casa Amora after 15:00. Oct 4 (day 2): train from Lisbon Oriente 09:39 to Porto Campanhã 12:50, coach 4, seats 51-52. Oct 6 (day 4): 3 hr Douro boat trip 10:15 from Porto, lunch not included.',
    'Oct 3 (day 1): Lisbon, check in at Casa Amora after 15:00. Oct 4 (day 2): train from Porto Campanhã 09:39 to Lisbon Oriente 12:50, coach 4, seats 51-52. Oct 6 (day 4): 3 hr Douro boat trip 10:15 from Porto, lunch not included.',
  ],
  [
    'whose it is',
    ['User separated from Oskar.', "Oskar moved to his parents' place in Cork."],
    "User separated from Oskar, and Oskar moved to his parents' place in Cork.",
    "User separated from Oskar, and Oskar moved to her parents' place in Cork.",
  ],
  [
    "what is the user's own",
    ['My son Oskar lost his first tooth.', 'Oskar is six.'],
    'My son Oskar, six, lost his first tooth.',
    'My son Oskar, six, lost my first tooth.',
  ],
  [
    'a woman as a woman',
    ["User's mother-in-law is vegetarian.", 'User makes risotto for dinners with the mother-in-law.'],
    "User's mother-in-law is vegetarian; user makes risotto for dinners with her.",
    "User's mother-in-law is vegetarian; user makes risotto for dinners with him.",
  ],
  [
    'who goes on',
    ["User's mother-in-law drinks no alcohol.", 'User usually cooks risotto for the mother-in-law.'],
    "User's mother-in-law drinks no alcohol; user usually cooks risotto for her.",
    'User usually cooks risotto for the mother-in-law and drinks no alcohol.',
  ],
  [
    'what a relative clause goes on about',
    ["User's sister Nadia is allergic to penicillin.", 'Nadia cannot take ibuprofen, it gives her hives.'],
    "User's sister Nadia is allergic to penicillin and cannot take ibuprofen, which gives her hives.",
    "User's sister Nadia is allergic to penicillin, which gives her hives, and cannot take ibuprofen.",
  ],
  [
    'which of two things a year belongs to',
    ['Aunt Nadia got a new hip in 2023.', 'Aunt Nadia can no longer drive.'],
    'Aunt Nadia got a new hip in 2023 and can no longer drive.',
    'Aunt Nadia got a new hip and can no longer drive in 2023.',
  ],
  [
    'what is denied to be wanted',
    ["User's partner Nadia does not want children.", 'User is unsure about having children.'],
    "User's partner Nadia does not want children; user is unsure about having them.",
    "User's partner Nadia does want children; user is not unsure about having them.",
  ],
  [
    'what "only" limits before a preposition',
    ['Lets Oskar watch cartoons only on weekends.', 'Oskar plays chess.'],
    'Lets Oskar watch cartoons only on weekends; Oskar plays chess.',
    'Lets Oskar watch only cartoons on weekends; Oskar plays chess.',
  ],
  [
    'a part as a part',
    ['The party has 40 guests, 6 of them children.', 'The party starts at 15:00.'],
    'The party starts at 3 pm with 40 guests, 6 of them children.',
    'The party starts at 3 pm with 40 guests, plus 6 children.',
  ],
  [
    'the present as the present',
    ["User's dad is in Riga.", "User's dad prefers the phone."],
    "User's dad is in Riga and prefers the phone.",
    "User's dad was in Riga and prefers the phone.",
  ],
  [
    'what lasts',
    ['User keeps the flat.', 'Oskar keeps the cat.'],
    'User keeps the flat and Oskar keeps the cat.',
    'User keeps the flat for now and Oskar keeps the cat.',
  ],
  [
    'what is known from what is said',
    ['The babysitter is Nadia.', 'Nadia charges 12 euros an hour.'],
    'The babysitter is Nadia, who charges €12 an hour.',
    'The babysitter is said to be Nadia, who charges €12 an hour.',
  ],
];

describe('a merge', () => {
  it.each(CASES)('keeps %s', (_what, sources, honest, turned) => {
    expect(outcome(sources, honest)).toBe(sources.length);
    expect(outcome(sources, turned)).toMatch(/^(?:fact_loss|invented)$/);
  });

  it('is refused with "respectively", which binds by an order that cannot be checked', () => {
    const sources = ['The gym opens at 7:00.', 'The shop opens at 9:00.'];
    expect(outcome(sources, 'The gym and the shop open at 7:00 and 9:00 respectively.')).toBe('fact_loss');
  });
});
