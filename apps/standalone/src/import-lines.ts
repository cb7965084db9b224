import type { ForeignSummary } from './import-foreign.ts';
import { plural } from './print.ts';
import type { Terminal } from './terminal.ts';

/** Why something was left out, in words. */
const REASONS: Readonly<Record<string, string>> = {
  messages: 'messages of conversations',
  persona: 'what the agent is told about itself',
  instructions: 'instructions of the agent',
  diary: 'diaries, which are written by the night',
  own_output: 'our own output',
  not_memory: 'other documents; --format markdown reads them too',
  repeated: 'said twice in one file',
  empty_block: 'memory blocks that are empty',
  unanswered: 'questions without an answer',
  next_pages: 'the pages after this one; the file is one page of an export, so import the others as well',
};

/** What an import of foreign files did; everything that was refused with its file and line. */
export function printForeign(terminal: Terminal, summary: ForeignSummary): void {
  const { format, files, inserted, unchanged, problemCount, problems, skipped } = summary;
  const left = Object.values(skipped).reduce((sum, count) => sum + count, 0);
  terminal.line(
    `${plural(files, 'file')} read as ${format}: ${plural(inserted, 'memory', 'memories')} new, ${unchanged} known, ${left} skipped, ${problemCount} refused`,
  );
  for (const [reason, count] of Object.entries(skipped)) {
    terminal.line(`  skipped ${count}: ${REASONS[reason] ?? reason}`);
  }
  for (const { file, line, code, message } of problems) {
    terminal.error(`  ${file}${line > 0 ? ` ${line}` : ''}: ${message} [${code}]`);
  }
  const hidden = problemCount - problems.length;
  if (hidden > 0) terminal.error(`  … and ${hidden} more`);
}
