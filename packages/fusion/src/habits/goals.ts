import { DAY_MS } from '../decay.ts';

export type GoalStage = 'warning' | 'urgent' | 'overdue';

/** A goal is urgent from this long before its deadline, in milliseconds. */
export const GOAL_URGENT_MS = 2 * DAY_MS;
/** And worth a warning from this long before it. */
export const GOAL_WARNING_MS = 7 * DAY_MS;

/**
 * How pressing a deadline is: 'overdue' once it has passed, 'urgent' with at most 2 days left, 'warning' with at most 7, else null.
 *
 * @param dueAt deadline, epoch milliseconds
 * @param at the instant of the job, epoch milliseconds; the deadline itself is not yet past
 */
export function goalStage(dueAt: number, at: number): GoalStage | null {
  const left = dueAt - at;
  if (left < 0) return 'overdue';
  if (left <= GOAL_URGENT_MS) return 'urgent';
  return left <= GOAL_WARNING_MS ? 'warning' : null;
}
