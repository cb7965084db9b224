export type MemoryRefusedCode = 'superseded' | 'static_profile' | 'ambiguous';

/** What was asked of a memory cannot be done to it. Says what to do instead; carries ids only. */
export class MemoryRefused extends Error {
  readonly code: MemoryRefusedCode;
  readonly retryable = false;
  /** As the caller named it. */
  readonly memory: string;

  constructor(code: MemoryRefusedCode, memory: string, message: string) {
    super(message);
    this.name = 'MemoryRefused';
    this.code = code;
    this.memory = memory;
  }
}
