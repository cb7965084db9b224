import { GOAL_URGENT_MS, GOAL_WARNING_MS } from '@slowwave/fusion';
import { type SQL, sql } from 'drizzle-orm';
import { uuidArray } from '../arrays.ts';
import type { Transaction } from '../database.ts';
import { owned } from '../fusions/scope.ts';
import { newId } from '../ids.ts';
import { instantOf } from '../instants.ts';
import { wakeLightBy } from '../memories/wake-light.ts';
import { mapped, type Question, theRow } from '../questions.ts';
import { PLANS_PER_LIST_MAX } from './goals.ts';
import { expiryOf } from './grace.ts';

export interface CheckInReport {
  /** Goals that are pursued and have a deadline. */
  goals: number;
  /** Those within seven days of it, within two, and past it. */
  warning: number;
  urgent: number;
  overdue: number;
  /** Check-ins that were opened now. */
  created: number;
}

/** The stage of a deadline at an instant (epoch ms), null when it is far away: the SQL twin of goalStage in the core. */
function stageOf(dueAt: SQL, at: number): SQL {
  return sql`case when ${dueAt} < ${instantOf(at)} then 'overdue'
    when ${dueAt} <= ${instantOf(at + GOAL_URGENT_MS)} then 'urgent'
    when ${dueAt} <= ${instantOf(at + GOAL_WARNING_MS)} then 'warning' end`;
}

/**
 * Opens a check-in, due now, for each goal whose deadline has come nearer than it was at the last one: one per goal, deadline and
 * stage, however often this is called. Light comes by itself when they would expire.
 * @param input.at epoch ms
 * @param input.limit check-ins of one call, at most PLANS_PER_LIST_MAX; the nearest deadlines come first, the rest the next time
 */
export async function openCheckIns(
  tx: Transaction,
  input: { tenant: string; user: string; at: number; limit: number },
): Promise<CheckInReport> {
  const at = instantOf(input.at);
  const limit = Math.max(0, Math.min(PLANS_PER_LIST_MAX, Math.floor(input.limit)));
  const ids = uuidArray(Array.from({ length: limit }, () => newId(input.at)));
  const expiry = sql`(select ${instantOf(expiryOf(input.at))} where exists (select 1 from opened))`;
  const [row] = await tx.rows<CheckInReport>(sql`
    with staged as (${stagedOf(input)}), fresh as (
      select s.*, row_number() over (order by s.due_at, s.id) as place from staged s
      where ${isFresh(input)}
      order by s.due_at, s.id
      limit ${limit}
    ), opened as (
      insert into slowwave.scheduled_items (tenant, user_id, id, kind, content, due_at, goal_id, goal_due_at, goal_stage,
        created_at, updated_at)
      select ${input.tenant}, ${input.user}, (${ids})[place], 'check_in', title, ${at}, id, due_at, stage, ${at}, ${at}
      from fresh
      on conflict do nothing
      returning 1
    ), woken as (${wakeLightBy(input, input.at, expiry)})
    select ${COUNTED}, (select count(*)::int from opened) as created
    from staged s`);
  return row!;
}

/** What openCheckIns would report, and whether it would open one. */
export function askCheckIns(input: Owner): Question<{ report: CheckInReport; fresh: boolean }> {
  const found = theRow<CheckInReport & { fresh: number }>(sql`
    select ${COUNTED}, 0 as created, count(*) filter (where ${isFresh(input)})::int as fresh
    from (${stagedOf(input)}) s`);
  return mapped(found, ({ fresh, ...report }) => ({ report, fresh: fresh > 0 }));
}

interface Owner {
  tenant: string;
  user: string;
  /** Epoch ms. */
  at: number;
}

function stagedOf(input: Owner): SQL {
  return sql`
    select g.id, g.title, g.due_at, ${stageOf(sql`g.due_at`, input.at)} as stage
    from slowwave.goals g where ${owned(input, 'g')} and g.status = 'active' and g.due_at is not null`;
}

/** A goal s that has come to a stage at which nobody brought it up. */
function isFresh(input: Owner): SQL {
  return sql`s.stage is not null and not exists (
    select 1 from slowwave.scheduled_items i
    where ${owned(input, 'i')} and i.goal_id = s.id and i.goal_due_at = s.due_at and i.goal_stage = s.stage)`;
}

const COUNTED = sql.raw(`count(*)::int as goals, count(*) filter (where stage = 'warning')::int as warning,
  count(*) filter (where stage = 'urgent')::int as urgent, count(*) filter (where stage = 'overdue')::int as overdue`);
