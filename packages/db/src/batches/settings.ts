import { sql } from 'drizzle-orm';
import type { Transaction } from '../database.ts';
import { instantOf } from '../instants.ts';

/** What a tenant allows. */
export interface TenantSettings {
  /** Whether its questions may wait in batches of the provider, where the service is configured to use them. */
  batches: boolean;
}

/** What a tenant allows; where nothing was said, everything that the service is configured to do. */
export async function readTenantSettings(tx: Transaction, tenant: string): Promise<TenantSettings> {
  return { batches: await allowsBatches(tx, tenant) };
}

/** Whether a tenant lets its questions wait in batches. */
export async function allowsBatches(tx: Transaction, tenant: string): Promise<boolean> {
  const [row] = await tx.rows<TenantSettings>(
    sql`select batches from slowwave.tenant_settings where tenant = ${tenant}`,
  );
  return row?.batches ?? true;
}

/** Says what a tenant allows from now on. What its provider has already stays there. @param input.at epoch ms */
export async function setTenantSettings(
  tx: Transaction,
  input: { tenant: string; at: number } & TenantSettings,
): Promise<TenantSettings> {
  const { tenant, at, batches } = input;
  await tx.rows(sql`
    insert into slowwave.tenant_settings (tenant, batches, changed_at) values (${tenant}, ${batches}, ${instantOf(at)})
    on conflict (tenant) do update set batches = excluded.batches, changed_at = excluded.changed_at`);
  return { batches };
}
