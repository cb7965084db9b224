import { type SQL, sql } from 'drizzle-orm';
import { tenant } from './fixture.ts';

export const ana = { tenant, user: 'ana' };
export const ben = { tenant, user: 'ben' };

/** What is broken by hand, in a transaction that is taken back, and how it is told. */
export interface Break {
  invariant: string;
  how: string;
  statements: SQL[];
  told: RegExp;
}

export const DERIVED = sql`m.memory_type = 'derived' and m.user_id = 'ben'`;
export const drop = (table: string, constraint: string): SQL =>
  sql.raw(`alter table slowwave.${table} drop constraint ${constraint}`);
