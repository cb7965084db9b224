import { describe, expect, it } from 'vitest';
import { atomsIn, spellings } from '../testing/spellings.ts';
import { extractAtoms } from './atoms.ts';

describe('names', () => {
  it.each(
    spellings([
      [['Ann Lee'], 'name:ann lee'],
      [['Dr. Ann Lee'], 'name:ann lee'],
      [['New York City'], 'name:new york city'],
      [['Bank of America', 'the Bank of America'], 'name:bank of america'],
      [['the CEO of Google'], ['name:ceo', 'name:google']],
      [['J. Smith', 'J Smith'], 'name:j smith'],
      [['Vincent van Gogh'], 'name:vincent van gogh'],
      [['Coca-Cola', 'Coca Cola'], 'name:coca cola'],
      [["McDonald's"], 'name:mcdonald'],
      [['AT&T'], 'name:at t'],
      [['Zoë', 'Zoe', "Zoe's dog"], 'name:zoe'],
      [['an iPhone 15 Pro'], ['name:iphone', 'number:15', 'name:pro']],
      [['JavaScript and eBay'], ['name:javascript', 'name:ebay']],
      [['C++ or C#'], ['code:c++', 'code:c#']],
      [['.NET'], 'code:.net'],
      [['Node.js'], 'code:node.js'],
      [['@anna on #general'], ['code:@anna', 'code:#general']],
      [['French and Italian'], ['name:french', 'name:italian']],
      [['src/index.ts in /etc/hosts'], ['code:src/index.ts', 'code:/etc/hosts']],
      [['Mom and Dad'], []],
      [['and/or he/she'], []],
    ]),
  )('%s', (text, expected) => {
    expect(atomsIn(`knows ${text}`)).toEqual(expected);
  });

  it('at a sentence start are guesses, but for words that look like nothing else', () => {
    const guesses = (text: string) =>
      extractAtoms(text).map(({ value, sure }) => `${value}${sure ? '' : '?'}`);
    expect(guesses('Emma sings')).toEqual(['emma?']);
    expect(guesses('Emma Smith sings')).toEqual(['emma smith']);
    expect(guesses('Plays tennis. Peanuts are bad. Regular yoga.')).toEqual([]);
    expect(guesses('Dog: Rex')).toEqual(['rex?']);
    expect(guesses('NASA called. iPhone lost.')).toEqual(['nasa', 'iphone']);
    expect(guesses('USER IS ALLERGIC TO BIRCH')).toEqual(['birch?']);
    expect(guesses('My Dog Is Called Rex')).toEqual(['rex?']);
    expect(guesses('Der Hund von Anna ist in Berlin')).toEqual(['hund?', 'anna?', 'berlin?']);
  });

  it('end where a possessive ends', () => {
    expect(atomsIn("met Ann's Bob")).toEqual(['name:ann', 'name:bob']);
  });
});

describe('quotations', () => {
  it.each([
    ['said "slow and steady" twice', ['slow and steady']],
    ["reads 'War and Peace' and more", ['war and peace']],
    ['“The Hobbit” is great', ['the hobbit']],
    ["the boys' toys and the girls' toys", []],
    ['a 27" monitor and a 5" disk', []],
    ["in '98 and '99", []],
    ["isn't 'odd'", ['odd']],
    ['""', []],
    ['"All of it was said in so many words."', []],
  ])('%s', (text, expected) => {
    expect(
      extractAtoms(text)
        .filter(({ kind }) => kind === 'quote')
        .map(({ value }) => value),
    ).toEqual(expected);
  });
});

describe('negations', () => {
  const count = (text: string) => extractAtoms(text).filter(({ kind }) => kind === 'negation').length;
  it.each([
    ['not only tea', 0],
    ['No. 5 is hers', 0],
    ['mora no Brasil com a sua mãe e o pai', 0],
    ['não mora no Brasil com a sua mãe', 1],
    ['no more than 5', 0],
    ['neither tea nor coffee', 2],
    ['it is a sin', 0],
    ["ain't so", 1],
  ])('%s', (text, expected) => {
    expect(count(text)).toBe(expected);
  });
});

describe('clauses', () => {
  it('do not end within an atom, an abbreviation or an initial', () => {
    const clauseOf = (text: string) => new Set(extractAtoms(text).map(({ clause }) => clause)).size;
    expect(clauseOf('born on March 3, 2019 in Oslo')).toBe(1);
    expect(clauseOf('met Dr. Lee of St. Olav at 3.5 km from J. Smith in the U.S. in 2019')).toBe(1);
    expect(clauseOf('met Ann in 2019, Bob in 2020')).toBe(2);
    expect(clauseOf('Ann, who was born in 2019')).toBeGreaterThan(1);
  });

  it('keep the place of each atom', () => {
    const atoms = extractAtoms('On May 3, 2024 Ann Lee paid $20 per hour');
    expect(atoms.map(({ from, to }) => [from, to])).toEqual([
      [1, 5],
      [5, 7],
      [8, 10],
      [10, 12],
    ]);
  });
});
