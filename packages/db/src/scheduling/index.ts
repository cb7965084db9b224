export * from './due.ts';
export { ScheduleError, type ScheduleErrorCode } from './errors.ts';
export { type KeepOptions, keepLease, type LeaseKeeper } from './keep-lease.ts';
export * from './leases.ts';
export * from './nights.ts';
export * from './run-records.ts';
export * from './runs.ts';
export { lightDueAfterWrite, markLightDue, type SettingsChange, setUserSettings } from './settings.ts';
export { userHashOf } from './user-hash.ts';
export {
  DEFAULT_QUIET,
  ensureUsers,
  getUser,
  type NewUser,
  type ScheduledUser,
  type TierState,
  USERS_PER_CALL_MAX,
  type UserMode,
  type UserSettings,
} from './users.ts';
