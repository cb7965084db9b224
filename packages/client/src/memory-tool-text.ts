/** Answers of the memory tool, in the words that models were trained on. */

const LINES_MAX = 999_999;
const NUMBER_WIDTH = String(LINES_MAX).length;
/** What a folder itself takes on common file systems: models are shown a size of each. */
const FOLDER_SIZE = 4_096;

function sizeText(bytes: number): string {
  if (bytes === 0) return '0B';
  const unit = Math.floor(Math.log(bytes) / Math.log(1_024));
  const size = bytes / 1_024 ** unit;
  return `${size % 1 === 0 ? size : size.toFixed(1)}${['B', 'K', 'M', 'G'][unit]}`;
}

const numbered = (lines: readonly string[], first: number): string =>
  lines.map((line, i) => `${String(i + first).padStart(NUMBER_WIDTH, ' ')}\t${line}`).join('\n');

/** A file with the numbers of its lines. @param range first and last line, the last one -1 for the end */
export function numberedText(path: string, content: string, range?: readonly number[]): string {
  const lines = content.split('\n');
  if (lines.length > LINES_MAX) {
    throw new Error(
      `File ${path} has too many lines (${lines.length}). Maximum is ${LINES_MAX.toLocaleString()} lines.`,
    );
  }
  const [from, to] = range?.length === 2 ? range : [1, -1];
  const start = Math.max(1, from!) - 1;
  const shown = lines.slice(start, to === -1 ? lines.length : to);
  return `Here's the content of ${path} with line numbers:\n${numbered(shown, start + 1)}`;
}

/** The lines around the one that was edited. @param line from 1 */
export function editedSnippet(content: string, line: number): string {
  const lines = content.split('\n');
  const start = Math.max(0, line - 3);
  const shown = lines.slice(start, Math.min(lines.length, line + 2));
  return `The memory file has been edited. Here is the snippet showing the change (with line numbers):\n${numbered(shown, start + 1)}`;
}

interface Entry {
  /** A folder ends with a slash. */
  path: string;
  size: number;
}

/** A folder with what stands up to two levels below it. @param path as it was asked for @param real where the entries are */
export function folderText(path: string, real: string, entries: readonly Entry[]): string {
  const below = entries
    .map((entry) => ({
      ...entry,
      parts: entry.path
        .slice(real.length + 1)
        .replace(/\/$/, '')
        .split('/'),
    }))
    .filter(({ parts }) => parts.every((part) => !part.startsWith('.') && part !== 'node_modules'))
    .sort((a, b) => compare(a.parts, b.parts));
  const lines = below.map(({ path: at, size }) => {
    const isFolder = at.endsWith('/');
    return `${sizeText(isFolder ? FOLDER_SIZE : size)}\t${path}/${at.slice(real.length + 1)}`;
  });
  const header = `Here're the files and directories up to 2 levels deep in ${path}, excluding hidden items and node_modules:`;
  return [header, `${sizeText(FOLDER_SIZE)}\t${path}`, ...lines].join('\n');
}

/** A folder before what it holds, names by their characters. */
function compare(a: readonly string[], b: readonly string[]): number {
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    if (a[i] !== b[i]) return a[i]! < b[i]! ? -1 : 1;
  }
  return a.length - b.length;
}
