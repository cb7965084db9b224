import path from 'node:path';
import type { WorkspaceRequest, WorkspaceView } from '@slowwave/producer';
import type { CommandContext } from './anywhere.ts';
import { EXIT, HeldBack, UsageError } from './exit.ts';
import { printable } from './explain-lines.ts';
import { type Ask, terminalAsk } from './forget-command.ts';
import { chosenWorkspace, keyOf, type WorkspaceArguments, withWorkspaces } from './workspace-context.ts';
import { settingLines, workspaceLines } from './workspace-lines.ts';

/** What somebody types about a workspace. */
export interface WorkspaceSettingArguments {
  backend?: string;
  memory?: boolean;
  projection?: boolean;
  notes?: boolean;
  quota?: number;
  insights?: boolean;
  schedule?: string;
  /** An IANA name, or "user" for the user's own. */
  timezone?: string;
  minHours?: number;
  minGrowth?: number;
}

function requestOf(given: WorkspaceSettingArguments): WorkspaceRequest {
  const { timezone, minHours } = given;
  return {
    backend: given.backend,
    memoryEnabled: given.memory,
    projectionEnabled: given.projection,
    importEnabled: given.notes,
    quotaBytes: given.quota,
    insightsEnabled: given.insights,
    insightsSchedule: given.schedule,
    insightsTimezone: timezone === 'user' ? null : timezone,
    insightsMinIntervalMs: minHours === undefined ? undefined : Math.round(minHours * 3_600_000),
    insightsMinGrowth: given.minGrowth,
  } as WorkspaceRequest;
}

function print({ terminal }: CommandContext, title: string, view: WorkspaceView): void {
  terminal.line(terminal.bold(title));
  for (const line of settingLines(view)) terminal.line(line);
}

export interface AddArguments extends WorkspaceArguments, WorkspaceSettingArguments {
  /** The folder; absent for documents in the database. */
  path?: string | undefined;
  documents: boolean;
}

/** Makes a workspace of a folder, or of documents in the database. @returns exit code */
export async function addWorkspaceCommand(context: CommandContext, given: AddArguments): Promise<number> {
  const { tenant, user, documents, json } = given;
  if ((given.path === undefined) !== documents) {
    throw new UsageError('either a folder, or --documents for documents in the database');
  }
  const rootDir = given.path === undefined ? null : path.resolve(given.path);
  const workspace = given.workspace ?? (rootDir === null ? 'documents' : nameOf(rootDir));
  const made = await withWorkspaces(context, async (calls) => {
    const names = (await calls.list({ tenant, user })).map((each) => each.workspace);
    if (names.includes(workspace)) {
      throw new UsageError(
        `${printable(user)} has a workspace ${printable(workspace)} already: --workspace gives this one another name, and "slowwave workspace set" changes the other`,
      );
    }
    return calls.put({ tenant, user, workspace }, { ...requestOf(given), rootDir });
  });
  if (json) context.terminal.line(JSON.stringify(made.workspace));
  else print(context, `${printable(workspace)} of ${printable(user)} is a workspace now`, made.workspace);
  return EXIT.ok;
}

/** A folder without a name of its own has to be given one. */
function nameOf(rootDir: string): string {
  const name = path.basename(rootDir);
  if (name === '') throw new UsageError('--workspace gives the workspace a name');
  return name;
}

/** Lists a user's workspaces. @returns exit code */
export async function listWorkspacesCommand(
  context: CommandContext,
  { tenant, user, json }: WorkspaceArguments,
): Promise<number> {
  const { terminal } = context;
  const workspaces = await withWorkspaces(context, (calls) => calls.list({ tenant, user }));
  if (json) terminal.line(JSON.stringify({ tenant, user, workspaces }));
  else if (workspaces.length === 0) terminal.line(`${printable(user)} has no workspace`);
  else for (const line of workspaceLines(workspaces)) terminal.line(line);
  return EXIT.ok;
}

/** Shows what is kept of one workspace. @returns exit code */
export async function showWorkspaceCommand(
  context: CommandContext,
  given: WorkspaceArguments,
): Promise<number> {
  const view = await withWorkspaces(context, (calls) => chosenWorkspace(calls, given));
  if (given.json) context.terminal.line(JSON.stringify(view));
  else print(context, `${printable(view.workspace)} of ${printable(view.user)}`, view);
  return EXIT.ok;
}

export interface SetArguments extends WorkspaceArguments, WorkspaceSettingArguments {
  /** Another folder. */
  folder?: string;
}

/** Changes what is given of a workspace. @returns exit code */
export async function setWorkspaceCommand(context: CommandContext, given: SetArguments): Promise<number> {
  const folder = given.folder === undefined ? {} : { rootDir: path.resolve(given.folder) };
  const change = { ...requestOf(given), ...folder };
  if (Object.values(change).every((value) => value === undefined)) {
    throw new UsageError('nothing to change: slowwave workspace set --help lists what there is');
  }
  const { workspace: view } = await withWorkspaces(context, async (calls) =>
    calls.put(keyOf(await chosenWorkspace(calls, given)), change),
  );
  if (given.json) context.terminal.line(JSON.stringify(view));
  else print(context, `${printable(view.workspace)} of ${printable(view.user)}`, view);
  return EXIT.ok;
}

export interface RemoveArguments extends WorkspaceArguments {
  workspace: string;
  /** Do not ask. */
  yes: boolean;
}

/**
 * Removes a workspace; documents in the database go with it, once somebody has said so.
 * @returns exit code
 * @throws HeldBack when nobody can be asked or the answer is no
 */
export async function removeWorkspaceCommand(
  context: CommandContext,
  given: RemoveArguments,
  ask: Ask = terminalAsk(),
): Promise<number> {
  const view = await withWorkspaces(context, (calls) => chosenWorkspace(calls, given));
  const name = printable(view.workspace);
  if (view.rootDir === null && !given.yes) {
    if (ask === null || given.json) {
      throw new HeldBack(`the documents of ${name} go with it, for good: say --yes`);
    }
    const answer = await ask(`The documents of ${name} go with it, for good. Type "remove" to do so: `);
    if (answer.trim().toLowerCase() !== 'remove') throw new HeldBack('nothing was removed');
  }
  await withWorkspaces(context, (calls) => calls.remove(keyOf(view)));
  const { tenant, user, workspace, rootDir } = view;
  const rest = rootDir === null ? '' : '; its files stay where they are';
  context.terminal.line(
    given.json
      ? JSON.stringify({ tenant, user, workspace, removed: true })
      : `${name} is no workspace any more${rest}; memories that came from it stay`,
  );
  return EXIT.ok;
}
