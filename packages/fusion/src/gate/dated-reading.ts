import type { Statement } from './unit.ts';

/** One text of those that are compared, as far as its dates go. */
export interface DatedReading {
  statement: Statement;
  /** As written, with the day on which it was said; null for a summary. */
  content: string;
  day: string | null;
  /** The text that the statement was read from. */
  text: string;
  /** Relative dates, as written, that nothing resolves for sure. */
  unresolved: readonly string[];
}
