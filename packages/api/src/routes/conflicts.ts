import type { Route } from '../route.ts';

export const conflictsRoutes: readonly Route[] = [];
