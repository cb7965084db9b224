import type { Route } from '../route.ts';

export const importsRoutes: readonly Route[] = [];
