import type { EvaluationReport } from '@slowwave/fusion';
import { sql } from 'drizzle-orm';
import type { Transaction } from '../database.ts';
import { instantOf, msOf } from '../instants.ts';

/** The evaluation that a tenant stored last, and when (epoch ms); both null before the first. */
export interface StoredEvaluation {
  evaluatedAt: number | null;
  evaluation: EvaluationReport | null;
}

export async function readEvaluation(tx: Transaction, tenant: string): Promise<StoredEvaluation> {
  const [row] = await tx.rows<StoredEvaluation>(sql`
    select evaluation, ${msOf('evaluated_at')} as "evaluatedAt" from slowwave.tenant_settings where tenant = ${tenant}`);
  return row ?? { evaluatedAt: null, evaluation: null };
}

/** Stores an evaluation in place of the one before. @param input.at epoch ms */
export async function storeEvaluation(
  tx: Transaction,
  input: { tenant: string; at: number; evaluation: EvaluationReport },
): Promise<StoredEvaluation> {
  const { tenant, at, evaluation } = input;
  await tx.rows(sql`
    insert into slowwave.tenant_settings (tenant, evaluation, evaluated_at, changed_at)
    values (${tenant}, ${JSON.stringify(evaluation)}::jsonb, ${instantOf(at)}, ${instantOf(at)})
    on conflict (tenant) do update set evaluation = excluded.evaluation, evaluated_at = excluded.evaluated_at`);
  return { evaluatedAt: at, evaluation };
}
