export {
  type AskedAnswer,
  type AskInsights,
  askProvider,
  type InsightAnswer,
} from './insights/ask.ts';
export { auditOf } from './insights/audit.ts';
export { renderMemoryAuditMarkdown } from './insights/audit-render.ts';
export { type AuditTrail, createAuditTrail } from './insights/audit-trail.ts';
export {
  type AutomationStore,
  createInsightExtractionAutomation,
  type ScheduledTaskCreateInput,
  syncInsightExtractionAutomation,
} from './insights/automation.ts';
export {
  type ClaimedInsights,
  type ClaimedInsightsOptions,
  extractClaimedInsights,
  RETRY_MS as INSIGHTS_RETRY_MS,
  undoClaimedInsights,
} from './insights/claimed.ts';
export { InvalidInsightSchedule, isInsightSchedule, nextInsightsAt } from './insights/cron.ts';
export {
  createInsightExtraction,
  type InsightExtraction,
  type InsightExtractionOptions,
} from './insights/extraction.ts';
export { mergeInsights } from './insights/merge.ts';
export { parseInsightExtractionResponse } from './insights/parse.ts';
export {
  readInsightsMemory,
  readMemoryAudit,
  readWorkingMemory,
  writeInsightsMemory,
  writeMemoryAudit,
  writeWorkingMemory,
} from './insights/project-memory-files.ts';
export {
  applyMemoryPruning,
  generateMemoryAudit,
  type ProcessedRun,
  processAndAuditInsightExtraction,
  processInsightExtractionRun,
} from './insights/project-run.ts';
export { buildInsightExtractionPrompt } from './insights/prompts.ts';
export {
  PRUNE_LIMITS,
  type PruneLimits,
  type PruneRefusal,
  validatePruneCandidate,
} from './insights/prune.ts';
export {
  buildExtractionRequest,
  type ExtractionInput,
  INSIGHTS_PROMPT_VERSION,
  readExtractionRequest,
} from './insights/request.ts';
export type { InsightRun } from './insights/run.ts';
export { getDefaultInsightsTemplate } from './insights/template.ts';
export { shouldTriggerExtraction } from './insights/trigger.ts';
export {
  DEFAULT_INSIGHT_SCHEDULE,
  DEFAULT_MIN_INTERVAL_MS,
  INSIGHT_EXTRACTION_SCHEDULE_NAME,
  type InsightExtractionResult,
  type InsightSettings,
  MEMORY_AUDIT_PATH,
  MEMORY_AUDIT_STATE_PATH,
  MEMORY_INSIGHTS_PATH,
  MEMORY_WORKING_PATH,
  type MemoryAuditCheck,
  type MemoryAuditReport,
  type MemoryExtractionMetadata,
  type MemoryInsight,
  type MemoryInsightCategory,
  MIN_INSIGHT_GROWTH_CHARS,
  type ProcessRunInput,
  type PruneOutcome,
  type PruneValidationResult,
} from './insights/types.ts';
