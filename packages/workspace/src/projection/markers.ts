import { textHash } from '../files/folder-change.ts';

export const REGION_BEGIN = '<!-- slowwave:begin -->';
export const REGION_END = '<!-- slowwave:end -->';
export const ENTRY_END = '<!-- slowwave:run-end -->';

const ID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const MARK = new RegExp(`<!-- slowwave:(${ID}) -->`, 'gi');
const REGION_BEGINS = new RegExp(`^[ \\t]*${REGION_BEGIN}[ \\t]*$`);
const REGION_ENDS = new RegExp(`^[ \\t]*${REGION_END}[ \\t]*$`);
const ENTRY_BEGINS = new RegExp(`^[ \\t]*<!-- slowwave:run (${ID}) -->[ \\t]*$`, 'i');
const ENTRY_ENDS = new RegExp(`^[ \\t]*${ENTRY_END}[ \\t]*$`, 'i');
/** Where a line of Markdown would begin something else than a sentence. */
const STRUCTURE = /^(?:[#>|~`=[\\]|[-+*](?:\s|$)|([-*_])(?:\s*\1){2,}\s*$)/;
const NUMBERED = /^(\d{1,9})([.)])(?=\s|$)/;

export type RegionProblem = 'several_regions' | 'broken_region' | 'broken_entry';

const PROBLEMS: Record<RegionProblem, string> = {
  several_regions: 'it has more than one managed region; keep one',
  broken_region: 'a marker line of its managed region is missing or out of place; remove the other one too',
  broken_entry:
    'a marker line of an entry about a night is missing or out of place; remove the other one too',
};

/** A document that we may not touch until somebody has put its markers right. Carries its path and a code, nothing of its text. */
export class RegionRefused extends Error {
  override readonly name = 'RegionRefused';
  readonly code: RegionProblem;
  readonly path: string;

  constructor(code: RegionProblem, path: string) {
    super(`${path} is left as it is: ${PROBLEMS[code]}`);
    this.code = code;
    this.path = path;
  }
}

export type MarkerLine =
  | { kind: 'region_begin' | 'region_end' | 'entry_end' }
  | { kind: 'entry_begin'; runId: string };

/** What a line without its line end marks; null for any other text. */
export function markerOf(line: string): MarkerLine | null {
  if (!line.includes('slowwave:')) return null;
  if (REGION_BEGINS.test(line)) return { kind: 'region_begin' };
  if (REGION_ENDS.test(line)) return { kind: 'region_end' };
  if (ENTRY_ENDS.test(line)) return { kind: 'entry_end' };
  const runId = ENTRY_BEGINS.exec(line)?.[1]?.toLowerCase();
  return runId === undefined ? null : { kind: 'entry_begin', runId };
}

/** The memories whose marks stand in a text, each once. */
export function marksIn(text: string): string[] {
  return [...new Set([...text.matchAll(MARK)].map((found) => found[1]!.toLowerCase()))];
}

/** A line without marks of memories: what a hand made of it. */
export function withoutMarks(line: string): string {
  return line.replace(MARK, '').trimEnd();
}

/**
 * Any text as one line of Markdown that says the same and can be no heading, list, comment, tag or marker. Longer texts end in an ellipsis.
 * @param max in characters
 */
export function escapeLine(text: string, max: number): string {
  const flat = text
    .replace(/\p{Surrogate}/gu, '\uFFFD')
    .replace(/[\s\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim();
  const safe = shortened(flat, max)
    .replace(/<(?=[!/?A-Za-z])/g, '&lt;')
    .replace(/--(!?)>/g, '--$1&gt;')
    .replace(NUMBERED, '$1\\$2');
  return STRUCTURE.test(safe) ? `\\${safe}` : safe;
}

function shortened(text: string, max: number): string {
  const characters = [...text];
  return characters.length <= max
    ? text
    : `${characters
        .slice(0, max - 1)
        .join('')
        .trimEnd()}…`;
}

/** Characters of a memory on its line. */
const LINE_CHARS_MAX = 600;

/** The line of a memory, with its mark; null when its text says nothing that could be seen. */
export function memoryLine(memory: { id: string; content: string }): string | null {
  const text = escapeLine(memory.content, LINE_CHARS_MAX);
  return text === '' ? null : `- ${text} <!-- slowwave:${memory.id} -->`;
}

/** By which a line is known again, whatever an editor does to its end. SHA-256, hex. */
export function lineHash(line: string): string {
  return textHash(line.trimEnd());
}

/** Lines with their ends. */
export function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

/** A line without its end. */
export function bare(line: string): string {
  return line.replace(/\r?\n$|\r$/, '');
}

/** The line end that a text uses first; \n for one without any. */
export function lineEndOf(text: string): '\n' | '\r\n' {
  const at = text.indexOf('\n');
  return text.at(at === -1 ? -1 : at - 1) === '\r' && at !== 0 ? '\r\n' : '\n';
}
