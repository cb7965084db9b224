export { BAND_POINTS_MAX, type BandPoint, type BandSeries, readBandSeries } from './band-series.ts';
export {
  countWaiting,
  DAY_COUNT_MAX,
  listPastDays,
  type PastDay,
  readTenantDay,
  type TenantDay,
  WAITING_COUNT_MAX,
  type Waiting,
} from './tenant-day.ts';
export { listTenants, TENANTS_PER_LIST_MAX } from './tenants.ts';
export { RUNS_PER_DAY_SHOWN, readTimeline, type TimelineRun } from './timeline.ts';
export {
  pageUserRows,
  USER_FILTERS,
  USERS_PER_PAGE_MAX,
  type UserFilter,
  type UserRow,
} from './user-list.ts';
