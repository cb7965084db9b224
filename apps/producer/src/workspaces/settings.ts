import { nearestName } from '@slowwave/config';
import {
  getWorkspace,
  InputError,
  listWorkspaces,
  markLightDue,
  putWorkspace,
  removeWorkspace,
  type Workspace,
  type WorkspaceKey,
} from '@slowwave/db';
import { isInsightSchedule } from '@slowwave/workspace';
import { realFolder, requireFolder } from './folders.ts';
import { backendTypes, type PlaceOptions, unknownWorkspace, workspaceOf } from './places.ts';
import type { WorkspaceCalls, WorkspaceRequest, WorkspaceView } from './types.ts';

/** Kept in a folder, so that a folder without a word about the backend means this one. */
const OF_A_FOLDER = 'file';
const OF_THE_DATABASE = 'postgres';

/** Workspaces themselves: made, changed, listed, shown and removed. */
export function createSettingsCalls(
  options: PlaceOptions,
): Pick<WorkspaceCalls, 'put' | 'list' | 'show' | 'remove'> {
  const { database, folders, now } = options;

  async function viewOf(workspace: Workspace): Promise<WorkspaceView> {
    if (workspace.rootDir === null) return { ...workspace, reachable: true };
    const reachable = await requireFolder(workspace.rootDir, folders).then(
      () => true,
      () => false,
    );
    return { ...workspace, reachable };
  }

  return {
    async put(of, change) {
      requireBackend(change.backend);
      requireSchedule(change.insightsSchedule);
      const rootDir =
        typeof change.rootDir === 'string' ? await realFolder(change.rootDir, folders) : change.rootDir;
      const { created, workspace } = await database.withTenant(of.tenant, async (tx) => {
        const stands = await getWorkspace(tx, of);
        const next = placed(stands, { ...change, rootDir });
        const workspace = await putWorkspace(tx, of, next, now());
        // The light tier says when insights are due: it would not look before something else wakes it.
        if (workspace.insightsEnabled && workspace.insightsDueAt === null) {
          await markLightDue(tx, of.tenant, [of.user], now());
        }
        return { created: stands === null, workspace };
      });
      return { created, workspace: await viewOf(workspace) };
    },
    async list(of) {
      const found = await database.withTenant(of.tenant, (tx) => listWorkspaces(tx, of));
      return Promise.all(found.map(viewOf));
    },
    show: async (of) => viewOf(await workspaceOf(database, of)),
    async remove(of: WorkspaceKey) {
      const removed = await database.withTenant(of.tenant, (tx) => removeWorkspace(tx, of));
      if (!removed) throw unknownWorkspace(of);
    },
  };
}

/** A folder and a backend belong together: whoever names one of them need not name the other. */
function placed(stands: Workspace | null, change: WorkspaceRequest): WorkspaceRequest {
  const { rootDir, backend } = change;
  const withoutUndefined = Object.fromEntries(
    Object.entries(change).filter(([, value]) => value !== undefined),
  );
  if (rootDir && backend === undefined && (stands?.backend ?? OF_THE_DATABASE) === OF_THE_DATABASE) {
    return { ...withoutUndefined, backend: OF_A_FOLDER };
  }
  if (rootDir === null && backend === undefined) return { ...withoutUndefined, backend: OF_THE_DATABASE };
  if (rootDir === undefined && backend === OF_THE_DATABASE) return { ...withoutUndefined, rootDir: null };
  return withoutUndefined;
}

function requireBackend(type: string | undefined): void {
  const known = backendTypes();
  if (type === undefined || known.includes(type)) return;
  const meant = nearestName(type, known);
  const hint = meant === null ? `expected one of ${known.join(', ')}` : `did you mean ${meant}?`;
  throw new InputError('not_allowed', 'backend', `backend: there is no backend of that name here; ${hint}`);
}

/** Refused here, and not by whoever finds it due. */
function requireSchedule(schedule: string | undefined): void {
  if (schedule === undefined || isInsightSchedule(schedule)) return;
  throw new InputError(
    'not_allowed',
    'insightsSchedule',
    'insightsSchedule must be a cron expression of five fields that comes: minute, hour, day of month, month, day of week, as in "0 2 * * *"',
  );
}
