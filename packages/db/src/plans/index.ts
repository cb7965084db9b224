export { askCheckIns, type CheckInReport, openCheckIns } from './check-ins.ts';
export {
  createGoal,
  type Goal,
  type GoalStatus,
  listGoals,
  PLAN_CHARS_MAX,
  PLANS_PER_LIST_MAX,
  setGoal,
} from './goals.ts';
export { ITEM_GRACE_MS } from './grace.ts';
export {
  askItems,
  cancelScheduledItem,
  completeScheduledItem,
  createScheduledItem,
  expireScheduledItems,
  type ItemKind,
  type ItemStatus,
  listScheduledItems,
  nextItemExpiry,
  type ScheduledItem,
} from './items.ts';
