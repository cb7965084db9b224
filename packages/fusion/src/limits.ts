/** One run supersedes at most the larger of this many memories and this share of the user's latest ones. */
export const MIN_RUN_LIMIT = 16;
export const RUN_LIMIT_SHARE = 0.25;

/** How many memories one run may supersede. */
export function runLimit(latestCount: number): number {
  return Math.max(MIN_RUN_LIMIT, Math.floor(latestCount * RUN_LIMIT_SHARE));
}
