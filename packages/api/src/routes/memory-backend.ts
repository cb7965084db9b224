import type { Route } from '../route.ts';

export const memoryBackendRoutes: readonly Route[] = [];
