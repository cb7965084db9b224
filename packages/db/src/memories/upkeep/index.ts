export {
  ARCHIVE_BELOW,
  ARCHIVE_LIMIT,
  ARCHIVE_MIN_AGE_MS,
  type ArchiveCounts,
  archiveLowUtility,
} from './archive.ts';
export { AUDIT_FACTOR, AUDIT_MIN_AGE_MS, AUDIT_SPAN_MS, type AuditCounts, auditRetrieval } from './audit.ts';
export { type PruneCounts, type PruneInput, pruneMemories } from './prune.ts';
export { checkRelations, FADED_BELOW, type RelationCounts } from './relations.ts';
export { restoreMemories } from './restore.ts';
export { type DecaySample, sampleDecay } from './sample.ts';
