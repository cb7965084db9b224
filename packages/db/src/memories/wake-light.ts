import { type SQL, sql } from 'drizzle-orm';
import { owned } from '../fusions/scope.ts';
import { instantOf } from '../instants.ts';
import { lightDueAfterWrite } from '../scheduling/settings.ts';

const CROSSING_COLUMNS = ['crosses_080_at', 'crosses_050_at', 'crosses_010_at', 'crosses_005_at'];

/** The next crossing of a row after `at` (epoch ms): a timestamptz, null when none lies ahead. */
export function nextCrossingOf(alias: string, at: number): SQL {
  const ahead = CROSSING_COLUMNS.map((name) => {
    const column = sql.raw(`${alias}.${name}`);
    return sql`case when ${column} > ${instantOf(at)} and isfinite(${column}) then ${column} end`;
  });
  return sql`least(${sql.join(ahead, sql`, `)})`;
}

/**
 * An UPDATE of user_tiers that lets light come by the time `next` (an SQL timestamptz, null for never), which is a crossing that a
 * write at `at` (epoch ms) brought about. Where light is under way, or has failed and waits for its next try, it stays due now: its
 * end then sees the new crossing, and a try that is owed is not put off.
 */
export function wakeLightBy(of: { tenant: string; user: string }, at: number, next: SQL): SQL {
  return sql`update slowwave.user_tiers set
      due_at = case when last_attempt_at >= due_at then ${lightDueAfterWrite(at)} else crossing.next end
    from (select ${next} as next) crossing
    where ${owned(of)} and tier = 'light' and (last_attempt_at >= due_at or crossing.next < due_at) and crossing.next is not null`;
}
