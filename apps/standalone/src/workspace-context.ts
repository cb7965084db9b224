import { nearestName } from '@slowwave/config';
import { createWorkspaceCalls, type WorkspaceCalls, type WorkspaceView } from '@slowwave/producer';
import { anywhere, type CommandContext } from './anywhere.ts';
import { ServiceError } from './client.ts';
import { UsageError } from './exit.ts';
import { printable } from './explain-lines.ts';
import { refusalOf, ToldByService } from './workspace-exit.ts';

/** Whose workspace, and which; a user with one workspace need not name it. */
export interface WorkspaceChoice {
  tenant: string;
  user: string;
  workspace?: string | undefined;
}

/** As `WorkspaceChoice`, and how the answer is printed. */
export interface WorkspaceArguments extends WorkspaceChoice {
  json: boolean;
}

/**
 * Works with workspaces wherever the data is: through the running service when one owns the embedded folder, else in this process, which
 * reaches the folders that whoever runs it may reach.
 */
export function withWorkspaces<T>(
  context: CommandContext,
  work: (calls: WorkspaceCalls) => Promise<T>,
): Promise<T> {
  return anywhere(context, {
    service: ({ workspaces }) =>
      work(workspaces).catch((error: unknown) => {
        const isTold = error instanceof ServiceError && refusalOf(error.code) !== null;
        throw isTold ? new ToldByService(error.code, error.message) : error;
      }),
    database: (database) => work(createWorkspaceCalls({ database, folders: 'anywhere', now: Date.now })),
  });
}

/**
 * The workspace that is meant.
 * @throws UsageError when there is none of that name, or when there are several and none was named
 */
export async function chosenWorkspace(
  calls: WorkspaceCalls,
  choice: WorkspaceChoice,
): Promise<WorkspaceView> {
  const { tenant, user, workspace } = choice;
  const all = await calls.list({ tenant, user });
  const names = all.map((each) => each.workspace);
  if (all.length === 0) {
    throw new UsageError(
      `${printable(user)} has no workspace: slowwave workspace add PATH --user ${printable(user)} makes one`,
    );
  }
  if (workspace === undefined) {
    if (all.length === 1) return all[0]!;
    throw new UsageError(`which workspace? --workspace names one of ${names.map(printable).join(', ')}`);
  }
  const found = all.find((each) => each.workspace === workspace);
  if (found) return found;
  const meant = nearestName(workspace, names);
  throw new UsageError(
    `${printable(user)} has no workspace ${printable(workspace)}; ${
      meant === null ? `there are ${names.map(printable).join(', ')}` : `did you mean ${printable(meant)}?`
    }`,
  );
}

/** The key of a workspace alone. */
export function keyOf({ tenant, user, workspace }: WorkspaceView): {
  tenant: string;
  user: string;
  workspace: string;
} {
  return { tenant, user, workspace };
}

/** Opens the one workspace that is meant, and works with it. */
export function withWorkspace<T>(
  context: CommandContext,
  choice: WorkspaceChoice,
  work: (calls: WorkspaceCalls, of: ReturnType<typeof keyOf>) => Promise<T>,
): Promise<T> {
  return withWorkspaces(context, async (calls) => work(calls, keyOf(await chosenWorkspace(calls, choice))));
}
