export { type Begun, beginRun } from './begin-run.ts';
export { type CancelResult, cancelRun, isCancelRequested } from './cancel-run.ts';
export {
  countOverdue,
  type DueUser,
  listLeftHolds,
  OVERDUE_COUNT_MAX,
  PAGE_MAX,
  type Page,
  type RequestedUser,
  returnPage,
  type TierLoad,
  takeRequested,
} from './due.ts';
export { type DuePage, type DueTurn, TENANTS_SEEN_MAX, takeDuePage, takeDueTurn } from './due-page.ts';
export { ScheduleError, type ScheduleErrorCode } from './errors.ts';
export { type HoldInput, whileHolding } from './hold-user.ts';
export { type KeepOptions, keepLease, type LeaseKeeper } from './keep-lease.ts';
export * from './leases.ts';
export { countRunChanges, pageRuns, type RunChanges, type RunFilter } from './list-runs.ts';
export { type ListedUsers, pageUsers, USERS_PER_LIST_MAX } from './list-users.ts';
export { type BeatLook, lookForWork } from './look.ts';
export { isBoundToNight, SLEEP_GRACE_MS, waitForNight } from './night-gate.ts';
export * from './nights.ts';
export {
  listTenantPauses,
  pauseTenant,
  pauseTier,
  pauseUser,
  resumeTenant,
  resumeTier,
  resumeUser,
  type TierChoice,
} from './pauses.ts';
export {
  listQuarantined,
  NEVER_ENDED,
  QUARANTINE_LIST_MAX,
  type Quarantine,
  type QuarantinedUser,
  quarantineUser,
  type ReleaseResult,
  readQuarantine,
  releaseUser,
  UNENDED_MAX,
} from './quarantine.ts';
export * from './run-ends.ts';
export {
  askOldRuns,
  getRun,
  isFinished,
  listRuns,
  pruneRuns,
  RUNS_PER_LIST_MAX,
  type Run,
  type RunOwner,
  type RunReport,
  type RunWhy,
} from './run-records.ts';
export * from './run-requests.ts';
export * from './run-starts.ts';
export { type RunTotals, totalsOf } from './run-totals.ts';
export {
  lightDueAfterWrite,
  markLightDue,
  type SettingsChange,
  setMode,
  setUserSettings,
} from './settings.ts';
export { upcoming } from './upcoming.ts';
export { userHashOf } from './user-hash.ts';
export {
  DEFAULT_QUIET,
  ensureUsers,
  getUser,
  type NewUser,
  type ScheduledUser,
  type TierState,
  USER_MODES,
  USERS_PER_CALL_MAX,
  type UserMode,
  type UserSettings,
} from './users.ts';
