import { describedFact, readFrontMatter } from './front-matter.ts';
import { withoutControls } from './inline.ts';

/** A line of a file that somebody wrote. */
export interface NoteLine {
  /** From 1. */
  number: number;
  /** Without comments, and without its end. */
  text: string;
  /** Which code block of the file it belongs to, the fences included; 0: none. */
  fence: number;
}

const FENCE = /^(\s*(?:(?:[-*+]|\d{1,9}[.)])\s+)?)(`{3,}|~{3,})(.*)$/;
/** A longer line is no note; it is cut. In UTF-16 units. */
const LINE_CHARS_MAX = 200_000;
const BEGIN = '<!-- slowwave:begin -->';
const END = '<!-- slowwave:end -->';
const RUN_BEGIN = /^<!-- slowwave:run [0-9a-f-]{36} -->$/i;
const RUN_END = '<!-- slowwave:run-end -->';
/** At the end of a line that a projection wrote for a memory. */
const MEMORY = /<!--\s*slowwave:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\s*-->/i;

/** Where something last stands: what opens after it never closes, and is then no more than its own line. */
function lastOf(lines: readonly string[], matches: (line: string) => boolean): number {
  for (let at = lines.length - 1; at >= 0; at--) if (matches(lines[at]!)) return at;
  return -1;
}

/** Lines that are ours, from `at` on: a managed region or an entry of a diary. 0: none begins here. */
function ownLines(lines: readonly string[], at: number, last: { end: number; runEnd: number }): number {
  const line = lines[at]!.trim();
  const [closing, final] =
    line === BEGIN ? [END, last.end] : RUN_BEGIN.test(line) ? [RUN_END, last.runEnd] : ['', -1];
  if (closing === '' || final <= at) return 0;
  let end = at + 1;
  while (lines[end]!.trim() !== closing) end++;
  return end - at + 1;
}

/** Takes comments out of the text that begins at a line. @returns the text, and how many lines it took */
function withoutComments(
  lines: readonly string[],
  at: number,
  lastClosing: number,
): { text: string; taken: number } {
  let text = lines[at]!;
  let taken = 1;
  let from = 0;
  for (let open = text.indexOf('<!--', from); open !== -1; open = text.indexOf('<!--', from)) {
    // Between backticks it is no comment but what is spoken of.
    if ((text.slice(0, open).split('`').length - 1) % 2 === 1 && text.includes('`', open)) {
      from = open + 4;
      continue;
    }
    let close = text.indexOf('-->', open + 4);
    if (close === -1 && at + taken - 1 < lastClosing) {
      const head = text.slice(0, open);
      while (!lines[at + taken]!.includes('-->')) taken++;
      const line = lines[at + taken]!;
      taken++;
      text = `${head}${line.slice(line.indexOf('-->') + 3)}`.slice(0, LINE_CHARS_MAX);
      from = head.length;
      continue;
    }
    if (close === -1) close = text.length - 3;
    text = text.slice(0, open) + text.slice(close + 3);
    from = open;
  }
  return { text, taken };
}

/** Whether a line is a fence and nothing else. */
function isFence(line: string): boolean {
  return /^\s*(?:`{3,}|~{3,})\s*[\w+#.-]*\s*$/.test(line);
}

/** Finds the end of code blocks; one that never ends is none. */
function createFences(lines: readonly string[]) {
  const unclosed: Record<string, number> = {};
  return (at: number): number => {
    const found = FENCE.exec(lines[at]!);
    const marks = found?.[2];
    if (!marks || (marks.startsWith('`') && found[3]!.includes('`'))) return 0;
    const mark = marks[0]!;
    if (marks.length >= (unclosed[mark] ?? Number.POSITIVE_INFINITY)) return 0;
    for (let end = at + 1; end < lines.length; end++) {
      const line = lines[end]!.trim();
      if (line.length >= marks.length && line === mark.repeat(line.length)) return end - at + 1;
    }
    unclosed[mark] = marks.length;
    return 0;
  };
}

/**
 * The lines of a Markdown file that a person or an agent wrote: without front matter (but for a fact that it describes), comments, and whatever a projection wrote (managed regions,
 * entries of a diary, lines with the mark of a memory). What opens and never closes counts for its own line only, so that a slip of the hand
 * does not take the rest of the file with it.
 */
export function readLines(text: string): NoteLine[] {
  const lines = text
    .replace(/^\ufeff/, '')
    .split('\n')
    .map((line) => withoutControls(line.slice(0, LINE_CHARS_MAX)));
  const last = {
    end: lastOf(lines, (line) => line.trim() === END),
    runEnd: lastOf(lines, (line) => line.trim() === RUN_END),
    comment: lastOf(lines, (line) => line.includes('-->')),
  };
  const fenceOf = createFences(lines);
  const read: NoteLine[] = [];
  let fences = 0;
  const top = readFrontMatter(lines);
  const fact = describedFact(top);
  if (fact) for (const said of [fact.value, '']) read.push({ number: fact.line, text: said, fence: 0 });
  for (let at = top.length; at < lines.length; ) {
    const own = ownLines(lines, at, last);
    const code = own > 0 ? 0 : fenceOf(at);
    if (code > 0) fences++;
    for (let line = at; line < at + code; line++)
      read.push({ number: line + 1, text: lines[line]!, fence: fences });
    if (own + code > 0) {
      at += own + code;
      continue;
    }
    // Beside lines of ours, a fence that closes nothing.
    if (MEMORY.test(lines[at]!) || (code === 0 && isFence(lines[at]!))) {
      at++;
      continue;
    }
    const { text: rest, taken } = withoutComments(lines, at, last.comment);
    // A line that was nothing but a comment does not part what stands around it.
    if (rest.trim() !== '' || lines[at]!.trim() === '') read.push({ number: at + 1, text: rest, fence: 0 });
    at += taken;
  }
  return read;
}
