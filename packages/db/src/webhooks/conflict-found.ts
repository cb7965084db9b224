import type { ConflictType } from '@slowwave/fusion';
import type { WebhookEvent } from './types.ts';

/** A conflict that waits for a person from now on. */
export function conflictFound(conflict: {
  id: string;
  type: ConflictType;
  runId: string | null;
}): WebhookEvent {
  const { id, type, runId } = conflict;
  return { type: 'conflict.found', data: { conflictId: id, type, runId } };
}
