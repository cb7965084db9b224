import { describe, expect, it } from 'vitest';
import { isRepeat, isSameWording } from './fast-lane.ts';
import type { SaidText } from './hard-facts.ts';

const DAY = '2025-03-10';
const said = (...contents: string[]): SaidText[] => contents.map((content) => ({ content, day: DAY }));

describe('isRepeat', () => {
  it.each([
    [['Ada keeps hens.', 'ada keeps  hens'], 'Ada keeps hens.'],
    [['Ada keeps hens.', 'Ben has a boat!'], 'Ada keeps hens. Ben has a boat!'],
    [['Ada keeps hens. Ben has a boat.', 'Ben has a boat.'], 'Ada keeps hens. Ben has a boat.'],
    [['She is 46. Ben is 50.', 'Ben is 50'], 'She is 46. Ben is 50.'],
    [['Ada keeps hens\nBen has a boat', 'ben has a boat'], 'Ada keeps hens. Ben has a boat.'],
  ])('%j and a statement that holds all their sentences and no other: true', (sources, statement) => {
    expect(isRepeat(said(...sources), statement)).toBe(true);
  });

  it.each([
    [['Ada keeps hens.', 'Ben has a boat.'], 'Ada keeps hens.'],
    [['Ada keeps hens.'], 'Ada keeps hens. Ben has a boat.'],
    [['Ada keeps hens.'], 'Ada keeps no hens.'],
    [['Ada keeps hens. She sells eggs.'], 'Ada keeps hens, she sells eggs.'],
    [[], 'Ada keeps hens.'],
    [['Ada keeps hens.', ' '], 'Ada keeps hens.'],
    [['Ada keeps hens.'], ''],
    [['Ada keeps hens?', 'Ada keeps hens.'], 'Ada keeps hens.'],
    [
      ['The vault key is Rx9Lm.', 'The vault key is rx9lM. It hangs in the hall.'],
      'The vault key is Rx9Lm. It hangs in the hall.',
    ],
    [['Said no, problem.', 'Said no problem. Ben left.'], 'Said no problem. Ben left.'],
    [
      ['The disk has approx. Mb of room.', 'The disk has approx. mb of room.'],
      'The disk has approx. mb of room.',
    ],
    // Parts of sentences behind an abbreviation are no sentences, to be exchanged.
    [['He met Dr. Smith.', 'Ann saw Dr. Brown.'], 'He met Dr. Brown. Ann saw Dr. Smith.'],
    [
      ['He lives in the U.S. Ann does not.', 'Ben was in the U.S. He left.'],
      'He lives in the U.S. He left. Ben was in the U.S. Ann does not.',
    ],
  ])('%j and the statement %j, which says something else: false', (sources, statement) => {
    expect(isRepeat(said(...sources), statement)).toBe(false);
  });

  const repeat = (content: string, days: readonly (string | null)[], isEvent = false): boolean =>
    isRepeat(
      days.map((day) => ({ content, day, isEvent })),
      content,
    );

  it('of lasting facts, said on several days: true', () => {
    expect(repeat('Ada keeps hens.', ['2025-03-10', '2025-03-12'])).toBe(true);
    expect(repeat('Ada keeps hens.', [null, null])).toBe(true);
  });

  it.each([
    ['an event', 'Ada keeps hens.', true],
    ['a relative day', 'Ada sold her hens yesterday.', false],
    ['a language without a table', 'Ada ma dwie kury.', false],
  ])('of %s, said on several days or on days that are not known: false', (_what, content, isEvent) => {
    expect(repeat(content, ['2025-03-10', '2025-03-10'], isEvent)).toBe(true);
    expect(repeat(content, ['2025-03-10', '2025-03-12'], isEvent)).toBe(false);
    expect(repeat(content, ['2025-03-10', null], isEvent)).toBe(false);
    expect(repeat(content, [null, null], isEvent)).toBe(false);
  });

  it('of which one source alone is bound to its day, said on several days: false', () => {
    const sources = [
      { content: 'Ada keeps hens.', day: '2025-03-10' },
      { content: 'Ada keeps hens. She met Ben today.', day: '2025-03-12' },
    ];
    expect(isRepeat(sources, 'Ada keeps hens. She met Ben today.')).toBe(false);
  });
});

describe('isSameWording', () => {
  it.each([
    ['Ada keeps hens.', 'ada keeps hens'],
    ['Ada keeps hens.', '  Ada  keeps\thens . '],
    ['The car is red. It is old.', 'the car is red. it is old'],
    ['Does Ada keep hens? She may.', 'does Ada keep hens? she may.'],
    ['Ihre Katze heißt Mimi.', 'ihre Katze heißt Mimi'],
    ['卵がある。', '卵がある'],
    ['Cafe\u0301 Luna is closed.', 'caf\u00e9 Luna is closed'],
    ['I’m allergic to nuts', 'i’m allergic to nuts.'],
  ])(
    '%j and %j, but for spaces, the final stop and the capital of a first word the same: true',
    (one, other) => {
      expect(isSameWording(one, other)).toBe(true);
      expect(isSameWording(other, one)).toBe(true);
    },
  );

  it.each([
    ['a password', 'The cabin password is BlueFox7.', 'The cabin password is bluefox7.'],
    ['an id', 'The order id is aB3xQ9.', 'The order id is Ab3xq9.'],
    ['an id in front', 'aB3xQ9 is the order.', 'AB3xQ9 is the order.'],
    ['a unit', 'The turbine gives 5 MW.', 'The turbine gives 5 mW.'],
    ['a unit', 'The line has 100 MB.', 'The line has 100 Mb.'],
    ['a unit in front', 'Mb are meant.', 'mb are meant.'],
    ['a country', 'Ann moved to the US.', 'Ann moved to the us.'],
    ['a country in front', 'US is meant.', 'us is meant.'],
    ['a name', 'Ann likes Polish.', 'Ann likes polish.'],
    ['a name after an abbreviation', 'Ann speaks e.g. Polish.', 'Ann speaks e.g. polish.'],
    ['a name after a colon', 'Ann likes: Polish.', 'Ann likes: polish.'],
    ['a path', 'Notes are in /srv/Eva/Notes', 'Notes are in /srv/eva/notes'],
    ['a path in front', 'Eva/notes is hers', 'eva/notes is hers'],
    ['an address', 'See https://b.test/AbC', 'See https://b.test/abc'],
    ['a mail address', 'Eva@b.test is hers', 'eva@b.test is hers'],
    ['a host', 'Shop.example is hers', 'shop.example is hers'],
    ['a comma', 'Said no, problem.', 'Said no problem.'],
    ['a comma', 'User was married on 3 May 2021.', 'User was married on 3 May, 2021'],
    ['a question mark', 'Ada keeps hens?', 'Ada keeps hens.'],
    ['an exclamation mark', 'The password is Fox7!', 'The password is Fox7'],
    ['an ellipsis', 'Ada keeps hens...', 'Ada keeps hens.'],
    ['a point', 'It costs 1.5 euros', 'It costs 15 euros'],
    ['a minus', 'It was -5 degrees', 'It was 5 degrees'],
    ['quotation marks', 'She said “no”.', 'She said "no"'],
    ['an article', 'The boat is blue.', 'Boat is blue.'],
    ['an article', 'Ada keeps an owl', 'Ada keeps a owl'],
    ['a word', 'Ada keeps hens', 'Ada keeps no hens'],
    ['a letter', 'Ada takes vitamin A.', 'Ada takes vitamin.'],
    ['an accent', 'El papa come', 'El papá come'],
    ['a line', 'No sugar\nmilk', 'No sugar milk'],
    ['no word', '', ''],
    ['no word', '.', '。'],
  ])('two texts that differ in %s, %j and %j: false', (_what, one, other) => {
    expect(isSameWording(one, other)).toBe(false);
    expect(isSameWording(other, one)).toBe(false);
  });

  it('texts of very many sentences and signs that differ at their end: false', () => {
    for (const part of ['Ada keeps hens. ', 'a.', '"Ada.) ', 'İ ', '(((((', ')))))', "A'b-", '1. ', '\n'])
      expect(isSameWording(part.repeat(5_000), `${part.repeat(5_000)}x`)).toBe(false);
  });
});
