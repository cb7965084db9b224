import type { SQL } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/node-postgres';
import { PgDialect } from 'drizzle-orm/pg-core';
import type pg from 'pg';
import { copyOut } from './copy-out.ts';
import type { Entry, InTransaction, OpenTransaction } from './database.ts';
import { DatabaseError, databaseError, STALE_STATES } from './errors.ts';
import type { StatementNames } from './statement-names.ts';

const dialect = new PgDialect();

/**
 * Each transaction on a connection of its own. A connection that cannot begin, commit or roll back is lost and leaves the pool; one that came
 * back unreleased would be missing for good.
 */
export function transactionsOf(pool: pg.Pool, names: StatementNames): InTransaction {
  // What is made over a connection serves all its transactions.
  const over = new WeakMap<pg.PoolClient, OpenTransaction>();
  const openOver = (client: pg.PoolClient): OpenTransaction => {
    const known = over.get(client);
    if (known) return known;
    const made = openTransaction(client, names);
    over.set(client, made);
    return made;
  };
  return async (entry, work) => {
    const client = await pool.connect();
    let lost = true;
    try {
      await client.query(beginning(entry));
      try {
        const result = await work(openOver(client));
        await client.query('commit');
        lost = false;
        return result;
      } catch (error) {
        lost =
          isLost(error) ||
          (await client.query('rollback').then(
            () => false,
            () => true,
          ));
        throw error;
      }
    } finally {
      client.release(lost);
    }
  };
}

function openTransaction(client: pg.PoolClient, names: StatementNames): OpenTransaction {
  const { session } = drizzle(client)._;
  return {
    async execute(query: SQL) {
      const said = dialect.sqlToQuery(query);
      const name = said.params.length > 0 ? names.nameOf(said.sql) : undefined;
      const prepared = session.prepareQuery(said, undefined, name, false);
      return (await prepared.execute()) as { rows: unknown[] };
    },
    copyOut: (text, take) => copyOut(client, text, take),
  };
}

/**
 * Begins and enters in one round trip, so in one text without parameters: the tenant's name stands in it as the hexadecimal digits of its
 * bytes, and nothing that anybody chose is read as SQL. The server compiles nothing (jit): of a statement that ends within a second, which
 * guesses about freshly filled tables make look dear, compiling is the larger part.
 */
function beginning(entry: Entry | null): string {
  if (entry === null) return 'begin';
  const { role, tenant } = entry;
  const entered = `begin;
    select set_config('jit', 'off', true), set_config('role', '${role}', true) /* guard: server-tenant-role */`;
  if (tenant === null) return entered;
  const digits = Buffer.from(tenant, 'utf8').toString('hex');
  return `${entered}, set_config('slowwave.tenant', convert_from(decode('${digits}', 'hex'), 'UTF8'), true)`;
}

/**
 * Nothing more can be said over a connection that is gone: to wait for an answer to a rollback would be to wait in vain again. One that keeps
 * statements which are not what they were is of no use either.
 */
function isLost(error: unknown): boolean {
  const known = databaseError(error);
  if (!(known instanceof DatabaseError)) return false;
  if (known.sqlState !== null && STALE_STATES.has(known.sqlState)) return true; // guard: stale-statement
  return known.code === 'unavailable';
}
