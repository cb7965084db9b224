import type { Candidate, MemoryStore } from '@slowwave/fusion';
import type { Database } from '../database.ts';
import { sourceSetOf } from '../ids.ts';
import { countLatest, loadCandidates } from '../memories/candidates.ts';
import { failFusion, storeAnswer } from './answer.ts';
import { claimFusion } from './claim.ts';
import { type CommitOptions, commitFusion } from './commit.ts';
import { listKnownSourceSets } from './load.ts';
import type { FusionScope } from './scope.ts';

/** The store of one job, and what it knows of source sets once candidates are loaded. */
export interface BoundStore extends MemoryStore {
  isKnownSourceSet(members: Candidate[]): boolean;
  /** For the share check of a single fusion. */
  countLatest(): Promise<number>;
}

/** Binds the port of the core to one user, instant, lease, step and model. */
export function createMemoryStore(
  database: Database,
  scope: FusionScope,
  options: CommitOptions = {},
): BoundStore {
  let known = new Set<string>();
  const sizes = new Map<string, number>();
  return {
    isKnownSourceSet: (members) => known.has(sourceSetOf(members)),
    countLatest: () => database.withTenant(scope.tenant, (tx) => countLatest(tx, scope)),
    loadCandidates: (window) =>
      database.withTenant(scope.tenant, async (tx) => {
        known = await listKnownSourceSets(tx, scope);
        return loadCandidates(tx, { ...scope, window });
      }),
    async claimFusion(cluster, claimOptions) {
      const claim = await claimFusion(database, scope, cluster, claimOptions);
      sizes.set(claim.key, cluster.members.length);
      return claim;
    },
    async storeAnswer(key, attempt, answer) {
      await storeAnswer(database, scope, { key, attempt, answer, sourceCount: sizes.get(key) ?? 0 });
    },
    commitFusion: (key, cluster, derived) =>
      commitFusion(database, scope, { key, cluster, derived }, options),
    failFusion: (key, failure) => failFusion(database, scope, key, failure),
  };
}
