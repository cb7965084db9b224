/** A MemoryStore in memory, for the unit tests of this package: a ledger with attempts, claims and states, and a log of its calls. */
import type { Candidate, Cluster, Edge } from '../memory.ts';
import type { DerivedMemory, MemoryStore, SkipReason, StatementsResult, StoredAnswer } from '../ports.ts';

interface Row {
  state: 'planned' | 'applied' | 'open' | 'failed';
  attempt: number;
  /** By attempt; null once rejected. */
  answers: Map<number, StoredAnswer | null>;
  code: string | null;
}

export interface TestStore extends MemoryStore {
  rows: Map<string, Row>;
  derived: Map<string, DerivedMemory>;
  superseded: Set<string>;
  /** Names of the calls that write, with key and detail, in order. */
  calls: string[];
  /** What the next commits answer instead of applying. */
  commitResults: StatementsResult[];
  /** Thrown by the call with this name, once. */
  failures: Map<string, unknown>;
  /** Keys that cannot be claimed, with the reason. */
  blocked: Map<string, SkipReason>;
}

export function keyOf(cluster: Cluster): string {
  return cluster.members
    .map(({ id, contentHash }) => `${id}:${contentHash}`)
    .sort()
    .join(',');
}

export function createTestStore(candidates: Candidate[], edges: Edge[], latestCount = 100): TestStore {
  const store: TestStore = {
    rows: new Map(),
    derived: new Map(),
    superseded: new Set(),
    calls: [],
    commitResults: [],
    failures: new Map(),
    blocked: new Map(),
    loadCandidates: async () => {
      record('load', '');
      return { candidates: candidates.filter(({ id }) => !store.superseded.has(id)), edges, latestCount };
    },
    claimFusion: async (cluster, options) => {
      const key = keyOf(cluster);
      record('claim', key, options?.retry ? ' retry' : '');
      const reason = store.blocked.get(key);
      if (reason) return { status: 'skipped', key, reason };
      const row = store.rows.get(key) ?? { state: 'planned', attempt: 1, answers: new Map(), code: null };
      store.rows.set(key, row);
      if (row.state === 'applied') return { status: 'skipped', key, reason: 'applied' };
      if (row.state !== 'planned' && !options?.retry)
        return { status: 'skipped', key, reason: 'failed_before' };
      if (row.answers.get(row.attempt) === null) row.attempt += 1;
      row.state = 'planned';
      return { status: 'claimed', key, attempt: row.attempt, answer: row.answers.get(row.attempt) ?? null };
    },
    storeAnswer: async (key, attempt, answer) => {
      record('store', key, ` ${attempt}`);
      store.rows.get(key)!.answers.set(attempt, answer);
    },
    commitStatements: async (key, _cluster, statements, { merges = [], reason }) => {
      record('commit', key, ` ${statements.length + merges.length}${reason ? ` ${reason}` : ''}`);
      const canned = store.commitResults.shift();
      if (canned) return canned;
      const row = store.rows.get(key)!;
      row.state = 'applied';
      if (statements.length + merges.length === 0) return { status: 'closed' };
      for (const { dropId } of merges) store.superseded.add(dropId);
      for (const derived of statements) {
        store.derived.set(`${key} ${derived.coveredIds.join(' ')}`, derived);
        for (const id of derived.coveredIds) store.superseded.add(id);
      }
      const derivedIds = statements.map(({ coveredIds }) => `d-${coveredIds[0]}`);
      const superseded = statements.reduce((sum, { coveredIds }) => sum + coveredIds.length, merges.length);
      return { status: 'applied', derivedIds, superseded };
    },
    failFusion: async (key, { code, final, rejectAnswer }) => {
      record('fail', key, ` ${code} ${final ? 'final' : 'open'}${rejectAnswer ? ' reject' : ''}`);
      const row = store.rows.get(key)!;
      row.state = final ? 'failed' : 'open';
      row.code = code;
      if (rejectAnswer) row.answers.set(row.attempt, null);
    },
  };

  function record(name: string, key: string, detail = ''): void {
    const first = key.split(':')[0];
    store.calls.push(`${name}${first ? ` ${first}` : ''}${detail}`);
    if (!store.failures.has(name)) return;
    const failure = store.failures.get(name);
    store.failures.delete(name);
    throw failure;
  }

  return store;
}
