import { sql } from 'drizzle-orm';
import type { Database, Transaction } from '../database.ts';
import { nothingForgotten } from '../forgetting/marks.ts';
import { newId } from '../ids.ts';
import { instantOf } from '../instants.ts';
import { reserveCall } from '../spending/reserve.ts';
import type { BudgetLimits, CallOwner, CallRefusal, CallRequest } from '../spending/types.ts';
import { allowsBatches } from './settings.ts';

export interface NewBatchRequest {
  question: string;
  /** The request as the provider takes it, JSON. */
  body: string;
  /** How often the user had something forgotten before the texts in the body were read; see countForgets. */
  forgets: number;
  /** From then on it is asked directly, epoch ms. */
  deadlineAt: number;
}

export type CollectResult =
  | { status: 'collected' }
  | ({ status: 'refused' } & CallRefusal)
  /** Something was forgotten since the texts were read: they are not written down again. */
  | { status: 'forgotten' }
  /** The tenant wants no batches. */
  | { status: 'forbidden' };

/** Thrown to roll a reservation back. */
class NotCollected extends Error {
  readonly status: 'forgotten' | 'forbidden' | 'collected';

  constructor(status: 'forgotten' | 'forbidden' | 'collected') {
    super('not collected');
    this.name = 'NotCollected';
    this.status = status;
  }
}

/**
 * Puts a question among those of its tenant and model that are sent next, with the most that it can cost reserved, in one transaction: what
 * waits is always paid for out of a budget, and nothing is reserved for what does not wait. The same question waits once.
 */
export async function collectRequest(
  database: Database,
  owner: CallOwner,
  { call, limits, request }: { call: CallRequest; limits: BudgetLimits; request: NewBatchRequest },
): Promise<CollectResult> {
  try {
    const reserved = await reserveCall(
      database,
      owner,
      { ...call, batch: true },
      limits,
      async (tx, reserve) => {
        const { tenant, user } = owner;
        if (!(await allowsBatches(tx, tenant))) throw new NotCollected('forbidden'); // guard: batch-forbidden
        // The user is locked first, as by whoever forgets.
        // guard: batch-forgotten
        if (!(await nothingForgotten(tx, { tenant, user, forgets: request.forgets })))
          throw new NotCollected('forgotten');
        await reserve();
        const batchId = await openCollecting(tx, {
          tenant,
          model: call.model,
          at: owner.at,
          deadlineAt: request.deadlineAt,
        });
        await insertRequest(tx, owner, { callId: call.id, batchId, request });
      },
    );
    return reserved.status === 'refused' ? reserved : { status: 'collected' };
  } catch (error) {
    if (error instanceof NotCollected) return { status: error.status };
    throw error;
  }
}

/**
 * The batch of a tenant and model that takes questions now, made where there is none. It stays open to nobody else until the transaction
 * ends: whoever wants to send it waits.
 */
export async function openCollecting(
  tx: Transaction,
  of: { tenant: string; model: string; at: number; deadlineAt: number; lookAt?: number },
): Promise<string> {
  const { tenant, model, at, deadlineAt, lookAt = at } = of;
  const [row] = await tx.rows<{ id: string }>(sql`
    insert into slowwave.model_batches as b (tenant, id, model, state, created_at, look_at, deadline_at)
    values (${tenant}, ${newId(at)}::uuid, ${model}, 'collecting', ${instantOf(at)}, ${instantOf(lookAt)}, ${instantOf(deadlineAt)})
    on conflict (tenant, model) where state = 'collecting' do update set deadline_at = least(b.deadline_at, excluded.deadline_at)
    returning id`);
  return row!.id;
}

async function insertRequest(
  tx: Transaction,
  owner: CallOwner,
  input: { callId: string; batchId: string; request: NewBatchRequest },
): Promise<void> {
  const { tenant, user, step, runId, at } = owner;
  const { callId, batchId, request } = input;
  const rows = await tx.rows(sql`
    insert into slowwave.batch_requests (tenant, user_id, id, batch_id, question, step, run_id, call_id, state, body, bytes,
      collected_at, deadline_at)
    values (${tenant}, ${user}, ${newId(at)}::uuid, ${batchId}::uuid, ${request.question}, ${step}, ${runId}::uuid,
      ${callId}::uuid, 'collected', ${request.body}, ${Buffer.byteLength(request.body)}, ${instantOf(at)},
      ${instantOf(request.deadlineAt)})
    on conflict (tenant, user_id, question) do nothing
    returning 1`);
  if (rows.length === 0) throw new NotCollected('collected');
}
