import { isPlaceholder, isStruck, plainText } from './inline.ts';
import type { NoteLine } from './lines.ts';
import type { RawBlock } from './types.ts';

/** An item of a list as it stands in the file. */
export interface Item {
  /** Column of its mark, and of its text. */
  indent: number;
  inner: number;
  startLine: number;
  endLine: number;
  text: string[];
  /** Code blocks in it, as they stand. */
  code: string[];
  children: Item[];
}

const MARK = /^(\s*)(?:[-*+]|\d{1,9}[.)])(?:(\s+)(.*))?$/;
/** A label longer than this says something by itself. */
const LABEL_CHARS_MAX = 120;

/** Columns of blank space at the beginning; a tab counts to the next multiple of four. */
export function indentOf(text: string): number {
  let columns = 0;
  for (const char of text) {
    if (char === '\t') columns += 4 - (columns % 4);
    else if (char === ' ') columns++;
    else break;
  }
  return columns;
}

/** The item that a line begins; null when it begins none. */
export function itemOf(line: NoteLine): Item | null {
  const found = MARK.exec(line.text);
  if (!found) return null;
  const indent = indentOf(found[1]!);
  const text = (found[3] ?? '').replace(/^\[[ xX]\](?:\s+|$)/, '');
  const inner = indent + (line.text.length - found[1]!.length - (found[3] ?? '').length);
  return {
    indent,
    inner,
    startLine: line.number,
    endLine: line.number,
    text: [text],
    code: [],
    children: [],
  };
}

/** Whether a text only says what the things after it are about. */
export function isLabel(text: string): boolean {
  return /[:：]$/.test(text) && text.length <= LABEL_CHARS_MAX;
}

export const labelOf = (text: string): string => text.replace(/\s*[:：]$/, '').trim();

function ownText(item: Item): string {
  const raw = item.text.join('\n');
  return isStruck(raw) || isPlaceholder(raw) ? '' : plainText(raw);
}

/** An item below another one, as it is told with it. */
function linesOf(item: Item, depth: number): string[] {
  const text = ownText(item);
  const lines = text === '' ? [] : [`${'  '.repeat(depth)}- ${text}`];
  return [...lines, ...item.code, ...item.children.flatMap((child) => linesOf(child, depth + 1))];
}

/** The last line of an item, what stands below it included. */
function endOf(item: Item): number {
  return item.children.reduce((end, child) => Math.max(end, endOf(child)), item.endLine);
}

/**
 * The blocks of an item: itself with what explains it. Below a mere label each child is a block of its own, with the label as its heading,
 * and an item that is struck out is gone with all that explains it.
 */
export function blocksOfItem(item: Item, headings: readonly string[]): RawBlock[] {
  if (isStruck(item.text.join('\n'))) return [];
  const text = ownText(item);
  const label = text === '' || isLabel(text);
  if (label && item.children.length > 0) {
    const below = text === '' ? [...headings] : [...headings, labelOf(text)];
    return [
      ...item.code.map((code) => blockOf('code', item, code, below)),
      ...item.children.flatMap((child) => blocksOfItem(child, below)),
    ];
  }
  // A label with nothing after it is a form that nobody filled in.
  if (label && item.code.length === 0) return [];
  const content = [text, ...item.code, ...item.children.flatMap((child) => linesOf(child, 0))]
    .filter((part) => part !== '')
    .join('\n');
  return [blockOf('bullet', item, content, headings)];
}

function blockOf(kind: RawBlock['kind'], item: Item, content: string, headings: readonly string[]): RawBlock {
  return { kind, headings: [...headings], content, startLine: item.startLine, endLine: endOf(item) };
}
