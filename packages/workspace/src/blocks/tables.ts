import { plainText } from './inline.ts';

const RULE = /^\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$/;

/** Whether two lines begin a table. */
export function beginsTable(head: string, rule: string | undefined): boolean {
  return head.includes('|') && rule?.includes('|') === true && rule.length < 2_000 && RULE.test(rule);
}

/** The cells of a row, in plain text. */
export function cellsOf(row: string): string[] {
  const inner = row.trim().replace(/^\|/, '').replace(/\|$/, '');
  const cells: string[] = [];
  let cell = '';
  for (let at = 0; at < inner.length; at++) {
    if (inner[at] === '\\' && inner[at + 1] === '|') {
      cell += '|';
      at++;
    } else if (inner[at] === '|') {
      cells.push(cell);
      cell = '';
    } else {
      cell += inner[at];
    }
  }
  return [...cells, cell].map(plainText);
}

/** What a row says, each cell with the name of its column. */
export function rowText(names: readonly string[], cells: readonly string[]): string {
  return cells
    .map((cell, column) => (cell === '' ? '' : names[column] ? `${names[column]}: ${cell}` : cell))
    .filter((part) => part !== '')
    .join('; ');
}
