import type { Route } from '../route.ts';

export const serviceRoutes: readonly Route[] = [];
