import type { LoadOptions } from './summary.ts';

/** Why a line of another tenant is not written. */
export const WRONG_TENANT = {
  code: 'wrong_tenant',
  message:
    'the line is of another tenant than the one that may be written to here; nothing of it was written',
} as const;

/** Whether lines of a tenant may be written. */
export function isOpen(tenant: string, { onlyTenant }: Pick<LoadOptions, 'onlyTenant'>): boolean {
  return onlyTenant === undefined || tenant === onlyTenant;
}
