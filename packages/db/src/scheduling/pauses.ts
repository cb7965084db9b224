import { TIERS, type Tier } from '@slowwave/fusion';
import { sql } from 'drizzle-orm';
import type { Database, Transaction } from '../database.ts';
import { instantOf } from '../instants.ts';
import type { RunOwner } from './run-records.ts';

/** Rows of a tenant that are marked in one transaction. */
const BATCH = 5_000;

export interface TierChoice {
  /** All when left out. */
  tiers?: readonly Tier[] | undefined;
}

const listOf = (tiers: readonly Tier[] | undefined) => JSON.stringify(tiers ?? TIERS);

/**
 * Pauses tiers of a user: the schedule leaves them alone, runs that somebody asks for are done all the same.
 * @returns the tiers that are paused for this user now, null for an unknown one
 */
export const pauseUser = (tx: Transaction, input: RunOwner & TierChoice): Promise<Tier[] | null> =>
  setUserPause(tx, input, true);

/** Ends a pause of a user's tiers. Nothing has to be registered: the next tick finds what is due. Returns as pauseUser. */
export const resumeUser = (tx: Transaction, input: RunOwner & TierChoice): Promise<Tier[] | null> =>
  setUserPause(tx, input, false);

async function setUserPause(
  tx: Transaction,
  { tenant, user, tiers }: RunOwner & TierChoice,
  paused: boolean,
): Promise<Tier[] | null> {
  const rows = await tx.rows<{ tier: Tier; before: boolean; chosen: boolean }>(sql`
    with held as materialized (
      select tier, paused as before, tier in (select jsonb_array_elements_text(${listOf(tiers)}::jsonb)) as chosen
      from slowwave.user_tiers where tenant = ${tenant} and user_id = ${user}
      order by tier for update
    ), marked as (
      update slowwave.user_tiers t set paused = ${paused}::boolean from held
      where t.tenant = ${tenant} and t.user_id = ${user} and t.tier = held.tier and held.chosen
        and held.before <> ${paused}::boolean
    )
    select tier, before, chosen from held`);
  if (rows.length === 0) return null;
  const now = new Set(rows.filter((row) => (row.chosen ? paused : row.before)).map((row) => row.tier));
  return TIERS.filter((tier) => now.has(tier));
}

/**
 * Waits until nobody makes users of this tenant, and keeps others waiting who would (see joinTenantPauses), to the end of the
 * transaction: otherwise a user who is being made would miss a pause that begins, or keep one that ends.
 */
async function lockTenantPauses(tx: Transaction, tenant: string): Promise<void> {
  await tx.rows(sql`select pg_advisory_xact_lock(${lockOf(tenant)})`);
}

const lockOf = (tenant: string) => sql`hashtextextended('slowwave tenant pause ' || ${tenant}::text, 0)`;

/**
 * Pauses tiers of all users of a tenant, those to come included. Rows are marked in batches, each in a transaction of its own, so
 * that nobody waits long for a large tenant; broken off, it is completed by calling it again.
 * @param input.at epoch ms
 * @returns how many tiers of users were marked
 */
export async function pauseTenant(
  database: Database,
  input: { tenant: string; at: number } & TierChoice,
): Promise<number> {
  const { tenant, tiers } = input;
  await database.withTenant(tenant, async (tx) => {
    await lockTenantPauses(tx, tenant);
    await tx.rows(sql`
      insert into slowwave.tenant_pauses (tenant, tier, paused_at)
      select ${tenant}, tier, ${instantOf(input.at)} from jsonb_array_elements_text(${listOf(tiers)}::jsonb) as tiers(tier)
      on conflict do nothing`);
  });
  return markTenant(database, tenant, tiers, true);
}

/** Ends a pause of a tenant's tiers; users who are paused themselves stay so. Otherwise as pauseTenant. */
export async function resumeTenant(
  database: Database,
  input: { tenant: string } & TierChoice,
): Promise<number> {
  const { tenant, tiers } = input;
  await database.withTenant(tenant, async (tx) => {
    await lockTenantPauses(tx, tenant);
    await tx.rows(sql`
      delete from slowwave.tenant_pauses
      where tenant = ${tenant} and tier in (select jsonb_array_elements_text(${listOf(tiers)}::jsonb))`);
  });
  return markTenant(database, tenant, tiers, false);
}

/** Goes once through a tenant's rows by their key. */
async function markTenant(
  database: Database,
  tenant: string,
  tiers: readonly Tier[] | undefined,
  paused: boolean,
): Promise<number> {
  let marked = 0;
  for (let after = { user: '', tier: '' }; ; ) {
    const rows = await database.withTenant(tenant, (tx) =>
      tx.rows<{ user: string; tier: Tier }>(sql`
        with page as materialized (
          select t.user_id, t.tier from slowwave.user_tiers t
          where t.tenant = ${tenant} and (t.user_id, t.tier) > (${after.user}, ${after.tier})
            and t.tenant_paused <> ${paused}::boolean
            and t.tier in (select jsonb_array_elements_text(${listOf(tiers)}::jsonb))
          order by t.user_id, t.tier
          limit ${BATCH}
          for update
        ), marked as (
          update slowwave.user_tiers t set tenant_paused = ${paused}::boolean from page
          where t.tenant = ${tenant} and t.user_id = page.user_id and t.tier = page.tier
        )
        select user_id as "user", tier from page order by page.user_id, page.tier`),
    );
    marked += rows.length;
    const last = rows.at(-1);
    if (!last) return marked;
    after = last;
  }
}

/**
 * Gives users who have just been made the pauses of their tenant. In statements of their own, after they are there: a pause that
 * begins at the same time either sees them, or is seen here.
 */
export async function joinTenantPauses(
  tx: Transaction,
  tenant: string,
  users: readonly string[],
): Promise<void> {
  await tx.rows(sql`select pg_advisory_xact_lock_shared(${lockOf(tenant)})`);
  await tx.rows(sql`
    update slowwave.user_tiers t set tenant_paused = true from slowwave.tenant_pauses p
    where p.tenant = ${tenant} and t.tenant = p.tenant and t.tier = p.tier and not t.tenant_paused
      and t.user_id in (select value from jsonb_array_elements_text(${JSON.stringify(users)}::jsonb))`);
}

/** The tiers that are paused for a whole tenant. */
export async function listTenantPauses(tx: Transaction, tenant: string): Promise<Tier[]> {
  const rows = await tx.rows<{ tier: Tier }>(sql`
    select tier from slowwave.tenant_pauses where tenant = ${tenant}`);
  return TIERS.filter((tier) => rows.some((row) => row.tier === tier));
}

/** Pauses a tier for everybody. For the dispatcher's role. @param input.at epoch ms @returns false when it was paused already */
export async function pauseTier(tx: Transaction, input: { tier: Tier; at: number }): Promise<boolean> {
  const rows = await tx.rows(sql`
    insert into slowwave.tier_pauses (tier, paused_at) values (${input.tier}, ${instantOf(input.at)})
    on conflict do nothing
    returning 1`);
  return rows.length === 1;
}

/** Ends the pause of a tier; what is due is found by the next tick. For the dispatcher's role. @returns false when there was none */
export async function resumeTier(tx: Transaction, input: { tier: Tier }): Promise<boolean> {
  const rows = await tx.rows(sql`delete from slowwave.tier_pauses where tier = ${input.tier} returning 1`);
  return rows.length === 1;
}
