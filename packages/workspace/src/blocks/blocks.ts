import { numbered } from './hash.ts';
import { headingOf, isBreak, underlineOf } from './headings.ts';
import { type NoteLine, readLines } from './lines.ts';
import { itemOf } from './list-items.ts';
import { createReader, type Reader } from './reader.ts';
import { beginsTable, cellsOf } from './tables.ts';
import type { Block } from './types.ts';

export interface ReadBlocksOptions {
  /** Of the file, as in MEMORY.md or 2026-05-01.md. A diary (DREAMS.md) has no blocks: it is what we wrote. */
  path: string;
  /** The day that a daily file is about, YYYY-MM-DD; null for any other file. */
  day: string | null;
}

/** How many lines the code block or the table at a place takes; 0 when there is none. */
function widthAt(lines: readonly NoteLine[], at: number): number {
  const line = lines[at]!;
  if (line.fence > 0) {
    let end = at + 1;
    while (lines[end]?.fence === line.fence) end++;
    return end - at;
  }
  const rule = lines[at + 1];
  if (!rule || rule.fence > 0 || !beginsTable(line.text, rule.text)) return 0;
  let end = at + 2;
  while (lines[end]?.fence === 0 && lines[end]!.text.includes('|')) end++;
  return end - at;
}

/**
 * What a Markdown file says, block by block: bullets with what explains them, paragraphs, rows of tables, blocks of code. Headings are not
 * blocks but stand above them. What the user did not say is left out: front matter, comments, forms that are not filled in, what is struck out, what
 * has neither a letter nor a digit, and whatever a projection wrote.
 */
export function readBlocks(text: string, options: ReadBlocksOptions): Block[] {
  if (/(?:^|\/)dreams\.md$/i.test(options.path)) return [];
  const lines = readLines(text);
  const reader = createReader(options.day);
  let afterBlank = false;
  for (let at = 0; at < lines.length; ) {
    const line = lines[at]!;
    const width = widthAt(lines, at);
    if (line.fence > 0) {
      reader.code(lines.slice(at, at + width));
    } else if (width > 0) {
      reader.beforeTable();
      const names = cellsOf(line.text);
      for (const row of lines.slice(at + 2, at + width)) reader.row(names, row);
      reader.afterTable();
    } else {
      readLine(reader, line, afterBlank);
    }
    afterBlank = width === 0 && line.text.trim() === '';
    at += Math.max(1, width);
  }
  return numbered(reader.end().filter(({ content }) => /[\p{L}\p{N}]/u.test(content)));
}

function readLine(reader: Reader, line: NoteLine, afterBlank: boolean): void {
  const { text } = line;
  const heading = headingOf(text);
  const underline = underlineOf(text);
  const item = itemOf(line);
  if (text.trim() === '') reader.blank();
  else if (heading) reader.heading(heading);
  else if (underline !== null && !afterBlank && reader.underlined(underline)) return;
  else if (isBreak(text)) reader.pause();
  else if (item) reader.item(item);
  // A name for the address of a link says nothing.
  else if (!/^ {0,3}\[[^\][]+\]:\s*\S/.test(text)) reader.text(line, afterBlank);
}
