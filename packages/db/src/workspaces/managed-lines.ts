import { sql } from 'drizzle-orm';
import { uuidArray } from '../arrays.ts';
import type { Transaction } from '../database.ts';
import { owned } from '../fusions/scope.ts';
import type { Owner } from './key.ts';

const ID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
/** At the end of a line that stands for a memory. */
const MARK = new RegExp(`<!-- slowwave:(${ID}) -->`, 'gi');

/** The memories for which a text has managed lines, each once. */
export function markedMemories(text: string): string[] {
  return [...new Set([...text.matchAll(MARK)].map((found) => found[1]!.toLowerCase()))];
}

/** Of the memories for which a text has managed lines, those that were forgotten. */
export async function listForgottenLines(tx: Transaction, of: Owner, text: string): Promise<string[]> {
  const ids = markedMemories(text);
  if (ids.length === 0) return [];
  const rows = await tx.rows<{ id: string }>(sql`
    select memory_id as id from slowwave.tombstones where ${owned(of)} and memory_id = any(${uuidArray(ids)})`);
  return rows.map(({ id }) => id);
}
