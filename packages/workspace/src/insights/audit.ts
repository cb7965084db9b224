import {
  countOf,
  extractionChecks,
  healthOf,
  insightsChecks,
  pruningChecks,
  workingChecks,
} from './audit-checks.ts';
import { readInsightsFile } from './insights-file.ts';
import { sectionTitles } from './outline.ts';
import { notPruned } from './prune.ts';
import type { MemoryAuditReport, MemoryExtractionMetadata, PruneOutcome } from './types.ts';

export interface AuditInput {
  /** The texts; null where there is no file. */
  working: string | null;
  insights: string | null;
  extraction?: MemoryExtractionMetadata | undefined;
  pruning?: PruneOutcome | undefined;
  /** Epoch ms. */
  at: number;
}

/** How the memory of a workspace does: what its files hold, how the last extraction went, and what is wrong. */
export function auditOf({ working, insights, extraction, pruning, at }: AuditInput): MemoryAuditReport {
  const file = readInsightsFile(insights ?? '');
  const checks = [
    ...workingChecks(working),
    ...insightsChecks(insights, file),
    ...extractionChecks(extraction, at),
    ...pruningChecks(pruning),
  ];
  const size = working?.length ?? 0;
  return {
    generatedAt: new Date(at).toISOString(),
    workingMemory: { exists: working !== null, size, sectionCount: sectionTitles(working ?? '').length },
    insightsMemory: {
      exists: insights !== null,
      size: insights?.length ?? 0,
      insightCount: countOf(file),
      categories: file.categories,
      lastUpdated: file.lastUpdated,
    },
    extraction: extraction ?? {
      runAt: '',
      success: false,
      insightCount: 0,
      duplicateCount: 0,
      skippedCount: 0,
      summary: 'No extraction has been recorded',
    },
    pruning: pruning ?? notPruned(size, 'No pruning has been recorded', 'nothing'),
    checks,
    health: healthOf(checks),
  };
}
