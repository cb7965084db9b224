import type { Compared, Ratio, Sides } from './row.ts';

/** What a comparison needs from outside. */
export interface CompareParts {
  rounds: number;
  /** A clock for durations, ms. */
  nowMs(): number;
  /** Called before each timed call, so that neither side pays for the other's garbage. */
  settle?(): void;
}

/** The middle of the values, or the mean of the two in the middle. At least one value. */
export function medianOf(values: readonly number[]): number {
  if (values.length === 0) throw new RangeError('the median of nothing');
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** The value below which a share of all values lies, or which is among them (nearest rank). At least one value, share from 0 to 1. */
export function shareOf(values: readonly number[], share: number): number {
  if (values.length === 0) throw new RangeError('a share of nothing');
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length, Math.max(1, Math.ceil(share * sorted.length))) - 1]!;
}

/** The median of the ratios of each round and the range they lie in. A side that took no measurable time counts as a microsecond. */
export function ratioOf(baselineMs: readonly number[], oursMs: readonly number[]): Ratio {
  if (baselineMs.length !== oursMs.length) throw new RangeError('rounds of both sides');
  const ratios = baselineMs.map((ms, round) => Math.max(ms, 1e-3) / Math.max(oursMs[round]!, 1e-3));
  return { median: medianOf(ratios), from: Math.min(...ratios), to: Math.max(...ratios) };
}

/**
 * Runs both sides once, insists that they agree, and only then times them: in each round both, one after the other, and in every other
 * round in the other order, so that a machine that grows slower favours neither. Every round's results are compared as well.
 */
export async function compareSides<T>(parts: CompareParts, sides: Sides<T>): Promise<Compared> {
  const { rounds, nowMs, settle } = parts;
  if (!(rounds >= 1)) throw new RangeError('at least one round');
  const timed = async (side: () => Promise<T>): Promise<{ result: T; ms: number }> => {
    settle?.();
    const begun = nowMs();
    const result = await side();
    return { result, ms: nowMs() - begun };
  };
  sides.equal(await sides.baseline(), await sides.ours());
  const baselineMs: number[] = [];
  const oursMs: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const first = round % 2 === 0 ? sides.baseline : sides.ours;
    const one = await timed(() => first.call(sides));
    const other = await timed(() => (round % 2 === 0 ? sides.ours() : sides.baseline()));
    const [baseline, ours] = round % 2 === 0 ? [one, other] : [other, one];
    sides.equal(baseline.result, ours.result);
    baselineMs.push(baseline.ms);
    oursMs.push(ours.ms);
  }
  return { baselineMs, oursMs, ratio: ratioOf(baselineMs, oursMs) };
}
