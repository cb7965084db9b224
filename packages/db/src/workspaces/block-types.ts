import type { MemoryCategory, Origin } from '@slowwave/fusion';
import type { BlockKey } from './ledger.ts';

/** The day that a file of daily notes is about, where the user lives. */
export interface NotesDay {
  /** YYYY-MM-DD */
  date: string;
  /** Its first and its last instant, epoch ms. */
  from: number;
  to: number;
}

/** A block of a file that is to become a memory. */
export interface NewBlock extends BlockKey {
  /** What the memory says. */
  content: string;
  category: MemoryCategory;
  /** Who said it. */
  origin: Origin;
  /** When it was said, epoch ms. */
  documentDate: number;
  /** Epoch ms. */
  eventDate?: number | null | undefined;
  /** 1 to 10; 5 without one. */
  importance?: number | undefined;
  /** 0 to 1; 0.8 without one. */
  confidence?: number | undefined;
  /** 0 to 1; 0.8 without one. */
  trust?: number | undefined;
  metadata?: Record<string, unknown> | undefined;
  /**
   * Of a block in the notes of a day: only a memory that was said on that day is known already, so that what stands in the notes of several
   * days is a memory of each. Absent: a memory of whatever day is.
   */
  day?: NotesDay | undefined;
  /** The block of the same file that this one took the place of: an edit. Its memory is superseded by this one's. */
  replaces?: BlockKey | undefined;
}

/** What became of one block, in the order in which they were given. */
export interface BlockOutcome extends BlockKey {
  /** imported: a new memory. known: a memory that stood there already. forgotten: nothing is written, now or ever. */
  state: 'imported' | 'known' | 'forgotten';
  memoryId: string | null;
  /** The memory that it superseded; null when it replaced none, or one that something else stands for. */
  superseded: string | null;
}

export interface BlockInput {
  /** Of the file. */
  path: string;
  /** Epoch ms. */
  at: number;
  /** Who does it, as the journal names them. */
  actor: string | null;
  /** The run of a tier that it belongs to: undoing that takes back what it superseded and archived. */
  runId: string | null;
}
