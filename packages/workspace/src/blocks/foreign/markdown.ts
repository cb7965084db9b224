import { FIRST_SAID, parseIsoDate } from '@slowwave/db';
import { readBlocks } from '../blocks.ts';
import { dayOfFile, endOfDay } from '../day.ts';
import { readFrontMatter } from '../front-matter.ts';
import { categoryOfBlock, contentOfBlock, importanceOfBlock } from '../memory-of-block.ts';
import { type Collector, hashOf } from './collect.ts';
import { FOREIGN_ENTRIES_MAX, type ForeignOptions } from './types.ts';

const fileName = (path: string): string => path.split(/[/\\]/).at(-1) ?? '';

/** The day that a file's name begins with, as in 2026-05-01.md or 2026-05-01-planning.md; null for any other. */
export function dayOfName(path: string): string | null {
  const day = /^(\d{4}-\d{2}-\d{2})(?:-[^/]*)?\.md$/i.exec(fileName(path))?.[1];
  return day === undefined ? null : (dayOfFile(`${day}.md`)?.slice(0, 10) ?? null);
}

/** When the front matter of a file says that it was written, epoch ms: a day alone means its end. Null: it does not say. */
function writtenAt(text: string, timezone: string): number | null {
  const { fields } = readFrontMatter(text.replace(/^\ufeff/, '').split('\n'));
  const value = (fields.get('date') ?? fields.get('created'))?.value ?? '';
  const date = parseIsoDate(value);
  if (!date.ok || date.ms < FIRST_SAID) return null;
  return value.length === 'YYYY-MM-DD'.length ? endOfDay(value, timezone) : date.ms;
}

/**
 * Reads a Markdown file block by block. The name of one is what it says and where, in the notes of a day also when: the same text again is
 * the same memory, and one of each day on which it stands in the notes.
 */
export function readMarkdown(text: string, options: ForeignOptions, collector: Collector): void {
  const day = dayOfName(options.path);
  const said =
    day === null ? (writtenAt(text, options.timezone) ?? options.at) : endOfDay(day, options.timezone);
  const blocks = readBlocks(text, { path: options.path, day });
  const max = options.entriesMax ?? FOREIGN_ENTRIES_MAX;
  if (blocks.length > max) {
    const from = blocks[max]?.startLine ?? 0;
    collector.problem(
      from,
      'too_many',
      `the file has more than ${max} blocks: from here on nothing is read; split it`,
    );
  }
  for (const block of blocks.slice(0, max)) {
    collector.add({
      line: block.startLine,
      id: `markdown:${hashOf(block.headings, block.content, ...(day === null ? [] : [day]))}`,
      content: contentOfBlock(block),
      category: categoryOfBlock(block, day !== null),
      importance: importanceOfBlock(block, day !== null),
      date: Math.max(0, Math.min(said, options.at)),
      metadata: { file: fileName(options.path), headings: block.headings },
    });
  }
}
