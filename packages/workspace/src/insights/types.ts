export const MEMORY_WORKING_PATH = '.fusion/memory/MEMORY.md';
export const MEMORY_INSIGHTS_PATH = '.fusion/memory/memory-insights.md';
export const MEMORY_AUDIT_PATH = '.fusion/memory/memory-audit.md';
export const MEMORY_AUDIT_STATE_PATH = '.fusion/memory/memory-audit-state.json';

export const DEFAULT_INSIGHT_SCHEDULE = '0 2 * * *';
export const DEFAULT_MIN_INTERVAL_MS = 86_400_000;
/** Growth of the working memory in characters, below which it is not read again. */
export const MIN_INSIGHT_GROWTH_CHARS = 1_000;
export const INSIGHT_EXTRACTION_SCHEDULE_NAME = 'Memory Insight Extraction';

export const INSIGHT_CATEGORIES = ['pattern', 'principle', 'convention', 'pitfall', 'context'] as const;
export type MemoryInsightCategory = (typeof INSIGHT_CATEGORIES)[number];

/** The heading of each category in the insights file. */
export const SECTION_OF: Record<MemoryInsightCategory, string> = {
  pattern: 'Patterns',
  principle: 'Principles',
  convention: 'Conventions',
  pitfall: 'Pitfalls',
  context: 'Context',
};

export interface MemoryInsight {
  category: MemoryInsightCategory;
  content: string;
  /** What it was learned from. */
  source?: string | undefined;
  /** ISO 8601. */
  extractedAt: string;
}

export interface InsightExtractionResult {
  insights: MemoryInsight[];
  summary: string;
  /** ISO 8601. */
  extractedAt: string;
  /** What the working memory should be instead; a proposal. */
  prunedMemory?: string | undefined;
}

export interface PruneValidationResult {
  valid: boolean;
  reason?: string;
  /** Characters of the candidate. */
  size: number;
  hasRequiredSections: boolean;
}

export interface PruneOutcome {
  applied: boolean;
  reason: string;
  /** New size minus old size, in characters. */
  sizeDelta: number;
  originalSize: number;
  newSize: number;
  /** `nothing`: none was proposed, which is as it should be. Absent in reports of others. */
  status?: 'applied' | 'nothing' | 'rejected' | undefined;
}

export interface MemoryExtractionMetadata {
  /** ISO 8601. */
  runAt: string;
  success: boolean;
  /** Insights that were added. */
  insightCount: number;
  duplicateCount: number;
  /** Insights of the answer that were not added, duplicates included. */
  skippedCount: number;
  summary: string;
  error?: string | undefined;
}

export interface MemoryAuditCheck {
  id: string;
  name: string;
  passed: boolean;
  details: string;
}

export type MemoryHealth = 'healthy' | 'warning' | 'issues';

export interface MemoryAuditReport {
  /** ISO 8601. */
  generatedAt: string;
  workingMemory: { exists: boolean; size: number; sectionCount: number; lastModified?: string | undefined };
  insightsMemory: {
    exists: boolean;
    size: number;
    insightCount: number;
    categories: Record<MemoryInsightCategory, number>;
    lastUpdated?: string | undefined;
  };
  extraction: MemoryExtractionMetadata;
  pruning: PruneOutcome;
  checks: MemoryAuditCheck[];
  health: MemoryHealth;
}

export interface ProcessRunInput {
  rawResponse?: string | undefined;
  stepSuccess: boolean;
  /** ISO 8601. */
  runAt: string;
  error?: string | undefined;
  /** SHA-256 of the working memory that the model read; with it a pruning of anything else is refused. */
  workingSha256?: string | undefined;
}

/** The settings of a project that insights know. */
export interface InsightSettings {
  insightExtractionEnabled?: boolean | undefined;
  insightExtractionSchedule?: string | undefined;
  insightExtractionMinIntervalMs?: number | undefined;
}
