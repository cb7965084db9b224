import { describe, expect, it } from 'vitest';
import { batchFor, isMany } from './embed.ts';

describe('how many memories are embedded in one transaction', () => {
  it.each([
    [0, 384, 256],
    [4_000, 384, 256],
    [10_000, 384, 104],
    [50_000, 384, 20],
    [50_000, 1_536, 5],
    [50_000, 16_000, 4],
    // Nobody knows how long the vectors will be.
    [10_000, null, 26],
  ])('of a user with %i of them, with vectors of %s components: %i', (latest, components, batch) => {
    expect(batchFor(latest, components, 256)).toBe(batch);
  });

  it('is never more than allowed', () => {
    expect(batchFor(0, 384, 64)).toBe(64);
    expect(batchFor(1_000_000, 384, 2)).toBe(2);
  });
});

describe('whether neighbours are found outside of the database', () => {
  it.each([
    // A day of one person, and the largest there are.
    [20, 20_000, 1_536, false],
    [31, 1_000_000, 1_536, false],
    // An import, and a batch of one.
    [1_000, 1_000, 384, false],
    [1_200, 1_200, 384, true],
    [256, 5_000, 384, false],
    [256, 5_087, 384, true],
    [256, 5_000, 1_536, true],
    [32, 50_000, 384, true],
    [256, 2_000, null, true],
  ])('%i new among %i, with vectors of %s components: %s', (missing, latest, components, many) => {
    expect(isMany(missing, latest, components)).toBe(many);
  });
});
