/** What would begin a heading, a list, a quotation, a rule, a table or a fence at the start of a line. */
const BLOCK = /^(\s*)([#>+*=|~`-]|\d+(?=[.)]))/;

/** Somebody's text as text: it can form no heading, list, comment or tag of its own. */
function plainLine(line: string): string {
  const escaped = line
    .replaceAll('\\', '\\\\')
    .replaceAll('<', '&lt;')
    .replace(/[[\]`]/g, (mark) => `\\${mark}`);
  return escaped.replace(BLOCK, (_match, space: string, mark: string) =>
    /\d/.test(mark) ? `${space}${mark}\\` : `${space}\\${mark}`,
  );
}

/** A text as one bullet; its further lines stand indented below. */
export function bullet(text: string, depth = 0, lead = ''): string {
  const indent = '  '.repeat(depth);
  const [first = '', ...more] = text.trim().split(/\r\n|[\r\n\u2028\u2029\u0085\v\f]/);
  const lines = more.map((line) => (line.trim() === '' ? '' : `${indent}  ${plainLine(line.trim())}`));
  return [`${indent}- ${lead}${plainLine(first)}`, ...lines].join('\n');
}

/** A name or a word within a line. */
export const inline = (text: string): string => plainLine(text.replace(/\s+/g, ' ').trim());

export const dayOf = (value: unknown): string => (typeof value === 'string' ? value.slice(0, 10) : '');
