import { getTableColumns, getTableName, is, type SQL, sql } from 'drizzle-orm';
import { PgTable } from 'drizzle-orm/pg-core';
import { closeBatched } from '../batches/forget.ts';
import type { Transaction } from '../database.ts';
import { owned } from '../fusions/scope.ts';
import * as schema from '../schema/index.ts';
import { lapseAllCalls } from '../spending/close.ts';
import { type ForgetInput, ForgetRefused, type ForgetResult } from './types.ts';

/** Every table with rows of one user. Their names are our own. */
export const USER_TABLES: readonly string[] = Object.values<unknown>(schema)
  .filter((value): value is PgTable => is(value, PgTable))
  .filter((table) => 'userId' in getTableColumns(table))
  .map((table) => getTableName(table))
  .sort();

/** Closing these takes turns with all calls of the tenant: late, so that those wait for as short as can be. */
const BOOKS = ['batch_requests', 'model_calls', 'user_spend'];
/** Whose rows go last: a job that still runs for the user finds nothing to write to, and then that it no longer holds the user. */
const LAST = ['leases', 'user_tiers', 'runs'];
const LATE = [...BOOKS, ...LAST];

/**
 * Forgets everything about a user. The ledger is locked before the lease, in the order of a commit, so that one under way ends first or
 * finds nothing; then goes every row, the user's own last.
 * @throws ForgetRefused `unknown_user`
 */
export async function forgetUser(tx: Transaction, input: ForgetInput): Promise<Omit<ForgetResult, 'status'>> {
  await tx.rows(sql`select 1 from slowwave.fusions where ${owned(input)} order by key for update`);
  await tx.rows(sql`select 1 from slowwave.leases where ${owned(input)} for update`);
  const found = await tx.rows(sql`
    select 1 from slowwave.users where tenant = ${input.tenant} and id = ${input.user} for update`);
  if (found.length === 0) throw unknownUser(input.user);
  const memories = await tx.rows<{ id: string }>(sql`
    select id from slowwave.memories where ${owned(input)}
    union all select id from slowwave.cold_memories where ${owned(input)}
    order by id`);
  const tables = await countRows(tx, input);
  await clear(
    tx,
    input,
    USER_TABLES.filter((name) => !LATE.includes(name)),
  );
  await closeBatched(tx, input);
  await lapseAllCalls(tx, input); // guard: spending-goes
  await clear(tx, input, LATE);
  await tx.rows(sql`delete from slowwave.users where tenant = ${input.tenant} and id = ${input.user}`);
  const rows = (name: string) => tables[name] ?? 0;
  return {
    removed: {
      memories: memories.map(({ id }) => ({ id, why: 'user' })),
      relations: rows('relations'),
      conflicts: rows('conflicts'),
      embeddings: rows('embeddings'),
      neighbours: rows('neighbours'),
      sessions: rows('sessions'),
      messages: rows('messages'),
      summaries: rows('session_summaries'),
      answers: rows('model_answers'),
      fusions: rows('fusions'),
      recallEvents: rows('recall_events'),
      images: rows('changes'),
      changeSets: rows('change_sets'),
      verdicts: rows('rem_verdicts'),
      feedback: rows('feedback'),
      profiles: rows('user_profiles'),
      tables,
    },
    reopened: [],
    mentions: { memories: [], scheduledItems: [], goals: [] },
    changeSetId: null,
  };
}

export function unknownUser(user: string): ForgetRefused {
  return new ForgetRefused('unknown_user', user, 'there is no such user in this tenant');
}

async function clear(tx: Transaction, of: ForgetInput, tables: readonly string[]): Promise<void> {
  for (const table of tables) await tx.rows(sql`delete from ${nameOf(table)} where ${owned(of)}`);
}

const nameOf = (table: string): SQL => sql.raw(`slowwave.${table}`);

async function countRows(tx: Transaction, of: ForgetInput): Promise<Record<string, number>> {
  const counts = USER_TABLES.map(
    (table) =>
      sql`select ${table}::text as name, count(*)::int as rows from ${nameOf(table)} where ${owned(of)}`,
  );
  const rows = await tx.rows<{ name: string; rows: number }>(sql`${sql.join(counts, sql` union all `)}`);
  return Object.fromEntries(rows.filter((row) => row.rows > 0).map((row) => [row.name, row.rows]));
}
