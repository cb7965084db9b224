export {
  ARCHIVE_BELOW,
  ARCHIVE_LIMIT,
  ARCHIVE_MIN_AGE_MS,
  type ArchiveCounts,
  archiveLowUtility,
  askArchive,
} from './archive.ts';
export {
  AUDIT_FACTOR,
  AUDIT_MIN_AGE_MS,
  AUDIT_SPAN_MS,
  type AuditCounts,
  askAudit,
  auditRetrieval,
} from './audit.ts';
export { askPrunable, type PruneCounts, type PruneInput, pruneMemories } from './prune.ts';
export { askRelations, checkRelations, FADED_BELOW, type RelationCounts } from './relations.ts';
export { restoreMemories } from './restore.ts';
export { askSample, type DecaySample, sampleDecay } from './sample.ts';
