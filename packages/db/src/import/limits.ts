/** The largest things an import file may hold. Characters are Unicode code points, as the database counts them. */
export interface ImportLimits {
  /** Characters of one memory. */
  contentChars: number;
  /** Bytes of one line, its end not counted. A longer line is skipped without being kept in memory. */
  lineBytes: number;
  /** Lines of one file: ids are remembered for the whole file, which costs about 150 bytes a line. */
  lines: number;
}

export const DEFAULT_IMPORT_LIMITS: Readonly<ImportLimits> = {
  contentChars: 32_768,
  lineBytes: 4 * 1024 * 1024,
  lines: 1_000_000,
};

/** Characters of an id, a session, a user or a tenant. */
export const NAME_CHARS = 200;
export const RELATIONS_PER_LINE = 64;
/** Bytes of one line's metadata as JSON. */
export const METADATA_BYTES = 256 * 1024;
/** How deep objects and lists of metadata may stand in each other. */
export const METADATA_DEPTH = 32;

/** 32768 as "32,768". */
export function grouped(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ',');
}
