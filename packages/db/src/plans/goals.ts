import { type SQL, sql } from 'drizzle-orm';
import type { Transaction } from '../database.ts';
import { owned } from '../fusions/scope.ts';
import { newId } from '../ids.ts';
import { requireName, requireText, requireTime, requireWord } from '../input-error.ts';
import { instantOf, msOf } from '../instants.ts';
import { GOAL_STATUSES } from '../schema/plans.ts';

export type GoalStatus = (typeof GOAL_STATUSES)[number];

/** Something the user wants to have reached by a time. Times in epoch ms. */
export interface Goal {
  id: string;
  externalId: string | null;
  title: string;
  status: GoalStatus;
  /** Null: without a deadline. */
  dueAt: number | null;
  createdAt: number;
  updatedAt: number;
}

interface Owner {
  tenant: string;
  user: string;
}

/** Characters (code points) of a goal's title and of an item's content. */
export const PLAN_CHARS_MAX = 2_000;
export const PLANS_PER_LIST_MAX = 1_000;

/** A list's length between 1 and the most that one list holds. */
export const listLimit = (limit: number): number =>
  Math.max(1, Math.min(PLANS_PER_LIST_MAX, Math.floor(limit)));

const GOAL_COLUMNS: SQL = sql`g.id, g.external_id as "externalId", g.title, g.status, ${msOf('g.due_at')} as "dueAt",
  ${msOf('g.created_at')} as "createdAt", ${msOf('g.updated_at')} as "updatedAt"`;

/**
 * Writes a goal. The same external id again is the same goal, which is left as it stands.
 * @param input.title 1 to PLAN_CHARS_MAX characters
 * @param input.dueAt deadline in epoch ms; null or absent: none
 * @param input.at epoch ms
 * @throws InputError for an empty, too long or invalid text, and an impossible time
 * @throws DatabaseError `constraint` when the user is unknown
 */
export async function createGoal(
  tx: Transaction,
  input: Owner & { externalId?: string | null; title: string; dueAt?: number | null; at: number },
): Promise<{ id: string; created: boolean }> {
  requireName(input.externalId, 'externalId');
  requireText(input.title, 'title', PLAN_CHARS_MAX);
  requireTime(input.dueAt, 'dueAt');
  const externalId = input.externalId ?? null;
  const at = instantOf(input.at);
  const [made] = await tx.rows<{ id: string }>(sql`
    insert into slowwave.goals (tenant, user_id, id, external_id, title, due_at, created_at, updated_at)
    values (${input.tenant}, ${input.user}, ${newId(input.at)}::uuid, ${externalId}, ${input.title},
      ${instantOf(input.dueAt ?? null)}, ${at}, ${at})
    on conflict do nothing
    returning id`);
  if (made) return { id: made.id, created: true };
  const [known] = await tx.rows<{ id: string }>(sql`
    select id from slowwave.goals where ${owned(input)} and external_id = ${externalId}`);
  return { id: known!.id, created: false };
}

/**
 * Changes what is given and leaves the rest. Open check-ins follow: they carry the new title, and those of a deadline that no longer
 * holds, or of a goal that is no longer pursued, are cancelled. Nothing is written when nothing changes.
 * @param input.id a UUID; anything else is a DatabaseError `invalid_text`
 * @param input.dueAt epoch ms; null takes the deadline away
 * @param input.at epoch ms
 * @returns the goal as it is now, null when there is none
 * @throws InputError as createGoal, and for an unknown status
 */
export async function setGoal(
  tx: Transaction,
  input: Owner & {
    id: string;
    title?: string | undefined;
    dueAt?: number | null | undefined;
    status?: GoalStatus | undefined;
    at: number;
  },
): Promise<Goal | null> {
  requireText(input.title, 'title', PLAN_CHARS_MAX);
  requireTime(input.dueAt, 'dueAt');
  if (input.status !== undefined) requireWord(input.status, 'status', GOAL_STATUSES);
  const dueAt = input.dueAt === undefined ? sql`w.due_at` : instantOf(input.dueAt);
  const [goal] = await tx.rows<Goal>(sql`
    with wanted as (
      select w.id, w.external_id, coalesce(${input.title ?? null}, w.title) as title,
        coalesce(${input.status ?? null}, w.status) as status, ${dueAt} as due_at, w.created_at, w.updated_at
      from slowwave.goals w where ${owned(input, 'w')} and w.id = ${input.id}::uuid
      for update
    ), changed as (
      update slowwave.goals g set title = w.title, status = w.status, due_at = w.due_at, updated_at = ${instantOf(input.at)}
      from wanted w
      where ${owned(input, 'g')} and g.id = w.id
        and (g.title, g.status, g.due_at) is distinct from (w.title, w.status, w.due_at)
      returning g.id, g.title, g.status, g.due_at, g.updated_at
    ), followed as (
      update slowwave.scheduled_items i set content = c.title, updated_at = c.updated_at,
        status = case when c.status = 'active' and c.due_at is not distinct from i.goal_due_at then i.status else 'cancelled' end
      from changed c
      where ${owned(input, 'i')} and i.goal_id = c.id and i.status = 'pending'
    )
    select ${GOAL_COLUMNS} from (
      select w.id, w.external_id, w.title, w.status, w.due_at, w.created_at, coalesce(c.updated_at, w.updated_at) as updated_at
      from wanted w left join changed c on c.id = w.id) as g`);
  return goal ?? null;
}

/** A user's goals, the nearest deadline first, those without one last. @param input.limit a larger one than PLANS_PER_LIST_MAX is cut */
export function listGoals(
  tx: Transaction,
  input: Owner & { status?: GoalStatus | undefined; limit: number },
): Promise<Goal[]> {
  const status = input.status ?? null;
  return tx.rows(sql`
    select ${GOAL_COLUMNS} from slowwave.goals g
    where ${owned(input, 'g')} and (${status}::text is null or g.status = ${status})
    order by g.due_at nulls last, g.id
    limit ${listLimit(input.limit)}`);
}
