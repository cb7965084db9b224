import { plural } from '../../print.ts';
import type { Terminal } from '../../terminal.ts';
import type { ConvertSummary } from './convert.ts';
import { SKIP_REASONS, type SkipReason } from './sample.ts';

const PROBLEMS_SHOWN = 20;

/** What a conversion did, and everything that is wrong with its file, sample and field. */
export function printConverted(terminal: Terminal, summary: ConvertSummary, out: string): void {
  const { format, unit, files, samples, memories, questions, skipped, problems, problemCount } = summary;
  const asked = Object.values(questions).reduce((sum, count) => sum + count, 0);
  const byType = Object.entries(questions).map(([type, count]) => `${count} ${type}`);
  terminal.line(
    `${plural(files, 'file')} of ${format}: ${plural(samples, 'sample')} in ${out}, with ${plural(memories, 'memory', 'memories')} (one for each ${unit}) and ${plural(asked, 'question')}${asked > 0 ? `: ${byType.join(', ')}` : ''}`,
  );
  for (const [reason, count] of Object.entries(skipped)) {
    terminal.line(`  left out ${count}: ${SKIP_REASONS[reason as SkipReason]}`);
  }
  for (const { file, sample, field, message } of problems.slice(0, PROBLEMS_SHOWN)) {
    terminal.error(`  ${file}, sample ${sample}${field === '' ? '' : `, ${field}`}: ${message}`);
  }
  const hidden = problemCount - Math.min(problems.length, PROBLEMS_SHOWN);
  if (hidden > 0) terminal.error(`  … and ${hidden} more (--json has the first 1,000)`);
}
