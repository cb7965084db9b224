import { sql } from 'drizzle-orm';
import type { Transaction } from '../database.ts';
import { instantOf, msOf } from '../instants.ts';
import type { BATCH_STATES } from '../schema/batches.ts';

export type ModelBatchState = (typeof BATCH_STATES)[number];

/** A batch that wants looking at. Instants in epoch ms. */
export interface ModelBatch {
  tenant: string;
  id: string;
  model: string;
  state: ModelBatchState;
  providerId: string | null;
  createdAt: number;
  sentAt: number | null;
  deadlineAt: number;
  cancelledAt: number | null;
  looks: number;
  requests: number;
}

const COLUMNS = sql`tenant, id, model, state, provider_id as "providerId", ${msOf('created_at')} as "createdAt",
  ${msOf('sent_at')} as "sentAt", ${msOf('deadline_at')} as "deadlineAt", ${msOf('cancelled_at')} as "cancelledAt", looks, requests`;

/** The batches of all tenants that somebody has to look at by now, those that wait longest first. For the dispatcher's role. */
export function listBatchesToLookAt(
  tx: Transaction,
  input: { at: number; limit: number },
): Promise<ModelBatch[]> {
  return tx.rows<ModelBatch>(sql`
    select ${COLUMNS} from slowwave.model_batches where look_at <= ${instantOf(input.at)}
    order by look_at, id limit ${input.limit}`);
}

/** Which of these batches of the provider are known here, whosever they are. For the dispatcher's role. */
export async function listKnownProviderIds(tx: Transaction, ids: readonly string[]): Promise<Set<string>> {
  const rows = await tx.rows<{ id: string }>(sql`
    select provider_id as id from slowwave.model_batches
    where provider_id = any(array(select jsonb_array_elements_text(${JSON.stringify(ids)}::jsonb)))`);
  return new Set(rows.map(({ id }) => id));
}

/**
 * Takes a batch for one look. Of several who come at once one gets it; the others leave it alone until `until`.
 * @param of.state as it was when it was listed
 * @param of.until epoch ms
 * @returns null when somebody else looks at it, or has brought it further
 */
export async function takeLook(
  tx: Transaction,
  of: { tenant: string; id: string; state: ModelBatchState; at: number; until: number },
): Promise<ModelBatch | null> {
  const [row] = await tx.rows<ModelBatch>(sql`
    update slowwave.model_batches set look_at = ${instantOf(of.until)}, looks = looks + 1
    where tenant = ${of.tenant} and id = ${of.id}::uuid and state = ${of.state}
      and look_at <= ${instantOf(of.at)} /* guard: batch-look */
    returning ${COLUMNS}`);
  return row ?? null;
}

/** When a batch is looked at next. @param of.lookAt epoch ms */
export async function lookAgain(
  tx: Transaction,
  of: { tenant: string; id: string; lookAt: number },
): Promise<void> {
  await tx.rows(sql`
    update slowwave.model_batches set look_at = ${instantOf(of.lookAt)} where tenant = ${of.tenant} and id = ${of.id}::uuid`);
}

/** Says that the provider was asked to end a batch. @returns false when that was said before */
export async function markCancelled(
  tx: Transaction,
  of: { tenant: string; id: string; at: number },
): Promise<boolean> {
  const rows = await tx.rows(sql`
    update slowwave.model_batches set cancelled_at = ${instantOf(of.at)}
    where tenant = ${of.tenant} and id = ${of.id}::uuid and cancelled_at is null returning 1`);
  return rows.length > 0;
}
