import { sql } from 'drizzle-orm';
import { nameArray, uuidArray } from '../arrays.ts';
import type { Transaction } from '../database.ts';
import { owned } from '../fusions/scope.ts';
import type { Plan } from './plan.ts';
import { findReach, listStatementsBeside, type Owner } from './reach.ts';

/**
 * Keeps everybody from forgetting something else of this user meanwhile, and whoever stores what a model said or writes to a workspace of
 * the user waiting.
 */
export async function lockUser(tx: Transaction, of: Owner): Promise<boolean> {
  const rows = await tx.rows(
    sql`select 1 from slowwave.users where tenant = ${of.tenant} and id = ${of.user} for no key update`,
  );
  await tx.rows(sql`select 1 from slowwave.workspaces where ${owned(of)} order by id for no key update`);
  return rows.length === 1;
}

/**
 * Locks what a plan reaches in the order of everybody who writes there: the ledger, answers, memories by id, sessions by name.
 * @returns whether the plan still holds now that nothing in it can change; else it has to be made anew
 */
export async function lockPlan(tx: Transaction, of: Owner, plan: Plan): Promise<boolean> {
  const { reach } = plan;
  const ids = uuidArray([...reach.why.keys(), ...reach.rewritten]);
  const sessions = nameArray([...plan.touched, ...plan.leaving]);
  await tx.rows(sql`
    select 1 from slowwave.fusions where ${owned(of)} and key = any(${nameArray(reach.keys)}) order by key for update`);
  await tx.rows(sql`
    select 1 from slowwave.model_answers
    where ${owned(of)} and (memory_ids && ${ids} or session_ids && ${sessions}) order by key, attempt for update`);
  await tx.rows(sql`
    select 1 from slowwave.memories where ${owned(of)} and (id = any(${ids}) or superseded_by = any(${ids}))
    order by id for update`);
  await tx.rows(
    sql`select 1 from slowwave.sessions where ${owned(of)} and id = any(${sessions}) order by id for update`,
  );
  const now = await findReach(tx, of, reach.why);
  const known = (id: string) => reach.why.has(id) || reach.rewritten.has(id);
  // A statement of other sources shows in no lineage.
  const beside = await listStatementsBeside(tx, of, reach.keys);
  return (
    [...now.why.keys(), ...now.rewritten].every(known) &&
    [...now.keys].every((key) => reach.keys.has(key)) &&
    beside.every(({ id, content }) => known(id) || !plan.matcher.says(content)) &&
    // What was only planned before may have been written meanwhile.
    now.present.size === reach.present.size &&
    [...now.present].every((id) => reach.present.has(id))
  );
}
