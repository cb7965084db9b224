import { sql } from 'drizzle-orm';
import { uuidArray } from '../arrays.ts';
import type { Transaction } from '../database.ts';
import { owned } from '../fusions/scope.ts';
import { instantOf, msOf } from '../instants.ts';
import { closeCalls } from '../spending/close.ts';
import type { CallEnd } from '../spending/types.ts';

/** What came of one question. */
export interface NewResult {
  /** Of the question. */
  id: string;
  /** Null: no answer came, and the question is asked directly. */
  answer: {
    /** Free of what a database cannot take; see safeText. */
    text: string;
    stopReason: string;
    model: string;
    /** All that was read. */
    inputTokens: number;
    outputTokens: number;
  } | null;
  /** What it took. @param collectedAt when it was asked, epoch ms: its price is that of the day */
  end(collectedAt: number): CallEnd;
}

/** known: this result was stored before. unknown: it belongs to no question of ours any more. unwanted: only its cost was kept. */
export type StoredResult = 'answered' | 'failed' | 'known' | 'unknown' | 'unwanted';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * Whose questions these are, among those of a batch.
 * @param ids as a provider gave them: any text, some thousand at most
 * @returns the user of each id that is one of ours; users may have gone, and their questions with them
 */
export async function findAskers(
  tx: Transaction,
  of: { tenant: string; batchId: string; ids: readonly string[] },
): Promise<Map<string, string>> {
  const ids = of.ids.filter((id) => UUID.test(id)); // guard: batch-names
  if (ids.length === 0) return new Map();
  const rows = await tx.rows<{ id: string; user: string }>(sql`
    select id, user_id as "user" from slowwave.batch_requests
    where tenant = ${of.tenant} and batch_id = ${of.batchId}::uuid and id = any(${uuidArray(ids)})`);
  return new Map(rows.map(({ id, user }) => [id, user]));
}

interface Waiting {
  id: string;
  state: string;
  callId: string;
  collectedAt: number;
}

/** Results whose questions wait for them. */
interface Awaited extends Waiting {
  result: NewResult;
}

/**
 * Stores results of one user and settles what they cost, in as many statements as for one. An answer that nobody wants any more, since
 * something was forgotten, is not written down. Storing a result again changes nothing; of two for one question the first counts.
 * @param results ids are those of findAskers
 * @returns what became of each, in their order
 */
export async function storeResults(
  tx: Transaction,
  of: { tenant: string; user: string; batchId: string; at: number },
  results: readonly NewResult[],
): Promise<StoredResult[]> {
  const waiting = await lockWaiting(tx, of, results);
  const stored: StoredResult[] = [];
  const awaited: Awaited[] = [];
  for (const result of results) {
    const found = waiting.get(result.id);
    if (!found) stored.push('unknown');
    else if (found.state !== 'sent' && found.state !== 'dropped') stored.push('known');
    else {
      // Whatever else is said of this question comes too late.
      waiting.set(found.id, { ...found, state: 'answered' }); // guard: batch-twice
      awaited.push({ ...found, result });
      if (found.state === 'dropped') stored.push('unwanted');
      else stored.push(result.answer === null ? 'failed' : 'answered');
    }
  }
  await writeDown(tx, of, awaited);
  const ends = awaited.map(({ callId, collectedAt, result }) => ({
    id: callId,
    end: result.end(collectedAt),
  }));
  await closeCalls(tx, of, ends); // guard: batch-settled
  return stored;
}

/** Locked in the order of whoever has something forgotten. */
async function lockWaiting(
  tx: Transaction,
  of: { tenant: string; user: string; batchId: string },
  results: readonly NewResult[],
): Promise<Map<string, Waiting>> {
  const rows = await tx.rows<Waiting>(sql`
    select id, state, call_id as "callId", ${msOf('collected_at')} as "collectedAt" from slowwave.batch_requests
    where ${owned(of)} and batch_id = ${of.batchId}::uuid and id = any(${uuidArray(results.map(({ id }) => id))})
    order by id for update`);
  return new Map(rows.map((row) => [row.id, row]));
}

async function writeDown(
  tx: Transaction,
  of: { tenant: string; user: string; at: number },
  awaited: readonly Awaited[],
): Promise<void> {
  const idsOf = (rows: readonly Awaited[]) => uuidArray(rows.map(({ id }) => id));
  const wanted: Awaited[] = [];
  const unwanted: Awaited[] = [];
  for (const one of awaited) {
    // guard: batch-dropped
    if (one.state === 'dropped') unwanted.push(one);
    else wanted.push(one);
  }
  if (unwanted.length > 0)
    await tx.rows(sql`
      delete from slowwave.batch_requests where ${owned(of)} and id = any(${idsOf(unwanted)})`);
  const failed = wanted.filter(({ result }) => result.answer === null);
  if (failed.length > 0)
    await tx.rows(sql`
      update slowwave.batch_requests set state = 'failed', body = null where ${owned(of)} and id = any(${idsOf(failed)})`);
  const answers = wanted.flatMap(({ id, result }) =>
    result.answer === null ? [] : [{ id, ...result.answer }],
  );
  if (answers.length > 0)
    await tx.rows(sql`
      update slowwave.batch_requests r set state = 'answered', body = null, answer = a.text, stop_reason = a."stopReason",
        model = a.model, input_tokens = a."inputTokens", output_tokens = a."outputTokens", answered_at = ${instantOf(of.at)}
      from jsonb_to_recordset(${JSON.stringify(answers)}::jsonb) as a(id uuid, text text, "stopReason" text, model text,
        "inputTokens" bigint, "outputTokens" bigint)
      where ${owned(of, 'r')} and r.id = a.id and r.id = any(${uuidArray(answers.map(({ id }) => id))})`);
}
