/** Why a file of a workspace was left out of an import, beside the codes of the errors that reading it may end in. */
export type NotesSkip = 'unchanged' | 'closed' | 'later' | 'too_many_blocks';

/** What an import of notes did. Counts and codes only. */
export interface NotesReport {
  files: {
    /** MEMORY.md and daily files that are there. */
    found: number;
    /** Read, changed and imported. */
    imported: number;
    /** Days that were closed: they had ended when they were read. */
    closed: number;
    /** Left out, by reason. */
    skipped: Record<string, number>;
    /** Could not be read, by code. */
    failed: Record<string, number>;
  };
  blocks: {
    /** Of the files that were imported. */
    found: number;
    /** That were there before and cost nothing. */
    unchanged: number;
    /** New memories. */
    imported: number;
    /** That some memory said already. */
    known: number;
    /** Whose memory was forgotten: never imported again. */
    forgotten: number;
    /** That a projection wrote. */
    projected: number;
    /** Longer than a memory may be. */
    tooLong: number;
    /** That no longer stand in their file, edited ones not counted. */
    removed: number;
  };
  memories: {
    /** By the memory of the block that took the place of theirs. */
    superseded: number;
    /** Since their block was removed. */
    archived: number;
  };
}

export function emptyReport(): NotesReport {
  return {
    files: { found: 0, imported: 0, closed: 0, skipped: {}, failed: {} },
    blocks: {
      found: 0,
      unchanged: 0,
      imported: 0,
      known: 0,
      forgotten: 0,
      projected: 0,
      tooLong: 0,
      removed: 0,
    },
    memories: { superseded: 0, archived: 0 },
  };
}

export function countIn(tally: Record<string, number>, word: string): void {
  tally[word] = (tally[word] ?? 0) + 1;
}

/** Adds what one file came to. */
export function addFile(report: NotesReport, file: Pick<NotesReport, 'blocks' | 'memories'>): void {
  for (const name of Object.keys(report.blocks) as (keyof NotesReport['blocks'])[])
    report.blocks[name] += file.blocks[name];
  report.memories.superseded += file.memories.superseded;
  report.memories.archived += file.memories.archived;
}
