import type { Arranged } from './arranged.ts';
import { CHANGES } from './changes.ts';
import { CLAIMS } from './claims.ts';
import { COMMITS } from './commits.ts';
import { HOLDS } from './holds.ts';
import { REVIEWS } from './reviews.ts';

export const MEETINGS: readonly Arranged[] = [...COMMITS, ...CLAIMS, ...CHANGES, ...REVIEWS, ...HOLDS];
