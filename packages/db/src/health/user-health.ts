import { sql } from 'drizzle-orm';
import type { Transaction } from '../database.ts';
import { owned } from '../fusions/scope.ts';
import { instantOf } from '../instants.ts';
import { ask, type Question, theRow } from '../questions.ts';

/** How a user is: counts only. */
export interface UserHealth {
  /** Latest memories that are not archived, and those by band of prominence. */
  memories: number;
  active: number;
  dormant: number;
  faded: number;
  /** Latest memories that were archived. */
  archived: number;
  /** Latest, unarchived memories that the embedding model has not embedded in their present words. */
  withoutEmbedding: number;
  /** Other tiers that have waited longer than the grace, that failed last time, and that somebody paused. */
  tiersOverdue: number;
  tiersFailing: number;
  tiersPaused: number;
}

interface HealthInput {
  tenant: string;
  user: string;
  tier: string;
  at: number;
  embeddingModel: string;
  graceMs: number;
}

/**
 * Reads the state of one user in one statement.
 * @param input.tier the tier that is running: it is due by nature and not looked at
 * @param input.at epoch ms
 * @param input.graceMs how long a tier may wait before it counts as overdue
 */
export function readUserHealth(tx: Transaction, input: HealthInput): Promise<UserHealth> {
  return ask(tx, askUserHealth(input));
}

/** As readUserHealth. */
export function askUserHealth(input: HealthInput): Question<UserHealth> {
  const at = instantOf(input.at);
  return theRow(sql`
    select bands.*, tiers.* from (
      select count(*) filter (where m.archived_at is null)::int as memories,
        count(*) filter (where m.archived_at is null and m.crosses_050_at >= ${at})::int as active,
        count(*) filter (where m.archived_at is null and m.crosses_050_at < ${at} and m.crosses_010_at >= ${at})::int as dormant,
        count(*) filter (where m.archived_at is null and m.crosses_010_at < ${at})::int as faded,
        count(*) filter (where m.archived_at is not null)::int as archived,
        count(*) filter (where m.archived_at is null and (m.id, m.content_hash) not in (
          select e.memory_id, e.content_hash from slowwave.embeddings e
          where ${owned(input, 'e')} and e.model = ${input.embeddingModel}))::int as "withoutEmbedding"
      from slowwave.memories m where ${owned(input, 'm')} and m.is_latest
    ) bands cross join (
      select count(*) filter (where not paused and not tenant_paused
          and greatest(due_at, next_attempt_at) < ${instantOf(input.at - input.graceMs)})::int as "tiersOverdue",
        count(*) filter (where failures > 0)::int as "tiersFailing",
        count(*) filter (where paused or tenant_paused)::int as "tiersPaused"
      from slowwave.user_tiers where ${owned(input)} and tier <> ${input.tier}
    ) tiers`);
}
