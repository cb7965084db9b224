import { describe, expect, it } from 'vitest';
import { candidate } from '../testing/samples.ts';
import { isDuplicate, readTwins } from './twins.ts';

const same = (a: string, b: string): boolean => isDuplicate({ content: a }, { content: b });

describe('isDuplicate', () => {
  it.each([
    ["I'm allergic to walnuts.", 'User has a walnut allergy.'],
    ['My parrot is called Pablo.', 'I have a parrot named Pablo.'],
    ['Oskar built the shed.', 'The shed was built by Oskar.'],
    [
      'The city council approved the permit on 2 June.',
      'The permit was approved by the city council on 2 June.',
    ],
    ['A cyclist hit the gate.', 'The gate was hit by a cyclist.'],
    ['User has got a van.', 'User has a van.'],
    ['Runs five kilometres.', 'Runs 5 km.'],
    ['User was married on 3 May 2021.', 'User was married on May 3, 2021.'],
    ["User doesn't smoke.", 'User does not smoke.'],
    ['By the way, user lives in Cork.', 'User lives in Cork.'],
    ['User bought a boat.', 'I purchased a boat.'],
  ])('%j says what %j does', (a, b) => {
    expect(same(a, b)).toBe(true);
    expect(same(b, a)).toBe(true);
  });

  it.each([
    ['number', 'User has two vans.', 'User has three vans.'],
    ['name', 'User lives in Cork.', 'User lives in Riga.'],
    ['word', 'User likes plums.', 'User likes pears.'],
    ['negation', 'User smokes.', 'User does not smoke.'],
    ['modality', 'User moves to Cork.', 'User might move to Cork.'],
    ['time', 'User smokes.', 'User used to smoke.'],
    ['side', 'The left knee hurts.', 'The right knee hurts.'],
    ['kin', "User's brother is a pilot.", "User's sister is a pilot."],
    ['more', 'User has a van.', 'User has a red van.'],
    ['direction', 'The bus goes from Cork to Galway.', 'The bus goes from Galway to Cork.'],
    ['roles', 'Nadia called Oskar.', 'Oskar called Nadia.'],
    ['quantity', 'All rooms are dry.', 'Some rooms are dry.'],
    ['pronoun', 'He is vegan.', 'She is vegan.'],
  ])('tells apart a different %s: %j and %j', (_what, a, b) => {
    expect(same(a, b)).toBe(false);
    expect(same(b, a)).toBe(false);
  });

  it('reads "yesterday" by the day on which it was said', () => {
    const content = 'User sold the van yesterday.';
    expect(isDuplicate({ content, documentDay: '2026-03-02' }, { content, documentDay: '2026-03-02' })).toBe(
      true,
    );
    expect(isDuplicate({ content, documentDay: '2026-03-02' }, { content, documentDay: '2026-03-03' })).toBe(
      false,
    );
    const said = { content: 'User sold the van on 1 March 2026.', documentDay: '2026-04-01' };
    expect(isDuplicate({ content, documentDay: '2026-03-02' }, said)).toBe(true);
  });
});

describe('readTwins', () => {
  it('keeps those apart that differ in a hard fact, and lists those that say the same', () => {
    const nodes = [
      'The dentist is on 3 May',
      'The dentist is on 5 May',
      'The dentist is on May 3',
      'The dentist is expensive',
    ].map((content, n) => candidate({ id: `m${n}`, content }));
    const links = [
      { a: 0, b: 1, weight: 0.97 },
      { a: 0, b: 2, weight: 0.96 },
      { a: 0, b: 3, weight: 0.95 },
    ];
    const twins = readTwins(nodes, links);
    expect(twins.conflictCandidates).toEqual([{ a: 'm0', b: 'm1', weight: 0.97, differs: ['date'] }]);
    expect(twins.duplicates).toEqual([{ a: 'm0', b: 'm2', weight: 0.96, differs: [] }]);
    expect([twins.areEnemies(1, 0), twins.areEnemies(0, 2), twins.areEnemies(0, 3)]).toEqual([
      true,
      false,
      false,
    ]);
  });

  it('keeps apart unread what is beyond the most that one plan compares', () => {
    const nodes = ['Ana has a dog.', 'Ana has a dog.', 'Ana owns a dog.'].map((content, n) =>
      candidate({ id: `m${n}`, content }),
    );
    const links = [
      { a: 0, b: 1, weight: 0.99 },
      { a: 0, b: 2, weight: 0.98 },
      { a: 1, b: 2, weight: 0.97 },
    ];
    const all = readTwins(nodes, links);
    expect([all.areEnemies(0, 1), all.areEnemies(0, 2), all.areEnemies(1, 2)]).toEqual([false, false, false]);
    const first = readTwins(nodes, links, 1);
    expect([first.areEnemies(0, 1), first.areEnemies(0, 2), first.areEnemies(1, 2)]).toEqual([
      false,
      true,
      true,
    ]);
    // Nothing is said of pairs that nobody read.
    expect([first.duplicateCount, first.conflictCount]).toEqual([1, 0]);
  });
});
