import { medianOf, ratioOf } from './compare.ts';
import type { Compared, Goal, Ratio, RowResult } from './row.ts';

/** Three digits or so, without an exponent. */
export function numberText(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  const size = Math.abs(value);
  if (size >= 100 || Number.isInteger(value)) return String(Math.round(value));
  return size >= 10 ? value.toFixed(1) : value.toFixed(2);
}

/** ms below ten seconds, s above. */
export function durationText(ms: number): string {
  return ms >= 10_000 ? `${numberText(ms / 1_000)} s` : `${numberText(ms)} ms`;
}

export function bytesText(bytes: number): string {
  const units = ['bytes', 'KB', 'MB', 'GB'];
  let [size, unit] = [bytes, 0];
  for (; Math.abs(size) >= 1_024 && unit < units.length - 1; unit += 1) size /= 1_024;
  return `${numberText(size)} ${units[unit]}`;
}

export function goalText(goal: Goal): string {
  if (goal.kind === 'ratio') return `at least ${numberText(goal.atLeast)}×`;
  if (goal.kind === 'times') return `at most ${numberText(goal.atMost)}× as long`;
  return `at most ${numberText(goal.value)} ${goal.unit}`;
}

export function ratioText({ median, from, to }: Ratio): string {
  return `${numberText(median)}× (${numberText(from)} to ${numberText(to)})`;
}

/** The result of a comparison whose goal is a ratio: met when the median of the rounds reaches it. Null: it has none. */
export function comparedResult(
  name: string,
  compared: Compared,
  goal: { atLeast: number } | null,
  note?: string,
): RowResult {
  const { baselineMs, oursMs, ratio } = compared;
  return {
    name,
    baseline: durationText(medianOf(baselineMs)),
    ours: durationText(medianOf(oursMs)),
    ratio,
    met: goal === null ? null : ratio.median >= goal.atLeast,
    ...(note === undefined ? {} : { note }),
  };
}

/** The result of a comparison whose goal is how many times as long ours may take. Null: it has none. */
export function timesResult(
  name: string,
  { baselineMs, oursMs }: Pick<Compared, 'baselineMs' | 'oursMs'>,
  goal: { atMost: number } | null,
  note: string,
): RowResult {
  const ratio = ratioOf(oursMs, baselineMs);
  return {
    name,
    baseline: durationText(medianOf(baselineMs)),
    ours: durationText(medianOf(oursMs)),
    ratio,
    met: goal === null ? null : ratio.median <= goal.atMost,
    note: `${note}; the ratio is ours over the baseline`,
  };
}
