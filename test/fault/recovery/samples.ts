/** Seconds of one kind, and what they should be. */
export interface Measured {
  what: string;
  seconds: number[];
  /** Of the 95th percentile. */
  goalSeconds: number;
}

export interface Spread {
  p50: number;
  p95: number;
  max: number;
}

export function spreadOf(values: readonly number[]): Spread {
  const sorted = [...values].sort((one, other) => one - other);
  const at = (share: number) => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
  return { p50: at(0.5), p95: at(0.95), max: at(1) };
}

export function isMet({ seconds, goalSeconds }: Measured): boolean {
  return seconds.length > 0 && spreadOf(seconds).p95 < goalSeconds;
}

/** One line each: how many, how long, and whether that is what it should be. */
export function tableOf(measured: readonly Measured[]): string {
  const widest = Math.max(...measured.map(({ what }) => what.length));
  const cell = (value: number) => value.toFixed(1).padStart(6);
  const head = `${''.padEnd(widest)}    n     p50     p95     max   goal (p95)`;
  const rows = measured.map((one) => {
    const { p50, p95, max } = spreadOf(one.seconds);
    const figures = `${String(one.seconds.length).padStart(4)}  ${cell(p50)}  ${cell(p95)}  ${cell(max)}`;
    return `${one.what.padEnd(widest)} ${figures}   < ${one.goalSeconds} s ${isMet(one) ? 'met' : 'MISSED'}`;
  });
  return [head, ...rows].join('\n');
}

/** Numbers in [0, 1), the same for the same seed. */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
