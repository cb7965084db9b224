import type { WorkspaceKey, WorkspaceRun } from '@slowwave/db';
import type { WorkspaceCalls } from '@slowwave/producer';
import type { CommandContext } from './anywhere.ts';
import { askRun, awaitRun, notEnded } from './ask-run.ts';
import type { RunAnswer } from './client.ts';
import { EXIT, UsageError } from './exit.ts';
import { type InsightOutcome, insightSentence, insightStepOf, isGood } from './insight-lines.ts';
import { isOver } from './runs.ts';
import type { Terminal } from './terminal.ts';
import { type WorkspaceArguments, withWorkspace } from './workspace-context.ts';
import type { Output } from './workspace-document-commands.ts';

const BY = 'command line';

export interface InsightsArguments extends WorkspaceArguments {
  /** Extracts now, and does not only show them. */
  now: boolean;
  /** Neither the least time nor the growth count. */
  force: boolean;
  /** Longest wait for the run. */
  timeoutMs: number;
}

/** Shows the insights of a workspace, or draws new ones from its memory now. @returns exit code */
export async function insightsCommand(
  context: CommandContext,
  { now, force, timeoutMs, ...given }: InsightsArguments,
  output: Output = process.stdout,
): Promise<number> {
  if (force && !now) throw new UsageError('--force goes with --now');
  if (now) return extract(context, { ...given, force, timeoutMs });
  const found = await withWorkspace(context, given, (calls, of) => calls.insights(of));
  if (given.json) context.terminal.line(JSON.stringify(found));
  else if (!found.exists) context.terminal.line('no insights yet: --now draws some from MEMORY.md');
  else printText(output, found.content);
  return EXIT.ok;
}

interface ExtractArguments extends WorkspaceArguments {
  force: boolean;
  timeoutMs: number;
}

/** Asks for a light run, which alone asks the model, and tells how it ended. */
async function extract(
  context: CommandContext,
  { force, timeoutMs, ...given }: ExtractArguments,
): Promise<number> {
  const { terminal } = context;
  if (!given.json) terminal.progress('waiting for a light run, which asks the model');
  try {
    const { of, runId, before } = await withWorkspace(context, given, async (calls, of) => {
      const before = await newestRun(calls, of);
      const { runId } = await calls.extract(of, { force, by: BY });
      return { of, runId, before };
    });
    const { tenant, user } = of;
    const ended =
      runId === null
        ? await runLight(context, { tenant, user, timeoutMs, json: given.json })
        : await awaitRun(context, { tenant, user, runId }, timeoutMs);
    if (!isOver(ended)) {
      terminal.error(notEnded(ended.id, timeoutMs));
      return EXIT.failed;
    }
    const last = await withWorkspace(context, { ...given, workspace: of.workspace }, newestRun);
    const run = last !== null && last.id !== before?.id ? last : null;
    return tell(terminal, { runId: ended.id, status: ended.status, step: insightStepOf(ended), run }, given);
  } finally {
    terminal.clear();
  }
}

/** The last time that insights of a workspace were extracted, or were not. */
async function newestRun(calls: WorkspaceCalls, of: WorkspaceKey): Promise<WorkspaceRun | null> {
  const [run] = await calls.runs(of, { work: 'insights', limit: 1 });
  return run ?? null;
}

/** Nobody was asked by whoever answered: the run is done by the workers, or here. */
async function runLight(
  context: CommandContext,
  { timeoutMs, ...of }: { tenant: string; user: string; timeoutMs: number; json: boolean },
): Promise<RunAnswer> {
  const asked = await askRun(context, { ...of, timeoutMs, tier: 'light', preview: false, wait: true });
  return asked.answer!;
}

function tell(terminal: Terminal, outcome: InsightOutcome, { json }: { json: boolean }): number {
  const good = isGood(outcome);
  if (json) terminal.line(JSON.stringify(outcome));
  else if (good) terminal.line(insightSentence(outcome));
  else terminal.error(insightSentence(outcome));
  return good ? EXIT.ok : EXIT.failed;
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
