import type { ConflictType } from '../memory.ts';

export type { ConflictType } from '../memory.ts';

/** What was found about two notes or memories of one user. */
export interface MemoryConflict {
  /** UUID. */
  id: string;
  noteIdA: string;
  noteIdB: string;
  type: ConflictType;
  /** Why, in a model's words. */
  description: string;
  /** Settled, by the code or by a person. */
  resolved: boolean;
  /** How it was settled. */
  resolution?: string;
  /** Which of the two says everything that the other says, where `type` is subsumes and that is known. */
  subsumedBy?: string;
  /** ISO 8601. */
  detectedAt: string;
}
