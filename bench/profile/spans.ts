/** From and to, ms of one clock. */
export type Span = readonly [number, number];

/** How long at least one of the spans was under way, ms: those that overlap count once. */
export function unionMs(spans: readonly Span[]): number {
  let [total, end] = [0, Number.NEGATIVE_INFINITY];
  for (const [from, to] of [...spans].sort(([a], [b]) => a - b)) {
    if (to <= end) continue;
    total += to - Math.max(from, end);
    end = to;
  }
  return total;
}
