import type { Dependent, UndoRefusedCode } from '../undo/errors.ts';

/**
 * superseded: another memory stands for it, and that cannot be taken back. derived: it stands for others, and that cannot be taken back.
 * version_changed: it is not the version that the editor read.
 */
export type EditRefusedCode = 'superseded' | 'derived' | 'version_changed';

/** A memory stays as it is. Says what to do instead; carries ids only. */
export class EditRefused extends Error {
  readonly code: EditRefusedCode;
  readonly retryable = false;
  readonly memory: string;
  /** Why what stands in the way cannot be undone; null when it is no fusion. */
  readonly why: UndoRefusedCode | null;
  /** What to undo first. */
  readonly dependents: Dependent[];

  constructor(
    code: EditRefusedCode,
    memory: string,
    message: string,
    details: { why?: UndoRefusedCode; dependents?: Dependent[] } = {},
  ) {
    super(message);
    this.name = 'EditRefused';
    this.code = code;
    this.memory = memory;
    this.why = details.why ?? null;
    this.dependents = details.dependents ?? [];
  }
}
