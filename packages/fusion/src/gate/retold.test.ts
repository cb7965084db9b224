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
  'a godson, told by his godfather',
  [
    'User is godfather of little Anselm, born on 11 June 2025.',
    "The baptism of user's godson Anselm is planned for the 14th of September in St. Jakob.",
  ],
  [
    'User is godfather of little Anselm, born on June 11, 2025, whose baptism is planned for September 14th in St. Jakob.',
  ],
  [
    "User is godfather of little Anselm's father, born on June 11, 2025, whose baptism is planned for September 14th in St. Jakob.",
    'Little Anselm is godfather of user, born on June 11, 2025, whose baptism is planned for September 14th in St. Jakob.',
    "User's godfather is little Anselm, born on June 11, 2025, whose baptism is planned for September 14th in St. Jakob.",
    'User is father of little Anselm, born on June 11, 2025, whose baptism is planned for September 14th in St. Jakob.',
  ],
);

cases(
  'a nephew, told by another uncle',
  ["User's nephew Finn broke an arm at football.", "User's neighbour is the uncle of Finn."],
  ["User's nephew Finn broke an arm at football. User's neighbour is Finn's uncle."],
  [
    "User's neighbour is the uncle of Finn, who broke an arm at football.",
    "User is the uncle of Finn's neighbour, who broke an arm at football.",
    'User is the nephew of Finn, who broke an arm at football. The neighbour is the uncle.',
  ],
);

cases(
  'a buyer, told by the sale',
  [
    'User sold the motorbike to a man from Ulm for 3,400 €.',
    'The buyer of the motorbike still owes user 400 €.',
  ],
  [
    'User sold the motorbike for €3,400 to a man from Ulm, who still owes user €400.',
    'User sold the motorbike to a man from Ulm, who still owes user €400, for €3,400.',
  ],
  [
    'User sold the motorbike for €3,400 to a man from Ulm, who user still owes €400.',
    'User sold the motorbike for €3,400 to a man from Ulm, whom user still owes €400.',
    'User sold the motorbike for €400 to a man from Ulm, who still owes user €3,400.',
    'A man from Ulm sold the motorbike for €3,400 to user, who still owes €400.',
    'User bought the motorbike for €3,400 from a man from Ulm, who still owes user €400.',
  ],
);

cases(
  'a buyer of another thing',
  ['User sold the motorbike to a man from Ulm.', 'The buyer of the caravan still owes user 400 €.'],
  ['User sold the motorbike to a man from Ulm. The buyer of the caravan still owes user €400.'],
  [
    'User sold the motorbike to a man from Ulm, who still owes user €400 of the caravan.',
    'User sold the caravan to a man from Ulm, who still owes user €400 of the motorbike.',
    'User sold the motorbike and the caravan to a man from Ulm, who still owes user €400.',
  ],
);

cases(
  'a teacher, told by the lessons',
  [
    "User plays the cello. User's cello teacher is Mrs. Vance; lessons are on Saturdays at 10.",
    'Ann plays the harp.',
  ],
  ['User plays the cello and has lessons with Mrs. Vance on Saturdays at 10. Ann plays the harp.'],
  [
    'User plays the cello and gives lessons with Mrs. Vance on Saturdays at 10. Ann plays the harp.',
    'User plays the cello; Ann plays the harp and has lessons with Mrs. Vance on Saturdays at 10.',
    'User plays the cello and has lessons for Mrs. Vance on Saturdays at 10. Ann plays the harp.',
    'User plays the cello and has lessons with Ann on Saturdays at 10. Mrs. Vance plays the harp.',
  ],
);

cases(
  'things for a list',
  [
    "We're out of dishwasher tabs, buy the Somat ones.",
    'Shopping list: oat milk, lentils, lemons.',
    'Add bin bags 35 l to the shopping list.',
  ],
  [
    'Shopping list: Somat dishwasher tabs, which are out, oat milk, lentils, lemons and bin bags of 35 litres.',
  ],
  [
    'Shopping list: oat milk, lentils and lemons. Somat dishwasher tabs are out, as are bin bags of 35 litres.',
    'Packing list: Somat dishwasher tabs, which are out, oat milk, lentils, lemons and bin bags of 35 litres.',
    "Shopping list: no Somat dishwasher tabs, which we're out of, oat milk, lentils, lemons and bin bags of 35 litres.",
    'Not on the shopping list: Somat dishwasher tabs, which are out, oat milk, lentils, lemons, bin bags of 35 litres.',
  ],
);

cases(
  'a thing that is not to be bought',
  ["Don't buy oats, there are three bags.", 'Shopping list: lentils, lemons and a bag of rice for the week.'],
  [],
  [
    'Shopping list: oats, lentils, lemons and a bag of rice for the week; there are three bags.',
    'Shopping list: three bags of oats, lentils, lemons and a bag of rice for the week.',
    'Shopping list: lentils, lemons and a bag of rice for the week; three bags of oats.',
  ],
);

cases(
  'an arrival and a departure',
  [
    "Greta's visit: she arrives on the 4th of April and leaves on the 9th of April.",
    'Greta is lactose intolerant.',
  ],
  ['Greta, who is lactose intolerant, visits from April 4 to April 9.'],
  [
    'Greta, who is lactose intolerant, visits from April 9 to April 4.',
    'Greta, who is lactose intolerant, visits on April 4 and April 9.',
    'User visits Greta, who is lactose intolerant, from April 4 to April 9.',
    'Greta, who is lactose intolerant, visits from April 4 to April 19.',
  ],
);

cases(
  'what all of some are',
  ['The pottery course has six evenings, all of them Wednesdays, and user made a bowl.'],
  ['The pottery course has six Wednesday evenings, and user made a bowl.'],
  [
    'The pottery course has six evenings, and user made a bowl on Wednesdays.',
    'The pottery course has six evenings, some of them Wednesdays, and user made a bowl.',
    'The pottery course has evenings on Wednesdays, and user made six bowls.',
  ],
);

cases(
  'what remains',
  ['User and Valentina broke up in 2020, but they remained friends.', 'User met Valentina in 2017.'],
  ['User met Valentina in 2017; they remained friends after they broke up in 2020.'],
  [
    'User met Valentina in 2017; they remained friends after they broke up in 2017.',
    'User met Valentina in 2017; they broke up in 2020 after they remained friends.',
    'User met Valentina in 2017; they did not remain friends after they broke up in 2020.',
    'User met Valentina in 2020; they remained friends after they broke up in 2017.',
  ],
);

cases(
  'what did not come after',
  ['User and Valentina met in 2017 and stayed in the village.', 'Valentina broke up with Tom in 2020.'],
  [],
  [
    'User and Valentina stayed in the village after they met in 2017. Valentina broke up with Tom in 2020.',
    'User and Valentina met in 2017 and stayed in the village after Valentina broke up with Tom in 2020.',
    'User and Valentina met in 2017. After Valentina broke up with Tom in 2020 they stayed in the village.',
  ],
);

cases(
  'a post that is published',
  ["User's blog runs on Hugo.", 'User publishes one blog post per month, usually on the last day.'],
  [
    "User's blog runs on Hugo and gets one post per month, usually on the last day.",
    "User's blog runs on Hugo, with one blog post per month, usually on the last day.",
  ],
  [
    "User's blog runs on Hugo; user gets one blog post per month, usually on the last day.",
    "User's blog runs on Hugo; user reads one blog post per month, usually on the last day.",
    "User's blog runs on Hugo; Ann has one blog post per month, usually on the last day.",
  ],
);

cases(
  'how something of the assistant should come',
  [
    "I'd like to be reminded of birthdays by you two days ahead, please.",
    "Reminders for bills should come on the morning that they're due.",
  ],
  ["User would like reminders of birthdays two days ahead and of bills on the morning that they're due."],
  [
    "User would like reminders of bills two days ahead and of birthdays on the morning that they're due.",
    "User gets reminders of birthdays two days ahead and of bills on the morning that they're due.",
    "User would not like reminders of birthdays two days ahead and of bills on the morning that they're due.",
    "Ann would like reminders of birthdays two days ahead and of bills on the morning that they're due.",
  ],
);

cases(
  'how something of another should come',
  ["I'd like the wine to be paid two days ahead.", 'Payments for milk should come on the first morning.'],
  ["I'd like the wine to be paid two days ahead; payments for milk should come on the first morning."],
  [
    "I'd like payments of the wine two days ahead and of milk on the first morning.",
    "I'd like the wine to be paid two days ahead and payments for milk on the first morning.",
    'Payments for milk come on the first morning, the wine I want paid two days ahead.',
  ],
);
