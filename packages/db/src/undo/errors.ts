import type { ChangeKind } from '../journal.ts';

/**
 * unknown: there is nothing of that name. already_undone, not_undone: as it stands already. depends: later changes stand on it.
 * images_dropped: the journal no longer knows how it was. forgotten: something in it was forgotten. nothing_to_undo: it changed nothing.
 */
export type UndoRefusedCode =
  | 'unknown'
  | 'already_undone'
  | 'not_undone'
  | 'depends'
  | 'images_dropped'
  | 'forgotten'
  | 'nothing_to_undo';

/** A later change set that stands in the way, and the memories over which it does. */
export interface Dependent {
  changeSetId: string;
  kind: ChangeKind;
  fusionKey: string | null;
  runId: string | null;
  memoryIds: string[];
  /** Epoch ms. */
  createdAt: number;
}

/** What was asked to be undone or redone stays as it is. Carries ids only; nothing was written. */
export class UndoRefused extends Error {
  readonly code: UndoRefusedCode;
  readonly retryable = false;
  /** For `depends`: what to undo first, newest first. Empty when what changed since stands in no journal. */
  readonly dependents: Dependent[];
  /** For `depends`: the memories that are no longer as they were left. */
  readonly memoryIds: string[];

  constructor(
    code: UndoRefusedCode,
    message: string,
    details: { dependents?: Dependent[]; memoryIds?: string[] } = {},
  ) {
    super(message);
    this.name = 'UndoRefused';
    this.code = code;
    this.dependents = details.dependents ?? [];
    this.memoryIds = details.memoryIds ?? [];
  }
}
