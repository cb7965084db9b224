export type ImportFormat = 'jsonl' | 'text';

/** Looks at the first line that is not blank: an object, or a list of objects by mistake, is meant as JSON. */
export function formatOfText(firstLine: string): ImportFormat {
  return /^\s*(\{|\[\s*(\{|$))/.test(firstLine) ? 'jsonl' : 'text';
}

/**
 * The format of a file: by the end of its name where that tells (.jsonl, .ndjson and .json, or .txt), else by how its
 * text begins. `firstBytes` may be any first part of the file.
 */
export function formatOf(fileName: string | null, firstBytes: Uint8Array = new Uint8Array()): ImportFormat {
  if (fileName !== null && /\.(jsonl|ndjson|json)$/i.test(fileName)) return 'jsonl';
  if (fileName !== null && /\.txt$/i.test(fileName)) return 'text';
  const lines = new TextDecoder().decode(firstBytes).split('\n');
  return formatOfText(lines.find((line) => line.trim() !== '') ?? '');
}
