import type { MemoryExtractionMetadata, PruneOutcome } from './types.ts';

/** What the audit remembers of the last run. */
export interface AuditState {
  extraction?: MemoryExtractionMetadata | undefined;
  pruning?: PruneOutcome | undefined;
  /** ISO 8601. */
  updatedAt: string;
}

export function renderAuditState(state: AuditState): string {
  return `${JSON.stringify(state, null, 2)}\n`;
}

type Fields = Record<string, unknown>;

function readExtraction(value: Fields): MemoryExtractionMetadata | undefined {
  const { runAt, success, insightCount, duplicateCount, skippedCount, summary, error } = value;
  if (typeof runAt !== 'string' || Number.isNaN(Date.parse(runAt)) || typeof success !== 'boolean')
    return undefined;
  const count = (given: unknown) => (Number.isSafeInteger(given) ? (given as number) : 0);
  return {
    runAt,
    success,
    insightCount: count(insightCount),
    duplicateCount: count(duplicateCount),
    skippedCount: count(skippedCount),
    summary: typeof summary === 'string' ? summary : '',
    ...(typeof error === 'string' ? { error } : {}),
  };
}

function readPruning(value: Fields): PruneOutcome | undefined {
  const { applied, reason, sizeDelta, originalSize, newSize, status } = value;
  if (typeof applied !== 'boolean') return undefined;
  const size = (given: unknown) => (typeof given === 'number' && Number.isFinite(given) ? given : 0);
  const known = (['applied', 'nothing', 'rejected'] as const).find((word) => word === status);
  return {
    applied,
    reason: typeof reason === 'string' ? reason : '',
    sizeDelta: size(sizeDelta),
    originalSize: size(originalSize),
    newSize: size(newSize),
    ...(known === undefined ? {} : { status: known }),
  };
}

/** Null for what cannot be read: the audit then knows of no run. */
export function readAuditState(text: string | null): AuditState | null {
  const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null;
  let value: unknown;
  try {
    value = JSON.parse(text ?? '');
  } catch {
    return null;
  }
  if (!isFields(value)) return null;
  const { extraction, pruning, updatedAt } = value;
  return {
    extraction: isFields(extraction) ? readExtraction(extraction) : undefined,
    pruning: isFields(pruning) ? readPruning(pruning) : undefined,
    updatedAt: typeof updatedAt === 'string' ? updatedAt : '',
  };
}
