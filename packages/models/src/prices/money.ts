/** Money is counted in whole nano-dollars, so that sums are exact whatever their order. */
export const NANOS_PER_DOLLAR = 1_000_000_000n;

const DOLLARS = /^(\d{1,9})(?:\.(\d{1,9}))?$/;

/**
 * US dollars, as written, in nano-dollars.
 * @param dollars a decimal with at most nine places on either side, such as 0.125
 * @throws RangeError for anything else
 */
export function nanosOf(dollars: string): bigint {
  const [, whole, fraction = ''] = DOLLARS.exec(dollars) ?? [];
  if (whole === undefined) throw new RangeError('expected US dollars with at most nine decimal places');
  return BigInt(whole) * NANOS_PER_DOLLAR + BigInt(fraction.padEnd(9, '0'));
}

/** Nano-dollars in US dollars, for people and for numbers that are only shown. */
export function dollarsOfNanos(nanos: bigint): number {
  return Number(nanos) / Number(NANOS_PER_DOLLAR);
}
