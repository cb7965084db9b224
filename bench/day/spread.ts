/** Shares a whole number out by weights, to the last one: what rounding leaves over goes to the largest remainders. */
export function shareOut(total: number, weights: readonly number[]): number[] {
  const sum = weights.reduce((all, weight) => all + weight, 0);
  if (!(sum > 0)) throw new RangeError('weights of nothing');
  const exact = weights.map((weight) => (total * weight) / sum);
  const shares = exact.map(Math.floor);
  const left = total - shares.reduce((all, share) => all + share, 0);
  const byRemainder = exact.map((value, i) => [value - Math.floor(value), i] as const);
  byRemainder.sort(([a, i], [b, j]) => b - a || i - j);
  for (const [, i] of byRemainder.slice(0, Math.round(left))) shares[i]! += 1;
  return shares;
}

/** The index that a chance from 0 up to 1 falls on. */
export function pick(weights: readonly number[], chance: number): number {
  let left = chance * weights.reduce((all, weight) => all + weight, 0);
  for (const [i, weight] of weights.entries()) {
    left -= weight;
    if (left < 0) return i;
  }
  return weights.length - 1;
}
