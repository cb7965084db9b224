import { DEFAULT_MIN_INTERVAL_MS, type InsightSettings, MIN_INSIGHT_GROWTH_CHARS } from './types.ts';

/**
 * Whether it is time to extract insights. The service asks its database instead, where several workers get one answer.
 * @param workingMemorySize in characters, as `lastMemorySize`
 */
export function shouldTriggerExtraction(
  lastRun: Date | undefined,
  settings: InsightSettings,
  workingMemorySize: number,
  lastMemorySize: number | undefined,
  now: Date = new Date(),
): boolean {
  if (workingMemorySize === 0) return false;
  if (!lastRun) return true;
  const interval = settings.insightExtractionMinIntervalMs ?? DEFAULT_MIN_INTERVAL_MS;
  if (now.getTime() - lastRun.getTime() < interval) return false;
  return lastMemorySize === undefined || workingMemorySize - lastMemorySize >= MIN_INSIGHT_GROWTH_CHARS;
}
