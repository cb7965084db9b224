import type { Route } from '../route.ts';

export const runsRoutes: readonly Route[] = [];
