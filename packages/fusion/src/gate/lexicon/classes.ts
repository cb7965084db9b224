import { wordList } from './word-list.ts';

/**
 * Words that change a statement instead of naming something: their class must be in a summary where it was in the source, and on the same
 * thing. `prefix` classes act on what follows them, `float` classes on what stands around them.
 */
export const PREFIX_OPERATORS = wordList(`
  not never nolonger without might probably uncertain seem will want hope plan consider decide attempt need should usedto
  refuse avoid quit fail all most many few several atleast atmost morethan lessthan about since until before after unless than instead
  except almost dislike hate or if because oneof
`);
export const FLOAT_OPERATORS = wordList(`
  always usually often sometimes rarely regularly every only again daily weekly monthly yearly hourly nightly quarterly biweekly
  everyother
`);

/** Classes that deny what follows them. */
export const DENYING = wordList('not never nolonger without neither');

/** Words that are negations for themselves; the verbs with n't are read apart. */
export const NEGATORS = wordList('not no none nobody nothing nowhere neither nor without cannot');

/** Comparatives that are no agents: "older" is not one who olds. */
export const ADJECTIVES = wordList(`
  old young tall short big small large fast slow cheap early late high low long new strong weak warm cold hot cool light heavy dark bright
  quiet loud near far close deep shallow wide narrow thick thin hard soft easy happy busy healthy safe rich poor nice kind smart clean
  clear full fresh great fine simple quick rare tough rough smooth sharp tight loose few great bold calm dry wet fair firm fit
  mild plain proud pure sad sick silly spicy steep stiff strict sweet tiny ugly wild wise calm lazy lucky noisy pretty dirty funny
  messy salty sunny windy angry hungry
`);

/** Operators whose list goes on over commas: "hates olives, capers and brine". */
export const LISTING = wordList('not hate dislike avoid refuse without like want plan need hope consider');

/** Nouns for people and animals that may be the subject of a statement beside the user. */
export const KIN = wordList(`
  mother mom mum mommy mummy father dad daddy papa parent grandmother grandma granny nana gran grandfather grandpa granddad grandparent
  brother sister sibling wife husband hubby spouse partner boyfriend girlfriend son daughter child kid baby infant twin uncle aunt cousin
  nephew niece stepmother stepfather stepson stepdaughter stepbrother stepsister mother-in-law father-in-law friend buddy roommate flatmate
  housemate neighbor neighbour landlord landlady tenant boss colleague coworker doctor dr dentist lawyer attorney therapist mentor mentee
  nanny babysitter grandson granddaughter grandchild fiance fiancee godfather godmother godson client customer
  dog cat pet puppy kitten horse rabbit hamster parrot bird intern trainee vet accountant plumber electrician
`);

/** Groups of words that stand for the same slot: two of one group that two sources have may not change places in a summary. */
export const SLOTS: readonly (readonly string[])[] = [
  'red blue green yellow orange purple pink black white gray brown silver gold beige navy turquoise',
  'morning noon afternoon evening night',
  'breakfast lunch dinner brunch snack dessert',
  'coffee tea beer wine water juice milk soda cocktail whisky',
  'left right',
  'north south east west northern southern eastern western',
  'spring summer autumn fall winter',
  'small large medium tiny huge big',
  'bus train_rail car bicycle subway tram ferry taxi plane motorcycle boat flight',
  'knee ankle shoulder wrist elbow hip foot hand arm leg back neck eye ear finger toe head stomach heart',
  'kitchen bathroom bedroom garage basement attic balcony yard office hallway living_room dining_room',
  'dog cat rabbit hamster parrot horse bird fish turtle',
  'weekday weekend',
  'first second third',
  'beginner intermediate advanced',
  'home office school gym work',
].map((line) => line.split(' '));

/** Kin words that are one person for a note when they stand side by side are joined by the reader; these never stand for another. */
export const USER_WORDS = wordList('user i me myself my mine we us our');

/** Verbs that read the same both ways: "Ann met Bob" is "Bob met Ann". */
export const SYMMETRIC = wordList(
  'meet marry live work talk discuss engage divorce play travel date argue agree join compete collaborate',
);
