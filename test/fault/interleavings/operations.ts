import {
  abandonRuns,
  acquireLease,
  approveFusion,
  type CommitGuards,
  createMemoryStore,
  editMemory,
  type FusionScope,
  finishRun,
  forget,
  mergeDuplicates,
  rejectFusion,
  releaseLease,
  undo,
} from '@slowwave/db';
import type { Candidate } from '@slowwave/fusion';
import { commitStatement } from '../../fixtures/commit-statement.ts';
import { clusterOf, DAY, NOW } from '../../fixtures/memories.ts';
import type { Operation } from './examine.ts';
import { ANSWER, tenant } from './people.ts';

type Guards = Partial<CommitGuards>;

/** A commit of one statement over all sources of a planned fusion. */
export function commit(
  scope: FusionScope,
  members: Candidate[],
  key: string,
  guards: Guards = {},
): Operation {
  return async (database) => {
    const result = await commitStatement(database, scope, { key, members }, { guards });
    return result.status === 'stopped' ? `stopped:${result.reason}` : result.status;
  };
}

export function claim(scope: FusionScope, members: Candidate[]): Operation {
  return async (database) => {
    const result = await createMemoryStore(database, scope).claimFusion(clusterOf(members));
    return result.status === 'skipped' ? `skipped:${result.reason}` : result.status;
  };
}

export function merge(scope: FusionScope, keep: Candidate, drop: Candidate, guards: Guards = {}): Operation {
  return async (database) => {
    const result = await mergeDuplicates(database, scope, [{ keep, drop }], { guards });
    if (result.merged > 0) return 'merged';
    return result.stale > 0 ? 'stale' : 'skipped';
  };
}

export function undoFusion(user: string, key: string): Operation {
  return async (database) => {
    const input = { tenant, user, target: { fusion: key }, at: NOW + DAY, actor: 'eva' };
    return (await undo(database, input)).status;
  };
}

export function edit(user: string, id: string): Operation {
  return async (database) => {
    const content = 'Ana keeps no bicycle in the shed any more';
    const input = { tenant, user, id, content, at: NOW + DAY, actor: 'eva' };
    const result = await database.withTenant(tenant, (tx) => editMemory(tx, input));
    if (result === null) return 'unknown';
    return result.undoneFusion === null ? 'edited' : 'edited after undo';
  };
}

/** @returns how many memories went */
export function forgetMemory(user: string, id: string): Operation {
  return async (database) => {
    const input = { tenant, user, target: { memory: id }, at: NOW + DAY, actor: 'eva' };
    const { removed } = await forget(database, input);
    return `forgot ${removed.memories.length}`;
  };
}

/** A fusion up to the answer of its model, for which somebody paid. */
export function think(scope: FusionScope, members: Candidate[]): Operation {
  return async (database) => {
    const store = createMemoryStore(database, scope);
    const found = await store.claimFusion(clusterOf(members));
    if (found.status !== 'claimed') return `skipped:${found.reason}`;
    await store.storeAnswer(found.key, found.attempt, ANSWER);
    return 'answered';
  };
}

export function approve(user: string, key: string): Operation {
  return async (database) => {
    const decision = { tenant, user, key, at: NOW, by: 'eva' };
    const result = await approveFusion(database, decision, { waitMs: 0 });
    return result.status === 'applied' && result.already ? 'already' : result.status;
  };
}

export function reject(user: string, key: string): Operation {
  return async (database) => (await rejectFusion(database, { tenant, user, key, at: NOW, by: 'eva' })).status;
}

const TTL_MS = 3_600_000;

/** @returns under which fence the user is held */
export function acquire(user: string, holder: string): Operation {
  return async (database) => {
    const result = await acquireLease(database, { tenant, user, holder, ttlMs: TTL_MS });
    return result.status === 'held' ? `held ${result.fence}` : result.status;
  };
}

/** What a worker does that takes a user over: the hold, and what became of the runs before. */
export function takeOver(user: string, holder: string): Operation {
  return async (database) => {
    const result = await acquireLease(database, { tenant, user, holder, ttlMs: TTL_MS });
    if (result.status !== 'held') return result.status;
    const { fence } = result;
    const input = { tenant, user, fence, at: NOW };
    const lost = await database.withTenant(tenant, (tx) => abandonRuns(tx, input));
    return `held, ${lost.length} lost`;
  };
}

/** The hold that a commit counts on is given up, and somebody else takes it and commits another fusion of some of the same memories. */
export function takeOverAndCommit(before: FusionScope, after: FusionScope, members: Candidate[]): Operation {
  return async (database) => {
    const { user } = before;
    await releaseLease(database, { tenant, user, ...before.lease });
    const { holder } = after.lease;
    const result = await acquireLease(database, { tenant, user, holder, ttlMs: TTL_MS });
    if (result.status !== 'held') return result.status;
    const scope = { ...after, lease: { holder, fence: result.fence } };
    const store = createMemoryStore(database, scope);
    const found = await store.claimFusion(clusterOf(members));
    if (found.status !== 'claimed') return `skipped:${found.reason}`;
    return commit(scope, members, found.key)(database);
  };
}

export function finish(user: string, runId: string, end: 'completed' | 'failed'): Operation {
  return async (database) => {
    const how =
      end === 'completed'
        ? ({ status: 'completed', nextDueAt: NOW + DAY, report: {} } as const)
        : ({
            status: 'failed',
            errorCode: 'internal',
            report: null,
            transient: false,
            quarantineAfter: 1,
          } as const);
    const input = { tenant, user, runId, at: NOW, ...how };
    const { ended } = await database.withTenant(tenant, (tx) => finishRun(tx, input));
    return ended ? end : 'not its to end';
  };
}
