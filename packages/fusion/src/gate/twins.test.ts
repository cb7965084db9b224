import { describe, expect, it } from 'vitest';
import { HOSTILE } from '../testing/hostile.ts';
import { candidate } from '../testing/samples.ts';
import { readTwins } from './twins.ts';

describe('readTwins', () => {
  it('keeps those apart that differ in a hard fact', () => {
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
    // Nothing is said of pairs that were not read.
    expect(first.conflictCount).toBe(0);
  });

  it('keeps apart unread two texts with more pairs of facts than are compared', () => {
    const list = (of: number) => Array.from({ length: 300 }, (_, n) => `${of + 7 * n} kg`).join(', ');
    const nodes = [list(10_000), list(10_001), `${list(10_000)}, 5 m`, `${list(10_000)}, 6 m`].map(
      (content, n) => candidate({ id: `m${n}`, content }),
    );
    const twins = readTwins(nodes, [
      { a: 0, b: 1, weight: 0.97 },
      { a: 0, b: 2, weight: 0.96 },
      { a: 2, b: 3, weight: 0.95 },
    ]);
    expect([twins.areEnemies(0, 1), twins.areEnemies(0, 2), twins.areEnemies(2, 3)]).toEqual([
      true,
      false,
      true,
    ]);
    // Nothing is said of the pair that was not read.
    expect(twins.conflictCandidates).toEqual([{ a: 'm2', b: 'm3', weight: 0.95, differs: ['number'] }]);
  });

  it.each(HOSTILE)(
    'finds of two texts with 32 KB of %s the one difference, as of short ones',
    (_name, textOf) => {
      const differences = (length: number) => {
        const nodes = ['77711 apples', '77712 apples'].map((end, n) =>
          candidate({ id: `m${n}`, content: `${textOf(length)}\nAnna has ${end}.` }),
        );
        return readTwins(nodes, [{ a: 0, b: 1, weight: 0.97 }]).conflictCandidates;
      };
      expect(differences(400)).toMatchObject([{ differs: ['number'] }]);
      expect(differences(32_768)).toEqual(differences(400));
    },
  );

  it('leaves alone what was said on two days: the later one is a successive state', () => {
    const nodes = ['The dentist is on 3 May', 'The dentist is on 5 May'].map((content, n) =>
      candidate({ id: `m${n}`, content, documentDay: `2026-04-0${n + 1}` }),
    );
    expect(readTwins(nodes, [{ a: 0, b: 1, weight: 0.97 }]).conflictCount).toBe(0);
  });
});
