import { type Collector, createCollector } from './collect.ts';
import { readLetta } from './letta.ts';
import { readMarkdown } from './markdown.ts';
import { readMem0 } from './mem0.ts';
import { FOREIGN_CHARS_MAX, type ForeignFormat, type ForeignOptions, type ForeignResult } from './types.ts';

type Reader = (text: string, options: ForeignOptions, collector: Collector) => void;

const READERS: Readonly<Record<ForeignFormat, Reader>> = {
  mem0: readMem0,
  letta: readLetta,
  // The files of such a workspace are Markdown; which of them are read is decided by their names.
  openclaw: readMarkdown,
  markdown: readMarkdown,
};

/**
 * Reads a foreign file into records of the import. What cannot be read is told with its line and what to do, and the rest is kept; nothing
 * is thrown, whatever the file holds. Records have names of their own, so that a second import of the file adds nothing.
 */
export function readForeign(text: string, format: ForeignFormat, options: ForeignOptions): ForeignResult {
  const collector = createCollector(options);
  const max = options.charsMax ?? FOREIGN_CHARS_MAX;
  if (text.length > max) {
    collector.problem(0, 'too_large', `the file has more than ${max} characters: split it`);
  } else if (text.includes('\u0000')) {
    collector.problem(0, 'not_text', 'the file is no UTF-8 text: save it as UTF-8');
  } else {
    READERS[format](text, options, collector);
  }
  return collector.result();
}
