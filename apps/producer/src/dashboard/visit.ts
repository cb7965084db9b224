import type { Waiting } from '@slowwave/db';
import type { Principal } from '../http/principal.ts';

export const THEMES = ['auto', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

/** Somebody looks at a page: who, of which tenant, and what every page shows around its own. */
export interface Visit {
  principal: Principal;
  tenant: string;
  /** Whether buttons that change something are shown. The server asks again when one is pressed. */
  mayWrite: boolean;
  /** The same for what is asked of an admin. */
  mayAdminister: boolean;
  /** Whether the caller sees every tenant, and so the queues. */
  allTenants: boolean;
  mayOpenBoard: boolean;
  theme: Theme;
  formToken: string;
  /** Epoch ms. */
  now: number;
  /** The path and query of this page. */
  address: string;
  waiting: Waiting;
  /** What has just been done, in words of ours. */
  done: string | null;
  version: string;
}

export const DEFAULT_TENANT = 'default';

/** What an address depends on. */
type Addressed = Pick<Visit, 'tenant' | 'allTenants'>;

/** The address of a page of the dashboard, for the same tenant. @param parts of the path, unescaped */
export function pageOf(
  { tenant, allTenants }: Addressed,
  parts: readonly string[],
  query: Readonly<Record<string, string | null | undefined>> = {},
): string {
  const path = ['/dashboard', ...parts.map(encodeURIComponent)].join('/');
  const asked = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value) asked.set(name, value);
  // A tenant's own token needs no name of a tenant, and reads better without.
  if (allTenants && tenant !== DEFAULT_TENANT) asked.set('tenant', tenant);
  return asked.size === 0 ? path : `${path}?${asked}`;
}

export const userPage = (visit: Addressed, user: string): string => pageOf(visit, ['users', user]);
export const recallPage = (visit: Addressed, user: string): string =>
  pageOf(visit, ['users', user, 'recall']);
export const runPage = (visit: Addressed, user: string, id: string): string =>
  pageOf(visit, ['users', user, 'runs', id]);
export const fusionPage = (visit: Addressed, user: string, key: string): string =>
  pageOf(visit, ['users', user, 'fusions', key]);
export const memoryPage = (visit: Addressed, user: string, id: string): string =>
  pageOf(visit, ['users', user, 'memories', id]);
export const conflictPage = (visit: Addressed, user: string, id: string): string =>
  pageOf(visit, ['users', user, 'conflicts', id]);

/** Where the form of an action is sent: its tenant is one of its fields. */
export const actionOf = (parts: readonly string[]): string =>
  ['/dashboard', ...parts.map(encodeURIComponent)].join('/');
