import type { Candidate, MemoryStore, Merge } from '@slowwave/fusion';
import type { Database } from '../database.ts';
import { sourceSetOf } from '../ids.ts';
import { countLatest, loadCandidates } from '../memories/candidates.ts';
import { failFusion, storeAnswer } from './answer.ts';
import { claimFusion } from './claim.ts';
import { knownSourceSets, listTakenBack, withLocalDay } from './load.ts';
import { type MergeResult, mergeDuplicates } from './merge.ts';
import type { CommitOptions, FusionScope, PlannedMerge } from './scope.ts';
import { commitStatements } from './statements.ts';

/** The store of one job, and what it knows of source sets once candidates are loaded. */
export interface BoundStore extends MemoryStore {
  /** Whether these memories must not be planned again; once candidates are loaded. */
  isKnownSourceSet(members: Candidate[]): boolean;
  /** Whether a statement of exactly these sources was taken back or turned down; once candidates, or only that, are loaded. */
  isTakenBack(members: Candidate[]): boolean;
  /** For a single fusion, which loads no candidates. */
  loadTakenBack(): Promise<void>;
  /** For the share check of a single fusion. */
  countLatest(): Promise<number>;
  /** Merges duplicates among the candidates that were loaded; each must still be what it was then. @throws LeaseLost */
  merge(merges: readonly Merge[], signal?: AbortSignal): Promise<MergeResult>;
}

/** Binds the port of the core to one user, instant, lease, step and model. */
export function createMemoryStore(
  database: Database,
  scope: FusionScope,
  options: CommitOptions = {},
): BoundStore {
  let known = new Set<string>();
  let takenBack = new Set<string>();
  let loaded = new Map<string, Candidate>();
  const sizes = new Map<string, number>();
  const plannedMerge = ({ keepId, dropId }: Merge): PlannedMerge[] => {
    const [keep, drop] = [loaded.get(keepId), loaded.get(dropId)];
    return keep && drop ? [{ keep, drop }] : [];
  };
  return {
    isKnownSourceSet: (members) => known.has(sourceSetOf(members)),
    isTakenBack: (members) => takenBack.has(sourceSetOf(members)),
    async loadTakenBack() {
      takenBack = new Set(await database.withTenant(scope.tenant, (tx) => listTakenBack(tx, scope)));
    },
    countLatest: () => database.withTenant(scope.tenant, (tx) => countLatest(tx, scope)),
    async loadCandidates(window) {
      const { known: sets, ...found } = await database.withTenant(scope.tenant, (tx) =>
        loadCandidates(tx, { ...scope, window, known: knownSourceSets(scope) }),
      );
      known = new Set(sets.map(({ set }) => set));
      takenBack = new Set(sets.flatMap((one) => (one.takenBack ? [one.set] : [])));
      const withDay = (candidate: Candidate) => withLocalDay(candidate, scope.timezone);
      const candidates = found.candidates.map(withDay);
      loaded = new Map(candidates.map((candidate) => [candidate.id, candidate]));
      const { restating } = found;
      if (!restating) return { ...found, candidates };
      const statements = restating.statements.map(withDay);
      return { ...found, candidates, restating: { ...restating, statements } };
    },
    async claimFusion(cluster, claimOptions) {
      const claim = await claimFusion(database, scope, cluster, claimOptions, options.failpoints);
      sizes.set(claim.key, cluster.members.length);
      return claim;
    },
    async storeAnswer(key, attempt, answer) {
      await storeAnswer(database, scope, { key, attempt, answer, sourceCount: sizes.get(key) ?? 0 });
    },
    commitStatements: (key, cluster, statements, of) =>
      commitStatements(database, scope, { key, cluster, statements, ...of }, options),
    failFusion: (key, failure) => failFusion(database, scope, key, failure, options.failpoints),
    merge: (merges, signal) =>
      mergeDuplicates(database, scope, merges.flatMap(plannedMerge), {
        ...options,
        ...(signal ? { signal } : {}),
      }),
  };
}
