import { FAILPOINTS, type FailpointName } from '@slowwave/worker';

/**
 * How a job comes by. `deep`: a run that merges two duplicates and then fuses two clusters; `review`: the same for a user who is asked
 * first; `refused`: the same, the model's first answer being unusable; `retried`: two clusters that the model failed at, from the queue
 * of fusions.
 */
export type Way = 'deep' | 'review' | 'refused' | 'retried';

/** Where a worker ends. */
export interface Place {
  name: FailpointName;
  /** From 1: of a run that merges first, the first time inside a commit is the merge's and the second a cluster's. */
  nth: number;
  way: Way;
}

const ONLY_BY: Partial<Record<FailpointName, Way>> = {
  'after-proposal': 'review',
  'after-failed': 'refused',
};

/** Each of FAILPOINTS, by whichever way a job first comes by it. */
export const EVERY_NAME: readonly Place[] = FAILPOINTS.map((name) => ({
  name,
  nth: 1,
  way: ONLY_BY[name] ?? 'deep',
}));

/**
 * A kill there leaves stored what a kill at a name of the others leaves: inside a transaction that is lost as a whole, or before anything
 * more was written.
 */
const LIKE_ANOTHER: ReadonlySet<FailpointName> = new Set([
  'before-step',
  'after-read',
  'after-opened',
  'after-lapsed',
  'after-ledger',
  'after-sources',
  'after-derived',
  'after-supersede',
  'after-marked',
  'after-step',
]);

/** One place for each state of what is stored: what a change tries. */
export const EVERY_STATE = EVERY_NAME.filter(({ name }) => !LIKE_ANOTHER.has(name));
export const SAME_STATES = EVERY_NAME.filter(({ name }) => LIKE_ANOTHER.has(name));

const OF_A_COMMIT: readonly FailpointName[] = [
  'after-opened',
  'after-lapsed',
  'after-members',
  'before-transaction',
  'after-ledger',
  'after-sources',
  'after-supersede',
  'after-marked',
  'after-applied',
  'after-commit',
];
const OF_A_RETRY: readonly FailpointName[] = [
  'after-claim',
  'after-lease',
  'after-read',
  'before-model',
  'after-model',
  'after-memo',
  ...OF_A_COMMIT,
  'after-derived',
  'after-release',
  'before-ack',
];

/** Where the same name means another place: in a cluster after a merge, in a proposal, in the queue of fusions. */
export const OTHER_PLACES: readonly Place[] = [
  ...OF_A_COMMIT.map((name): Place => ({ name, nth: 2, way: 'deep' })),
  ...(['after-proposal', 'after-applied', 'after-commit'] as const).map(
    (name): Place => ({ name, nth: 2, way: 'review' }),
  ),
  ...OF_A_RETRY.map((name): Place => ({ name, nth: 1, way: 'retried' })),
];
