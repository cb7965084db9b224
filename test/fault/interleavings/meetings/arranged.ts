import type { Database } from '@slowwave/db';
import type { Meeting } from '../examine.ts';

/** Two or three operations that meet, by name; each makes its own user. */
export type Arranged = readonly [
  name: string,
  arrange: (database: Database, user: string) => Promise<Meeting>,
];

/** The guard of the lease would keep two commits apart before anything else does: off, so that they meet at all. */
export const UNLEASED = { lease: false };
