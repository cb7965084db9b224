export { markStale } from './answer.ts';
export { claimFusion } from './claim.ts';
export { type CommitOptions, commitFusion } from './commit.ts';
export * from './load.ts';
export { LeaseLost, requireLease } from './require-lease.ts';
export {
  ALL_GUARDS,
  type CommitGuards,
  type FailpointName,
  type Failpoints,
  type FusionScope,
} from './scope.ts';
export { type BoundStore, createMemoryStore } from './store.ts';
