import type { ExtractionAnswer } from '@slowwave/producer';
import type { CommandContext } from './anywhere.ts';
import { EXIT, UsageError } from './exit.ts';
import { plural } from './print.ts';
import { type WorkspaceArguments, withWorkspace } from './workspace-context.ts';
import type { Output } from './workspace-document-commands.ts';

const BY = 'command line';

export interface InsightsArguments extends WorkspaceArguments {
  /** Extracts now, and does not only show them. */
  now: boolean;
  /** Neither the switch nor the least time nor the growth count. */
  force: boolean;
}

/** Shows the insights of a workspace, or draws new ones from its memory now. @returns exit code */
export async function insightsCommand(
  context: CommandContext,
  { now, force, ...given }: InsightsArguments,
  output: Output = process.stdout,
): Promise<number> {
  if (force && !now) throw new UsageError('--force goes with --now');
  if (now) return extract(context, given, force);
  const found = await withWorkspace(context, given, (calls, of) => calls.insights(of));
  if (given.json) context.terminal.line(JSON.stringify(found));
  else if (!found.exists) context.terminal.line('no insights yet: --now draws some from MEMORY.md');
  else printText(output, found.content);
  return EXIT.ok;
}

async function extract(context: CommandContext, given: WorkspaceArguments, force: boolean): Promise<number> {
  const { terminal } = context;
  if (!given.json) terminal.progress('asking the model');
  const answer = await withWorkspace(context, given, (calls, of) =>
    calls.extract(of, { force, by: BY }),
  ).finally(() => terminal.clear());
  const isGood = answer.status === 'queued' || (answer.status === 'ran' && answer.run.success);
  if (given.json) terminal.line(JSON.stringify(answer));
  else if (isGood) terminal.line(sentenceOf(answer));
  else terminal.error(sentenceOf(answer));
  return isGood ? EXIT.ok : EXIT.failed;
}

function sentenceOf(answer: ExtractionAnswer): string {
  if (answer.status === 'queued') {
    return `the workers were asked, in run ${answer.runId}; slowwave workspace runs shows its end`;
  }
  if (answer.status === 'failed') return `no insights: the documents could not be read (${answer.code})`;
  const { success, code, counts, pruning, runId } = answer.run;
  if (!success) return `no insights: ${code}; every document stays as it was`;
  const known = counts.duplicates > 0 ? `, ${counts.duplicates} known already` : '';
  const pruned = pruning.applied ? `, MEMORY.md is ${-pruning.sizeDelta} characters shorter` : '';
  return `${plural(counts.added, 'new insight')}${known}${pruned} (run ${runId})`;
}

/** Shows the report about the memory of a workspace and its insights. @returns exit code */
export async function auditCommand(
  context: CommandContext,
  given: WorkspaceArguments,
  output: Output = process.stdout,
): Promise<number> {
  const found = await withWorkspace(context, given, (calls, of) => calls.audit(of));
  if (given.json) context.terminal.line(JSON.stringify(found.report));
  else printText(output, found.content);
  return EXIT.ok;
}

/** Without control characters where a terminal would obey them. */
export function printText(output: Output, text: string): void {
  const shown = output.isTTY ? text.replace(/(?![\n\t])\p{Cc}/gu, '\ufffd') : text;
  output.write(shown.endsWith('\n') ? shown : `${shown}\n`);
}
