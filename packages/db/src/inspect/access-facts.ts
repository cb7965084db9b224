import { sql } from 'drizzle-orm';
import type { Transaction } from '../database.ts';

const ROLES = ['slowwave_service', 'slowwave_dispatcher'];

/** Roles that this login cannot step into, because they are not there or it is no member of them. For the owner. */
export async function missingRoles(tx: Transaction): Promise<string[]> {
  const rows = await tx.rows<{ role: string }>(sql`
    select wanted.role from jsonb_array_elements_text(${JSON.stringify(ROLES)}::jsonb) as wanted(role)
      left join pg_catalog.pg_roles r on r.rolname = wanted.role
    where r.oid is null or not pg_catalog.pg_has_role(current_user, r.oid,
      -- From PostgreSQL 16 on membership alone does not let anybody step into a role.
      case when current_setting('server_version_num')::int >= 160000 then 'SET' else 'MEMBER' end)
    order by wanted.role`);
  return rows.map(({ role }) => role);
}

/** Tables with a tenant in them that row-level security does not guard, as it should; at most 100. For the owner. */
export async function unguardedTables(tx: Transaction): Promise<string[]> {
  const rows = await tx.rows<{ name: string }>(sql`
    select c.relname as name from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    where n.nspname = 'slowwave' and c.relkind = 'r' and not (c.relrowsecurity and c.relforcerowsecurity)
      and exists (select 1 from pg_catalog.pg_attribute a where a.attrelid = c.oid and a.attname = 'tenant' and not a.attisdropped)
    order by 1 limit 100`);
  return rows.map(({ name }) => name);
}

/** What the login of this connection may do that a service has no use for. */
export interface LoginRights {
  superuser: boolean;
  /** It may set row-level security aside. */
  bypassesRowSecurity: boolean;
  /** It owns tables of ours: it may alter and drop them. */
  ownsTables: boolean;
}

/** For the owner. */
export async function loginRights(tx: Transaction): Promise<LoginRights> {
  const [rights] = await tx.rows<LoginRights>(sql`
    select r.rolsuper as superuser, r.rolbypassrls as "bypassesRowSecurity", exists (
        select 1 from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
        where n.nspname = 'slowwave' and c.relkind in ('r', 'p') and c.relowner = r.oid) as "ownsTables"
    from pg_catalog.pg_roles r where r.rolname = session_user`);
  return rights!;
}
