import type { Route } from '../route.ts';

export const webhooksRoutes: readonly Route[] = [];
