import type { Route } from '../route.ts';
import { accessRoutes } from './access.ts';
import { conflictsRoutes } from './conflicts.ts';
import { consolidationsRoutes } from './consolidations.ts';
import { evaluationsRoutes } from './evaluations.ts';
import { fusionsRoutes } from './fusions.ts';
import { importsRoutes } from './imports.ts';
import { journalRoutes } from './journal.ts';
import { memoriesRoutes } from './memories.ts';
import { memoryBackendRoutes } from './memory-backend.ts';
import { runsRoutes } from './runs.ts';
import { serviceRoutes } from './service.ts';
import { tenantSettingsRoutes } from './tenant-settings.ts';
import { usageRoutes } from './usage.ts';
import { usersRoutes } from './users.ts';
import { webhooksRoutes } from './webhooks.ts';
import { workspacesRoutes } from './workspaces.ts';

export * from './access.ts';
export * from './conflicts.ts';
export * from './consolidations.ts';
export * from './evaluations.ts';
export * from './fusions.ts';
export * from './imports.ts';
export * from './journal.ts';
export * from './memories.ts';
export * from './memory-backend.ts';
export * from './runs.ts';
export * from './service.ts';
export * from './tenant-settings.ts';
export * from './usage.ts';
export * from './users.ts';
export * from './webhooks.ts';
export * from './workspaces.ts';

/** Every endpoint of the service. */
export const ROUTES: readonly Route[] = [
  ...memoriesRoutes,
  ...importsRoutes,
  ...consolidationsRoutes,
  ...runsRoutes,
  ...usageRoutes,
  ...fusionsRoutes,
  ...journalRoutes,
  ...conflictsRoutes,
  ...usersRoutes,
  ...tenantSettingsRoutes,
  ...evaluationsRoutes,
  ...workspacesRoutes,
  ...memoryBackendRoutes,
  ...accessRoutes,
  ...webhooksRoutes,
  ...serviceRoutes,
];
