import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { fuseOne, type StatementsOptions } from './attempt.ts';
import { CATEGORIES, type Candidate, type Edge } from './memory.ts';
import type { FusionEvent } from './outcome.ts';
import { DEEP_WINDOW } from './plan-config.ts';
import { type CompletionRequest, type LLMProvider, type Merge, ModelError } from './ports.ts';
import { readStatementsRequest, type StatementNote } from './statements/prompt.ts';
import { type FusionReport, type FusionStepOptions, runFusionStep } from './step.ts';
import { createTestStore, type TestStore } from './testing/memory-store.ts';
import { AT, candidate, neighbour, relation } from './testing/samples.ts';
import { answerStatements, joinNotes } from './testing/statement-model.ts';

const LETTERS = ['a', 'b', 'c', 'd', 'e'];
const CANARY = 'Zanzibar';

/** Clusters of three, each of a category of its own, so that none shares a request: a1..a3, b1..b3, ... */
function clusters(count: number): { candidates: Candidate[]; edges: Edge[] } {
  const letters = LETTERS.slice(0, count);
  return {
    candidates: letters.flatMap((letter, at) =>
      [1, 2, 3].map((n) =>
        candidate({
          id: letter + n,
          category: CATEGORIES[at]!,
          content: `Is really fond of ${CANARY} ${letter}word${letter} ${n}`,
        }),
      ),
    ),
    edges: letters.flatMap((letter) => [
      relation(`${letter}1`, `${letter}2`),
      relation(`${letter}2`, `${letter}3`),
    ]),
  };
}

type Reply = Record<string, unknown> | string | Error | ((request: CompletionRequest) => Promise<never>);

/** Answers with a good statement unless a reply for the first source's letter is waiting. */
function model(replies: Record<string, Reply[]> = {}): LLMProvider & { requests: CompletionRequest[] } {
  const requests: CompletionRequest[] = [];
  return {
    name: 'fake',
    requests,
    isAvailable: () => true,
    complete: async (request) => {
      requests.push(request);
      const sources = readStatementsRequest(request)!;
      const letter = /(\w)word/.exec(sources[0]!.text)![1]!;
      const reply = replies[letter]?.shift();
      if (reply instanceof Error) throw reply;
      if (typeof reply === 'function') return reply(request);
      const text = typeof reply === 'string' ? reply : JSON.stringify(reply ?? good(sources));
      const usage = { inputTokens: 10, outputTokens: 5 };
      return { content: [{ type: 'text', text }], stopReason: 'end_turn', usage, model: 'fake-1' };
    },
  };
}

function good(sources: StatementNote[]): Record<string, unknown> {
  const letter = /(\w)word/.exec(sources[0]!.text)![1];
  const text = `Is fond of ${CANARY} ${letter}word${letter} ${sources.map(({ text }) => text.at(-1)).join(', ')}`;
  return { statements: [{ sources: sources.map(({ n }) => n), text }], conflicts: [] };
}

const UNREADABLE = 'no json';

/** A judge who finds nothing wrong, and whose answers cost nothing. */
const statements: StatementsOptions = {
  judge: () => ({
    isExamined: true,
    hash: (text) => createHash('sha256').update(text).digest('hex'),
    ask: async ({ request }) => {
      const content = request.messages.map((message) => message.content).join('\n');
      const answer = answerStatements(content, { write: joinNotes }).answer();
      const text = JSON.stringify(answer);
      return { text, stopReason: 'end_turn', inputTokens: 0, outputTokens: 0, model: 'judge' };
    },
  }),
};

async function run(
  store: TestStore,
  provider: LLMProvider,
  overrides: Partial<FusionStepOptions> = {},
): Promise<FusionReport> {
  return runFusionStep({
    store,
    provider,
    tier: 'deep',
    window: DEEP_WINDOW,
    at: AT,
    nowMs: () => 0,
    statements,
    ...overrides,
  });
}

function storeOf(count: number, latestCount = 100): TestStore {
  const { candidates, edges } = clusters(count);
  return createTestStore(candidates, edges, latestCount);
}

function statuses(report: FusionReport): string[] {
  return report.outcomes.map((one) => ('code' in one ? `${one.status} ${one.code}` : one.status));
}

describe('a step', () => {
  it('claims, asks, stores before it judges, commits, cluster by cluster', async () => {
    const store = storeOf(2);
    const report = await run(store, model());
    expect(store.calls).toEqual([
      'load',
      'claim a1',
      'store a1 1',
      'commit a1 1',
      'claim b1',
      'store b1 1',
      'commit b1 1',
    ]);
    expect(report).toMatchObject({
      counts: { committed: 2, skipped: 0, stale: 0, failed: 0, deferred: 0 },
      superseded: 6,
      usage: { calls: 2, inputTokens: 20, outputTokens: 10 },
      plan: { considered: 6, clusters: 2 },
      stopped: null,
    });
    expect(report.outcomes[0]).toMatchObject({
      derivedIds: ['d-a1'],
      superseded: 3,
      memberIds: ['a1', 'a2', 'a3'],
    });
    expect([...store.derived.values()][0]).toMatchObject({
      learnedFrom: 'consolidation',
      coveredIds: ['a1', 'a2', 'a3'],
    });
  });

  it('makes no call when everything is done', async () => {
    const store = storeOf(1);
    await run(store, model());
    const again = model();
    const report = await run(store, again);
    expect(again.requests).toEqual([]);
    expect(report.outcomes).toEqual([]);
  });

  it('uses a paid answer again', async () => {
    const store = storeOf(1);
    store.failures.set('commit', new Error('connection lost'));
    const first = await run(store, model());
    expect(statuses(first)).toEqual(['failed unexpected_error']);
    const silent = model();
    const second = await run(store, silent);
    expect(silent.requests).toEqual([]);
    expect(second.counts.committed).toBe(1);
  });

  it('does not judge an answer that could not be stored', async () => {
    const store = storeOf(2);
    store.failures.set('store', Object.assign(new Error(`text with ${CANARY}`), { code: '40001' }));
    const report = await run(store, model());
    expect(store.calls.some((call) => call.startsWith('commit a1'))).toBe(false);
    expect(report.outcomes[0]).toMatchObject({
      status: 'failed',
      code: 'unexpected_error',
      errorCode: '40001',
      retryable: true,
    });
    expect(report.outcomes[1]).toMatchObject({ status: 'committed' });
  });

  it('fails as a whole only when loading does', async () => {
    const store = storeOf(1);
    store.failures.set('load', new Error('down'));
    await expect(run(store, model())).rejects.toThrow('down');
  });

  it('carries no memory text in report and events', async () => {
    const events: FusionEvent[] = [];
    const provider = model({ a: [UNREADABLE, UNREADABLE], b: [new Error(CANARY)], c: ['no json'] });
    const report = await run(storeOf(4), provider, { onEvent: (event) => events.push(event) });
    expect(JSON.stringify({ report, events })).not.toMatch(new RegExp(`${CANARY}|fond|([abcd])word\\1`, 'i'));
    expect(new Set(events.map(({ type }) => type))).toEqual(
      new Set(['planned', 'cluster_started', 'model_answered', 'judged', 'repair', 'cluster_ended']),
    );
  });

  it('survives a listener that throws', async () => {
    const onEvent = (): void => {
      throw new Error('listener');
    };
    expect((await run(storeOf(1), model(), { onEvent })).counts.committed).toBe(1);
  });

  it('measures by the clock it is given', async () => {
    let now = 0;
    const nowMs = (): number => (now += 10);
    const report = await run(storeOf(1), model(), { nowMs });
    expect(report.loadMs).toBe(10);
    expect(report.durationMs).toBeGreaterThan(report.outcomes[0]!.durationMs);
  });
});

describe('repair', () => {
  it('asks once more where an answer cannot be read, as a new attempt', async () => {
    const store = storeOf(1);
    const provider = model({ a: [UNREADABLE] });
    const report = await run(store, provider);
    expect(store.calls).toEqual([
      'load',
      'claim a1',
      'store a1 1',
      'fail a1 invalid_output open reject',
      'claim a1 retry',
      'store a1 2',
      'commit a1 1',
    ]);
    expect(report).toMatchObject({ counts: { committed: 1 }, usage: { calls: 2 } });
  });

  it('fails with its reason after one repair, and its neighbours go on', async () => {
    const store = storeOf(3);
    const report = await run(store, model({ b: [UNREADABLE, UNREADABLE] }));
    expect(statuses(report)).toEqual(['committed', 'failed invalid_output', 'committed']);
    expect(report.outcomes[1]).toMatchObject({
      retryable: false,
      key: expect.stringContaining('b1'),
      problem: 'not_json',
    });
    expect(store.calls).toContain('fail b1 invalid_output final reject');
    expect(store.superseded.has('b1')).toBe(false);
  });

  it.each([
    [0, 1],
    [2, 3],
  ])('with %d repairs allowed asks %d times', async (maxRepairs, calls) => {
    const provider = model({ a: [UNREADABLE, UNREADABLE, UNREADABLE, UNREADABLE] });
    await run(storeOf(1), provider, { maxRepairs });
    expect(provider.requests).toHaveLength(calls);
  });

  it('does not repair a refusal', async () => {
    const store = storeOf(1);
    const provider = model();
    const refusing: LLMProvider = {
      ...provider,
      complete: async (request) => ({ ...(await provider.complete(request)), stopReason: 'refusal' }),
    };
    expect(statuses(await run(store, refusing))).toEqual(['failed refused']);
    expect(store.calls).toContain('fail a1 refused final reject');
  });

  it('leaves an answer that was read wrongly for whoever retries it', async () => {
    const store = storeOf(1);
    await run(store, model({ a: ['no json', 'no json'] }));
    const { candidates, edges } = clusters(1);
    const [cluster] = [{ members: candidates, relations: edges }];
    const base = {
      store,
      provider: model(),
      tier: 'deep',
      at: AT,
      nowMs: () => 0,
      latestCount: 100,
      statements,
    } as const;
    expect(await fuseOne(cluster!, base)).toMatchObject({ status: 'skipped', reason: 'failed_before' });
    expect(await fuseOne(cluster!, { ...base, retry: true })).toMatchObject({ status: 'committed' });
  });
});

describe('model errors', () => {
  it('ends calls at a rate limit, gives the rest keys, and still uses a paid answer', async () => {
    const store = storeOf(3);
    store.failures.set('commit', new Error('connection lost'));
    // A first run paid for c and could not commit it.
    const { candidates, edges } = clusters(3);
    const cluster = { members: candidates.slice(6), relations: edges.slice(4) };
    await fuseOne(cluster, {
      store,
      provider: model(),
      tier: 'deep',
      at: AT,
      nowMs: () => 0,
      latestCount: 100,
      statements,
    });
    const limited = model({ a: [new ModelError('rate_limited', { retryable: true, retryAfterMs: 7_000 })] });
    const report = await run(store, limited);
    expect(limited.requests).toHaveLength(1);
    expect(statuses(report)).toEqual(['deferred rate_limited', 'deferred rate_limited', 'committed']);
    expect(report).toMatchObject({ stopped: 'rate_limited', retryAfterMs: 7_000 });
    for (const outcome of report.outcomes.slice(0, 2)) {
      expect(outcome).toMatchObject({ key: expect.any(String), retryAfterMs: 7_000 });
    }
    expect(store.calls).toContain('fail b1 rate_limited open');
  });

  it.each([
    ['the key is refused', 'auth', false],
    ['a budget is used up', 'budget', true],
  ] as const)('ends model work when %s', async (_why, code, retryable) => {
    const store = storeOf(3);
    const provider = model({ a: [new ModelError(code, { retryable })] });
    const report = await run(store, provider);
    expect(provider.requests).toHaveLength(1);
    expect(statuses(report)).toEqual([`deferred ${code}`, `deferred ${code}`, `deferred ${code}`]);
    expect(report.outcomes.map((one) => one.status === 'deferred' && one.key !== null)).toEqual([
      true,
      false,
      false,
    ]);
    expect(report.stopped).toBe(code);
    expect(store.calls).toContain(`fail a1 ${code} open`);
  });

  it.each([
    ['overloaded', true, 'fail a1 provider_error_overloaded open'],
    ['timeout', true, 'fail a1 provider_error_timeout open'],
    ['too_large', false, 'fail a1 provider_error_too_large final'],
  ] as const)('isolates %s', async (code, retryable, call) => {
    const store = storeOf(2);
    const report = await run(store, model({ a: [new ModelError(code, { retryable })] }));
    expect(report.outcomes[0]).toMatchObject({
      status: 'failed',
      code: 'provider_error',
      modelCode: code,
      retryable,
    });
    expect(report.outcomes[1]).toMatchObject({ status: 'committed' });
    expect(store.calls).toContain(call);
  });

  it('takes a stranger for retryable', async () => {
    const report = await run(storeOf(1), model({ a: [new TypeError('x')] }));
    expect(report.outcomes[0]).toMatchObject({
      code: 'provider_error',
      modelCode: null,
      errorCode: 'TypeError',
      retryable: true,
    });
  });

  it('asks nobody who is not available', async () => {
    const store = storeOf(2);
    const report = await run(store, { ...model(), isAvailable: () => false });
    expect(statuses(report)).toEqual(['deferred unavailable', 'deferred unavailable']);
    expect(store.calls).toEqual(['load']);
  });
});

describe('stopping', () => {
  it('stops at once when aborted during a call, even when the model is deaf', async () => {
    const store = storeOf(2);
    const controller = new AbortController();
    const deaf = (): Promise<never> => {
      controller.abort();
      return new Promise<never>(() => {});
    };
    const report = await run(store, model({ a: [deaf] }), { signal: controller.signal });
    expect(statuses(report)).toEqual(['deferred aborted', 'deferred aborted']);
    // Nothing is written after an abort: the lease may be someone else's.
    expect(store.calls).toEqual(['load', 'claim a1']);
    expect(report.stopped).toBe('aborted');
  });

  it('does not commit what was answered after an abort, but keeps the paid answer', async () => {
    const store = storeOf(1);
    const controller = new AbortController();
    const provider = model();
    const late: LLMProvider = { ...provider, complete: provider.complete };
    const onEvent = (event: FusionEvent): void => {
      if (event.type === 'model_answered') controller.abort();
    };
    const report = await run(store, late, { signal: controller.signal, onEvent });
    expect(statuses(report)).toEqual(['deferred aborted']);
    expect(store.calls).toEqual(['load', 'claim a1', 'store a1 1']);
  });

  it('begins nothing after the deadline', async () => {
    const store = storeOf(3);
    let now = 0;
    const provider = model();
    const slow: LLMProvider = {
      ...provider,
      complete: async (request) => {
        now += 60;
        return provider.complete(request);
      },
    };
    const report = await run(store, slow, { nowMs: () => now, deadlineMs: 100 });
    expect(statuses(report)).toEqual(['committed', 'committed', 'deferred deadline']);
    expect(report.cutShort).toBe(false);
    expect(report.outcomes[2]).toMatchObject({ key: null });
  });

  it('ends a gate between two statements once its own work has taken what was left of the time', async () => {
    const store = storeOf(1);
    let now = 0;
    let pauses = 0;
    const pause = async (): Promise<void> => {
      pauses += 1;
      if (store.calls.includes('claim a1')) now += 60;
    };
    const provider = model();
    const report = await run(store, provider, { nowMs: () => now, deadlineMs: 100, pause });
    expect(pauses).toBeGreaterThan(1);
    expect(report).toMatchObject({ stopped: 'deadline', cutShort: true, counts: { deferred: 1 } });
    expect(store.calls).toEqual(['load', 'claim a1', 'store a1 1', 'fail a1 deadline open']);
    // The time that the judge takes is none of the gate's own.
    const { judge } = statements;
    const patient: StatementsOptions = {
      judge: (fusion) => {
        const inner = judge!(fusion);
        const ask: typeof inner.ask = (question) => {
          now += 1_000;
          return inner.ask(question);
        };
        return { ...inner, ask };
      },
    };
    now = 0;
    const other = storeOf(1);
    const judged = await run(other, model(), { nowMs: () => now, deadlineMs: 100, statements: patient });
    expect(statuses(judged)).toEqual(['committed']);
  });

  it('ends a plan that takes longer than is left of the time: nothing is claimed, and a later run plans again', async () => {
    let now = 0;
    const pause = async (): Promise<void> => {
      now += 100;
    };
    const store = storeOf(3);
    const report = await run(store, model(), { nowMs: () => now, deadlineMs: 100, pause });
    expect(report).toMatchObject({ stopped: 'deadline', cutShort: true, outcomes: [] });
    expect(report.plan).toMatchObject({ considered: 9, clusters: 0 });
    expect(store.calls).toEqual(['load']);
  });

  it('does not repair after the deadline, but leaves the key open', async () => {
    const store = storeOf(1);
    let now = 0;
    const provider = model({ a: [UNREADABLE] });
    const onEvent = (event: FusionEvent): void => {
      if (event.type === 'model_answered') now = 100;
    };
    const report = await run(store, provider, { nowMs: () => now, deadlineMs: 100, onEvent });
    expect(report.outcomes[0]).toMatchObject({
      status: 'deferred',
      code: 'deadline',
      key: expect.any(String),
    });
    expect(store.calls.slice(-3)).toEqual([
      'fail a1 invalid_output open reject',
      'claim a1 retry',
      'fail a1 deadline open',
    ]);
  });

  it('stops when the lease is lost, said or thrown', async () => {
    const said = storeOf(2);
    said.commitResults.push({ status: 'lease_lost' });
    expect(statuses(await run(said, model()))).toEqual(['deferred lease_lost', 'deferred lease_lost']);
    expect(said.calls.filter((call) => call.startsWith('claim'))).toHaveLength(1);
    const thrown = storeOf(2);
    thrown.failures.set('claim', Object.assign(new Error('gone'), { code: 'lease_lost' }));
    expect((await run(thrown, model())).stopped).toBe('lease_lost');
  });
});

describe('what the store answers', () => {
  it('is passed on', async () => {
    const store = storeOf(5);
    store.blocked.set('a1:hash-a1,a2:hash-a2,a3:hash-a3', 'undone');
    store.blocked.set('b1:hash-b1,b2:hash-b2,b3:hash-b3', 'stale');
    store.commitResults.push(
      { status: 'stale' },
      { status: 'stopped', reason: 'forgotten' },
      { status: 'closed' },
    );
    const report = await run(store, model());
    expect(report.outcomes).toMatchObject([
      { status: 'skipped', reason: 'undone' },
      { status: 'stale' },
      { status: 'stale' },
      { status: 'skipped', reason: 'forgotten' },
      { status: 'closed' },
    ]);
    expect(report.superseded).toBe(0);
  });
});

describe('the share of one run', () => {
  it('supersedes no more than 16 of a small memory, and pays no call for what it may not use', async () => {
    const store = storeOf(5, 20);
    const provider = model();
    const report = await run(store, provider, { alreadySuperseded: 6 });
    expect(statuses(report)).toEqual([
      'committed',
      'committed',
      'committed',
      'deferred share_exceeded',
      'deferred share_exceeded',
    ]);
    expect(provider.requests).toHaveLength(3);
    expect(report).toMatchObject({ superseded: 9, stopped: null });
  });

  it.each(['proposed', 'previewed'] as const)('counts what was only %s as well', async (status) => {
    const store = storeOf(5, 20);
    for (let index = 0; index < 3; index += 1)
      store.commitResults.push({ status, derivedIds: [`d${index}`], superseded: 0 });
    const provider = model();
    const report = await run(store, provider, { alreadySuperseded: 6 });
    expect(statuses(report)).toEqual([
      status,
      status,
      status,
      'deferred share_exceeded',
      'deferred share_exceeded',
    ]);
    expect(provider.requests).toHaveLength(3);
    expect(report).toMatchObject({ superseded: 0, stopped: null });
  });

  it.each([
    { merged: 3, proposed: 0 },
    { merged: 0, proposed: 3 },
  ])('counts duplicates that were merged or proposed: %o', async (done) => {
    const report = await run(withDuplicates(3), model(), { alreadySuperseded: 7, merge: async () => done });
    expect(statuses(report)).toEqual(['committed', 'committed', 'deferred share_exceeded']);
    expect(report.merged).toBe(done.merged);
  });

  it('hands over no more duplicates than fit', async () => {
    const handed: Merge[] = [];
    await run(withDuplicates(3), model(), {
      alreadySuperseded: 14,
      merge: async (merges) => {
        handed.push(...merges);
        return { merged: merges.length, proposed: 0 };
      },
    });
    expect(handed).toHaveLength(2);
  });

  it('asks for no merge when nothing fits, when it is stopped, or without duplicates', async () => {
    const merge = async (): Promise<never> => expect.fail('nothing was to be merged');
    await run(withDuplicates(3), model(), { alreadySuperseded: 16, merge });
    await run(withDuplicates(3), model(), { signal: AbortSignal.abort(), merge });
    await run(storeOf(3), model(), { merge });
  });
});

/** Three clusters and pairs that say the same. */
function withDuplicates(pairs: number): TestStore {
  const { candidates, edges } = clusters(3);
  for (let n = 1; n <= pairs; n += 1) {
    const content = `Keeps the spare key number ${n} in the shed`;
    candidates.push(candidate({ id: `x${n}`, content }), candidate({ id: `y${n}`, content }));
    edges.push(neighbour(`x${n}`, `y${n}`, 0.97));
  }
  return createTestStore(candidates, edges, 20);
}
