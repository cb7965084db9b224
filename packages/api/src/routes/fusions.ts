import type { Route } from '../route.ts';

export const fusionsRoutes: readonly Route[] = [];
