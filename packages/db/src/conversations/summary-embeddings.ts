import { type SQL, sql } from 'drizzle-orm';
import type { Transaction } from '../database.ts';
import { owned } from '../fusions/scope.ts';
import { instantOf } from '../instants.ts';
import { agreeOnDimensions, requireOneLength, vectorText } from '../memories/dimensions.ts';
import { anyRow, type Question } from '../questions.ts';

export interface SummaryToEmbed {
  sessionId: string;
  summary: string;
  contentHash: string;
}

/** A summary s that this model has not embedded in its present words. */
function isMissing(of: { tenant: string; user: string; model: string }): SQL {
  return sql`${owned(of, 's')} and (s.session_id, s.content_hash) not in (
    select e.session_id, e.content_hash from slowwave.summary_embeddings e
    where ${owned(of, 'e')} and e.model = ${of.model})`;
}

/** Whether listSummariesToEmbed would list one. */
export function askSummariesToEmbed(of: { tenant: string; user: string; model: string }): Question<boolean> {
  return anyRow(sql`select 1 from slowwave.session_summaries s where ${isMissing(of)}`);
}

/** Summaries that this model has not embedded, or not in their present words; oldest first. */
export function listSummariesToEmbed(
  tx: Transaction,
  input: { tenant: string; user: string; model: string; limit: number },
): Promise<SummaryToEmbed[]> {
  return tx.rows(sql`
    select s.session_id as "sessionId", s.summary, s.content_hash as "contentHash"
    from slowwave.session_summaries s
    where ${isMissing(input)}
    order by s.created_at, s.session_id
    limit ${input.limit}`);
}

/**
 * Stores vectors of summaries, all of one model and length. A summary that was rewritten or removed since is left out.
 * @param input.at epoch ms
 * @returns how many were stored
 * @throws DatabaseError `wrong_dimensions` when vectors differ in length from each other or from what is stored
 */
export async function storeSummaryEmbeddings(
  tx: Transaction,
  input: {
    tenant: string;
    user: string;
    model: string;
    at: number;
    embeddings: readonly { sessionId: string; contentHash: string; vector: Float32Array }[];
  },
): Promise<number> {
  const { model, embeddings } = input;
  if (embeddings.length === 0) return 0;
  const dimensions = requireOneLength(
    model,
    embeddings.map((embedding) => embedding.vector),
  );
  await agreeOnDimensions(tx, model, dimensions);
  const payload = JSON.stringify(
    embeddings.map(({ sessionId, contentHash, vector }) => ({
      session: sessionId,
      hash: contentHash,
      vector: vectorText(vector),
    })),
  );
  const rows = await tx.rows(sql`
    insert into slowwave.summary_embeddings (tenant, user_id, session_id, model, content_hash, vector, created_at)
    select s.tenant, s.user_id, s.session_id, ${model}, r.hash, r.vector::vector, ${instantOf(input.at)}
    from jsonb_to_recordset(${payload}::jsonb) as r(session text, hash text, vector text)
    join slowwave.session_summaries s
      on ${owned(input, 's')} and s.session_id = r.session and s.content_hash = r.hash
    on conflict (tenant, user_id, session_id, model) do update
      set content_hash = excluded.content_hash, vector = excluded.vector, created_at = excluded.created_at
    returning 1`);
  return rows.length;
}
