import type { InsightsFile } from './insights-file.ts';
import { sectionTitles } from './outline.ts';
import { requiredSections } from './prune.ts';
import {
  INSIGHT_CATEGORIES,
  type MemoryAuditCheck,
  type MemoryExtractionMetadata,
  type MemoryHealth,
  type PruneOutcome,
} from './types.ts';

const WEEK_MS = 7 * 86_400_000;
const SUMMARY_CHARS = 100;
/** Without these nothing else matters. */
const CRITICAL = ['working-memory-exists', 'insights-memory-exists', 'recent-extraction'];

function check(id: string, name: string, passed: boolean, details: string): MemoryAuditCheck {
  return { id, name, passed, details };
}

export function workingChecks(content: string | null): MemoryAuditCheck[] {
  const [id, name] = ['working-memory-exists', 'Working memory is there'];
  if (content === null) return [check(id, name, false, 'There is no .fusion/memory/MEMORY.md')];
  const sections = sectionTitles(content).length;
  const checks = [
    check(id, name, true, `${content.length} characters in ${sections} sections`),
    check(
      'working-memory-content',
      'Working memory has content',
      content.trim() !== '' && sections >= 2,
      content.trim() === '' ? 'It is empty' : `It has ${sections} sections, and should have at least 2`,
    ),
  ];
  if (content === '') return checks;
  const found = requiredSections(content);
  const details = `Found of the required sections: ${found.join(', ') || 'none'}`;
  checks.push(
    check('working-memory-sections', 'Working memory has its sections', found.length >= 2, details),
  );
  return checks;
}

export function insightsChecks(content: string | null, file: InsightsFile): MemoryAuditCheck[] {
  const [id, name] = ['insights-memory-exists', 'Insights are there'];
  if (content === null) return [check(id, name, false, 'There is no .fusion/memory/memory-insights.md yet')];
  const total = countOf(file);
  const counts = INSIGHT_CATEGORIES.map((category) => `${category} ${file.categories[category]}`).join(', ');
  return [
    check(id, name, true, `${content.length} characters`),
    check('insights-memory-content', 'Insights have content', total > 0, `${total} insights: ${counts}`),
  ];
}

export function countOf(file: InsightsFile): number {
  return INSIGHT_CATEGORIES.reduce((sum, category) => sum + file.categories[category], 0);
}

export function extractionChecks(
  extraction: MemoryExtractionMetadata | undefined,
  at: number,
): MemoryAuditCheck[] {
  const [id, name] = ['recent-extraction', 'Insights were extracted in the last week'];
  if (!extraction) return [check(id, name, false, 'No extraction has been recorded')];
  const { success, runAt, insightCount, duplicateCount, summary, error } = extraction;
  const isRecent = at - Date.parse(runAt) < WEEK_MS;
  const shown = [...summary].slice(0, SUMMARY_CHARS).join('');
  return [
    check(
      id,
      name,
      success && isRecent,
      success
        ? `Last extraction ${runAt}: ${insightCount} new insights, ${duplicateCount} duplicates`
        : `Last extraction failed: ${error ?? 'for an unknown reason'}`,
    ),
    check(
      'extraction-summary',
      'The extraction says what it found',
      success && summary.length > 10,
      success ? `Summary: ${shown}${shown.length < summary.length ? '…' : ''}` : 'There is no summary',
    ),
  ];
}

/** Nothing to prune is as it should be; a proposal that was refused is not. */
export function pruningChecks(pruning: PruneOutcome | undefined): MemoryAuditCheck[] {
  if (!pruning) return [];
  const { applied, reason, originalSize, newSize, sizeDelta, status } = pruning;
  const details = applied
    ? `Pruning applied: ${originalSize} → ${newSize} characters (${sizeDelta > 0 ? '+' : ''}${sizeDelta})`
    : `Pruning skipped: ${reason}`;
  return [check('pruning-applied', 'Working memory is pruned', applied || status === 'nothing', details)];
}

export function healthOf(checks: readonly MemoryAuditCheck[]): MemoryHealth {
  const failed = checks.filter(({ passed }) => !passed);
  if (failed.length === 0) return 'healthy';
  return failed.length >= 3 || failed.some(({ id }) => CRITICAL.includes(id)) ? 'issues' : 'warning';
}
