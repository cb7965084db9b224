import type { Route } from '../route.ts';

export const memoriesRoutes: readonly Route[] = [];
