import { describe, expect, it } from 'vitest';
import { createRandom } from './random.ts';

describe('createRandom', () => {
  it('gives the same numbers for the same seed, on every machine', () => {
    const random = createRandom('tenant user graph');
    const first = [random(), random(), random()];
    expect(first).toEqual([0.40720433508977294, 0.737559272442013, 0.10311434231698513]);
  });

  it('gives other numbers for another seed, evenly spread from 0 up to 1', () => {
    const buckets = Array.from({ length: 10 }, () => 0);
    const firsts = new Set<number>();
    for (let seed = 0; seed < 200; seed += 1) {
      const random = createRandom(`user ${seed}`);
      firsts.add(random());
      for (let draw = 0; draw < 100; draw += 1) {
        const value = random();
        buckets[Math.floor(value * 10)]! += 1;
      }
    }
    expect(firsts.size).toBe(200);
    expect(buckets.reduce((sum, count) => sum + count, 0)).toBe(20_000);
    for (const count of buckets) expect(Math.abs(count - 2_000)).toBeLessThan(200);
  });
});
