import type { Route } from '../route.ts';

export const workspacesRoutes: readonly Route[] = [];
