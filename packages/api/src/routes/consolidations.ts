import type { Route } from '../route.ts';

export const consolidationsRoutes: readonly Route[] = [];
