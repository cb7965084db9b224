import { describe, expect, it } from 'vitest';
import type { Edge } from './memory.ts';
import { planClusters, planInSlices } from './plan.ts';
import { DEEP_WINDOW } from './plan-config.ts';
import { inOneGo, type Slices, withPauses } from './slices.ts';
import { AT, candidate, neighbour } from './testing/samples.ts';

const nowMs = () => 0;
const OPTIONS = { ...DEEP_WINDOW, at: AT };

function* counted(slices: number): Slices<number> {
  for (let slice = 0; slice < slices; slice += 1) yield;
  return slices;
}

describe('work in slices', () => {
  it('has the same result in one go and with pauses, one between any two slices', async () => {
    let pauses = 0;
    const pause = async () => {
      pauses += 1;
    };
    expect(inOneGo(counted(3))).toBe(3);
    expect(await withPauses(counted(3), { pause, nowMs })).toBe(3);
    expect(pauses).toBe(3);
    expect(await withPauses(counted(3), { nowMs })).toBe(3);
  });

  it('ends with the reason of its signal at the next pause', async () => {
    const controller = new AbortController();
    let pauses = 0;
    const pause = async () => {
      pauses += 1;
      if (pauses === 2) controller.abort(new Error('enough'));
    };
    await expect(withPauses(counted(9), { pause, signal: controller.signal, nowMs })).rejects.toThrow(
      'enough',
    );
    expect(pauses).toBe(2);
  });
});

describe('work that takes longer than its deadline', () => {
  it('ends at the first pause past the deadline, and one that ends before it or begins after it has its result', async () => {
    let clock = 0;
    const pause = async (): Promise<void> => {
      clock += 10;
    };
    const late = { pause, nowMs: () => clock, deadlineMs: 30 };
    expect(await withPauses(counted(9), late)).toBeNull();
    expect(clock).toBe(30);
    clock = 0;
    expect(await withPauses(counted(2), late)).toBe(2);
    clock = 40;
    expect(await withPauses(counted(9), late)).toBe(9);
  });
});

describe('the plan of a user whose memories are all alike', () => {
  it('is made in slices that compare a few pairs each', () => {
    const candidates = Array.from({ length: 16 }, (_, n) =>
      candidate({ id: `m${String(n).padStart(2, '0')}`, content: `Ana has seen ${n} plums near the canal.` }),
    );
    const edges: Edge[] = [];
    for (const [n, { id }] of candidates.entries()) {
      for (const other of candidates.slice(n + 1)) edges.push(neighbour(id, other.id, 0.95));
    }
    const planning = planInSlices(candidates, edges, OPTIONS);
    let slices = 0;
    for (;;) {
      const { done, value } = planning.next();
      slices += 1;
      if (!done) continue;
      expect(value).toEqual(planClusters(candidates, edges, OPTIONS));
      break;
    }
    // 120 pairs, 4 at once.
    expect(slices).toBeGreaterThan(30);
  });
});
