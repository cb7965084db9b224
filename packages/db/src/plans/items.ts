import type { GoalStage } from '@slowwave/fusion';
import { type SQL, sql } from 'drizzle-orm';
import type { Transaction } from '../database.ts';
import { owned } from '../fusions/scope.ts';
import { newId } from '../ids.ts';
import { requireName, requireText, requireTime, requireWord } from '../input-error.ts';
import { instantOf, msOf } from '../instants.ts';
import { wakeLightBy } from '../memories/wake-light.ts';
import { mapped, type Question, theRow } from '../questions.ts';
import type { ITEM_KINDS, ITEM_STATUSES } from '../schema/plans.ts';
import { listLimit, PLAN_CHARS_MAX } from './goals.ts';
import { expiryOf, ITEM_GRACE_MS } from './grace.ts';

export type ItemKind = (typeof ITEM_KINDS)[number];
export type ItemStatus = (typeof ITEM_STATUSES)[number];

/** Something an agent should bring up at a time. Times in epoch ms. */
export interface ScheduledItem {
  id: string;
  externalId: string | null;
  kind: ItemKind;
  content: string;
  status: ItemStatus;
  dueAt: number;
  /** How it comes back, in the writer's own words; null: once. */
  recurrence: string | null;
  /** For check-ins: the goal, its deadline when the check-in was made, and how near that was. */
  goalId: string | null;
  goalDueAt: number | null;
  goalStage: GoalStage | null;
  createdAt: number;
  updatedAt: number;
}

interface Owner {
  tenant: string;
  user: string;
}

/** Check-ins are made by the deep tier, never by hand; see openCheckIns. */
const WRITABLE_KINDS = ['reminder', 'follow_up'] as const;
const RECURRENCE_CHARS_MAX = 500;

/**
 * Writes an item. The same external id again is the same item, which is left as it stands. Light comes by itself when the item would
 * expire.
 * @param input.content 1 to PLAN_CHARS_MAX characters
 * @param input.recurrence how it comes back, up to 500 characters; an item that comes back never expires
 * @param input.at epoch ms
 * @throws InputError for an empty, too long or invalid text, an unknown kind and an impossible time
 * @throws DatabaseError `constraint` when the user is unknown
 */
export async function createScheduledItem(
  tx: Transaction,
  input: Owner & {
    externalId?: string | null;
    kind: (typeof WRITABLE_KINDS)[number];
    content: string;
    /** Epoch ms. */
    dueAt: number;
    recurrence?: string | null;
    at: number;
  },
): Promise<{ id: string; created: boolean }> {
  requireName(input.externalId, 'externalId');
  requireWord(input.kind, 'kind', WRITABLE_KINDS);
  requireText(input.content, 'content', PLAN_CHARS_MAX);
  requireText(input.recurrence, 'recurrence', RECURRENCE_CHARS_MAX);
  requireTime(input.dueAt, 'dueAt');
  const externalId = input.externalId ?? null;
  const at = instantOf(input.at);
  const late = Math.max(input.at, expiryOf(input.dueAt));
  const expiry = sql`(select ${instantOf(late)} from made where recurrence is null)`;
  const [made] = await tx.rows<{ id: string }>(sql`
    with made as (
      insert into slowwave.scheduled_items (tenant, user_id, id, external_id, kind, content, due_at, recurrence, created_at,
        updated_at)
      values (${input.tenant}, ${input.user}, ${newId(input.at)}::uuid, ${externalId}, ${input.kind}, ${input.content},
        ${instantOf(input.dueAt)}, ${input.recurrence ?? null}, ${at}, ${at})
      on conflict do nothing
      returning id, recurrence
    ), woken as (${wakeLightBy(input, input.at, expiry)})
    select id from made`);
  if (made) return { id: made.id, created: true };
  const [known] = await tx.rows<{ id: string }>(sql`
    select id from slowwave.scheduled_items where ${owned(input)} and external_id = ${externalId}`);
  return { id: known!.id, created: false };
}

/**
 * A pending item has been brought up. One that comes back stays pending when its next time is given, else it is done too.
 * @param input.id a UUID; anything else is a DatabaseError `invalid_text`
 * @param input.nextDueAt epoch ms; for items that come back
 * @returns false when there is no such item or it is not pending
 */
export async function completeScheduledItem(
  tx: Transaction,
  input: Owner & { id: string; at: number; nextDueAt?: number },
): Promise<boolean> {
  requireTime(input.nextDueAt, 'nextDueAt');
  const next = instantOf(input.nextDueAt ?? null);
  const comesBack = sql`recurrence is not null and ${next} is not null`;
  const rows = await tx.rows(sql`
    update slowwave.scheduled_items set updated_at = ${instantOf(input.at)},
      status = case when ${comesBack} then status else 'done' end, due_at = case when ${comesBack} then ${next} else due_at end
    where ${owned(input)} and id = ${input.id}::uuid and status = 'pending'
    returning 1`);
  return rows.length === 1;
}

/** Takes a pending item back. @returns false when there is no such item or it is not pending */
export async function cancelScheduledItem(
  tx: Transaction,
  input: Owner & { id: string; at: number },
): Promise<boolean> {
  const rows = await tx.rows(sql`
    update slowwave.scheduled_items set status = 'cancelled', updated_at = ${instantOf(input.at)}
    where ${owned(input)} and id = ${input.id}::uuid and status = 'pending'
    returning 1`);
  return rows.length === 1;
}

const ITEM_COLUMNS: SQL = sql`i.id, i.external_id as "externalId", i.kind, i.content, i.status, ${msOf('i.due_at')} as "dueAt",
  i.recurrence, i.goal_id as "goalId", ${msOf('i.goal_due_at')} as "goalDueAt", i.goal_stage as "goalStage",
  ${msOf('i.created_at')} as "createdAt", ${msOf('i.updated_at')} as "updatedAt"`;

/** A user's items in the order of their times. @param input.limit a larger one than PLANS_PER_LIST_MAX is cut */
export function listScheduledItems(
  tx: Transaction,
  input: Owner & { status?: ItemStatus | undefined; limit: number },
): Promise<ScheduledItem[]> {
  const status = input.status ?? null;
  return tx.rows(sql`
    select ${ITEM_COLUMNS} from slowwave.scheduled_items i
    where ${owned(input, 'i')} and (${status}::text is null or i.status = ${status})
    order by i.due_at, i.id
    limit ${listLimit(input.limit)}`);
}

/** Pending items called late that do not come back and are more than a day past their time. */
function isLate(input: Owner & { at: number }): SQL {
  return sql`${owned(input, 'late')} and late.status = 'pending' and late.recurrence is null
    and late.due_at < ${instantOf(input.at - ITEM_GRACE_MS)}`;
}

/** Whether expireScheduledItems would expire something, and when the next item expires; see nextItemExpiry. */
export function askItems(
  input: Owner & { at: number },
): Question<{ late: boolean; nextExpiry: number | null }> {
  const found = theRow<{ late: boolean; dueAt: number | null }>(sql`
    select exists (select 1 from slowwave.scheduled_items late where ${isLate(input)}) as late,
      (${nextDueOf(input)}) as "dueAt"`);
  return mapped(found, ({ late, dueAt }) => ({ late, nextExpiry: expiryFrom(dueAt, input.at) }));
}

function nextDueOf(input: Owner): SQL {
  return sql`
    select ${msOf('min(due_at)')} as "dueAt" from slowwave.scheduled_items
    where ${owned(input)} and status = 'pending' and recurrence is null`;
}

const expiryFrom = (dueAt: number | null, at: number): number | null =>
  dueAt === null ? null : Math.max(at, expiryOf(dueAt));

/** Pending items that do not come back and are more than a day past their time expire, the oldest first. @returns how many */
export async function expireScheduledItems(
  tx: Transaction,
  input: Owner & { at: number; limit: number },
): Promise<number> {
  const rows = await tx.rows(sql`
    update slowwave.scheduled_items set status = 'expired', updated_at = ${instantOf(input.at)}
    where ${owned(input)} and status = 'pending' and id = any(array(
      select late.id from slowwave.scheduled_items late
      where ${isLate(input)}
      order by late.due_at, late.id
      limit ${input.limit}))
    returning 1`);
  return rows.length;
}

/**
 * When the next pending item expires: its time, a day and a millisecond. Never before `at`, since what is late already is late now.
 * @param input.at epoch ms
 * @returns epoch ms, null when none will
 */
export async function nextItemExpiry(tx: Transaction, input: Owner & { at: number }): Promise<number | null> {
  const [row] = await tx.rows<{ dueAt: number | null }>(nextDueOf(input));
  return expiryFrom(row!.dueAt, input.at);
}
