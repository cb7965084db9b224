import { sql } from 'drizzle-orm';
import type { Transaction } from '../../database.ts';
import { owned } from '../../fusions/scope.ts';
import { instantOf } from '../../instants.ts';
import { ask, type Question, theRow } from '../../questions.ts';

/** A hypothesis that is no surer than this has faded. */
export const FADED_BELOW = 0.1;

export interface RelationCounts {
  relations: number;
  /** Without a memory at one of their ends; the schema forbids them, and this tells whether it does. */
  orphans: number;
  hypotheses: number;
  /** Hypotheses of a confidence below 0.1 by now. */
  faded: number;
}

/** Looks a user's relations over, in one statement; changes nothing. @param input.at epoch ms */
export function checkRelations(
  tx: Transaction,
  input: { tenant: string; user: string; at: number },
): Promise<RelationCounts> {
  return ask(tx, askRelations(input));
}

/** As checkRelations. */
export function askRelations(input: { tenant: string; user: string; at: number }): Question<RelationCounts> {
  const ids = sql`select m.id from slowwave.memories m where ${owned(input, 'm')}`;
  return theRow(sql`
    select count(*)::int as relations,
      -- A hash of what there is, whatever the planner guesses.
      count(*) filter (where r.source_id not in (${ids}) or r.target_id not in (${ids}))::int as orphans,
      count(*) filter (where r.hypothesis)::int as hypotheses,
      count(*) filter (where r.hypothesis and slowwave.hypothesis_confidence(
        r.hypothesis, r.confidence, r.created_at, ${instantOf(input.at)}) < ${FADED_BELOW}::float8)::int as faded
    from slowwave.relations r
    where ${owned(input, 'r')}`);
}
