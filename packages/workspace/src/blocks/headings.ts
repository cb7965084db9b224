import { plainText } from './inline.ts';

/** Titles that the files of a workspace begin with. They say which file it is, not what stands in it. */
const FILE_TITLE =
  /^(?:project memory|agent memory|memory dreams|agent dreams|(?:agent )?daily memory(?: \d{4}-\d{2}-\d{2})?|memory|memory\.md|user\.md.*)$/i;

export interface Heading {
  /** 1 to 6. */
  level: number;
  text: string;
}

/** The heading that a line is; null when it is none. */
export function headingOf(line: string): Heading | null {
  const marks = /^ {0,3}(#{1,6})(?=[ \t]|$)/.exec(line);
  if (!marks) return null;
  const rest = line.slice(marks[0].length).trim();
  let end = rest.length;
  while (end > 0 && rest[end - 1] === '#') end--;
  // Closing marks stand apart from the text.
  const closed = end < rest.length && (end === 0 || rest[end - 1] === ' ');
  return { level: marks[1]!.length, text: plainText(closed ? rest.slice(0, end) : rest) };
}

/** The level of a heading whose text is the line above; null when the line underlines nothing. */
export function underlineOf(line: string): 1 | 2 | null {
  const text = line.trim();
  if (text === '' || line.startsWith('    ')) return null;
  if (text === '='.repeat(text.length)) return 1;
  return text.length >= 2 && text === '-'.repeat(text.length) ? 2 : null;
}

export function isBreak(line: string): boolean {
  const text = line.replace(/[ \t]/g, '');
  return text.length >= 3 && ['-', '*', '_'].some((mark) => text === mark.repeat(text.length));
}

/** The headings above a place of a file, without those that only name the file or its day. */
export function createHeadings(day: string | null) {
  let open: Heading[] = [];
  const says = ({ text }: Heading): boolean =>
    text !== '' && !FILE_TITLE.test(text) && (day === null || text !== day);
  return {
    enter(heading: Heading): void {
      open = [...open.filter(({ level }) => level < heading.level), heading];
    },
    path: (): string[] => open.filter(says).map(({ text }) => text),
  };
}
