import type { WorkspaceWork } from '@slowwave/db';
import type { CommandContext } from './anywhere.ts';
import { EXIT } from './exit.ts';
import { printable } from './explain-lines.ts';
import { plural } from './print.ts';
import { type WorkspaceArguments, withWorkspace } from './workspace-context.ts';
import { previewLines, projectionLine, runLines } from './workspace-lines.ts';

const BY = 'command line';

export interface WorkspaceRunsArguments extends WorkspaceArguments {
  limit: number;
  work?: WorkspaceWork;
}

/** Lists what was done to a workspace. @returns exit code */
export async function workspaceRunsCommand(
  context: CommandContext,
  { limit, work, ...given }: WorkspaceRunsArguments,
): Promise<number> {
  const { terminal } = context;
  const runs = await withWorkspace(context, given, (calls, of) => calls.runs(of, { limit, work }));
  if (given.json) terminal.line(JSON.stringify({ runs }));
  else if (runs.length === 0) terminal.line('nothing was done to this workspace yet');
  else for (const line of runLines(runs)) terminal.line(line);
  return EXIT.ok;
}

export interface ProjectArguments extends WorkspaceArguments {
  /** Only shows what would be written. */
  preview: boolean;
}

/** Brings the memories in MEMORY.md up to date, or shows what that would write. @returns exit code */
export async function projectCommand(
  context: CommandContext,
  { preview, ...given }: ProjectArguments,
): Promise<number> {
  const { terminal } = context;
  if (!given.json) terminal.progress(preview ? 'looking at what would be written' : 'writing MEMORY.md');
  if (preview) {
    const shown = await withWorkspace(context, given, (calls, of) => calls.preview(of)).finally(() =>
      terminal.clear(),
    );
    if (given.json) terminal.line(JSON.stringify(shown));
    else for (const line of previewLines(shown)) terminal.line(line);
    return EXIT.ok;
  }
  const result = await withWorkspace(context, given, (calls, of) => calls.project(of)).finally(() =>
    terminal.clear(),
  );
  const isDone = result.status === 'completed';
  if (given.json) terminal.line(JSON.stringify(result));
  else if (isDone) terminal.line(projectionLine(result, printable(given.user)));
  else terminal.error(`nothing was written: ${result.reason ?? result.status}`);
  return isDone ? EXIT.ok : EXIT.failed;
}

export interface UndoRunArguments extends WorkspaceArguments {
  run: string;
}

/** Puts documents back as they stood before a run of a workspace. @returns exit code */
export async function undoRunCommand(
  context: CommandContext,
  { run, ...given }: UndoRunArguments,
): Promise<number> {
  const { terminal } = context;
  const undone = await withWorkspace(context, given, (calls, of) => calls.undoRun(of, run, { by: BY }));
  const { status, paths } = undone;
  if (given.json) terminal.line(JSON.stringify(undone));
  else if (status === 'already_undone') terminal.line('it was undone before');
  else
    terminal.line(
      `undone: ${plural(paths.length, 'document')} put back${paths.map((path) => `, ${path}`).join('')}`,
    );
  return EXIT.ok;
}
