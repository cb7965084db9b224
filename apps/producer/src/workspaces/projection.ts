import { getUser, type Workspace } from '@slowwave/db';
import { createProjection, MemoryBackendError, type ProjectionOptions } from '@slowwave/workspace';
import { holding } from './holding.ts';
import { openPlace, type PlaceOptions } from './places.ts';
import type { WorkspaceCalls } from './types.ts';

/** What of the user's memories stands in the documents of a workspace, looked at and brought up to date. */
export function createProjectionCalls(
  options: PlaceOptions & { newId: () => string },
): Pick<WorkspaceCalls, 'preview' | 'project'> {
  return {
    preview: async (of) => createProjection(await projectedOf(options, of)).preview(),
    async project(of) {
      const parts = await projectedOf(options, of);
      return holding(options, of, 'projection', (write) =>
        createProjection({ ...parts, write }).run({ runId: options.newId() }),
      );
    },
  };
}

/** @throws MemoryBackendError READ_ONLY when nothing is written into its documents */
async function projectedOf(
  options: PlaceOptions,
  of: Parameters<WorkspaceCalls['show']>[0],
): Promise<ProjectionOptions> {
  const { database, now } = options;
  const { workspace, files, backend } = await openPlace(options, of, 'projection');
  if (files === null) {
    throw new MemoryBackendError('READ_ONLY', 'This memory backend cannot be written', backend.type);
  }
  if (!workspace.memoryEnabled || !workspace.projectionEnabled) {
    throw new MemoryBackendError(
      'READ_ONLY',
      'nothing is written into the documents of this workspace: its memory or its projection is off',
      backend.type,
    );
  }
  return { files, database, key: of, now, timezone: await zoneOf(options, workspace) };
}

async function zoneOf({ database }: PlaceOptions, { tenant, user }: Workspace): Promise<string> {
  const owner = await database.withTenant(tenant, (tx) => getUser(tx, tenant, user));
  return owner?.timezone ?? 'UTC';
}
