import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { askModel } from '../ask.ts';
import { fuseOne, type OpenJudge } from '../attempt.ts';
import type { Candidate, Cluster } from '../memory.ts';
import type { FusionEvent } from '../outcome.ts';
import { ModelError } from '../ports.ts';
import { createTestStore } from '../testing/memory-store.ts';
import { AT, candidate, DAY } from '../testing/samples.ts';
import {
  createStatementModel,
  type StatementModel,
  type StatementScript,
} from '../testing/statement-model.ts';
import { type DecideContext, decideStatements } from './decide.ts';
import { buildStatementsRequest } from './prompt.ts';
import type { JudgeQuestion, StatementJudge } from './verdicts.ts';

const NOTES = [
  'Mara keeps two hens in the garden.',
  'One of the hens that Mara keeps is called Frieda.',
  'Mara may sell the car in spring.',
  'In spring Mara may sell the car, if Ben agrees.',
  'Frieda, the brown hen of Mara, lays no eggs in winter.',
];
const HENS = 'Mara keeps two hens in the garden; Frieda, the brown one, lays no eggs in winter.';
const CAR = 'Mara may sell the car in spring if Ben agrees.';

function clusterOf(notes: readonly string[] = NOTES): Cluster {
  const members: Candidate[] = notes.map((content, at) => candidate({ id: `n${at + 1}`, content }));
  return { members, relations: [] };
}

const hash = (text: string): string => {
  let state = 11;
  let hex = '';
  for (let round = 0; round < 8; round += 1) {
    for (const sign of text) state = (Math.imul(state, 33) + sign.codePointAt(0)! + round) >>> 0;
    hex += state.toString(16).padStart(8, '0');
  }
  return hex;
};

const statements = (...given: [number[], string][]) => ({
  statements: given.map(([sources, text]) => ({ sources, text })),
  conflicts: [],
});

/** A judge that remembers its answers, as the one of the tiers does. */
function judgeBy(
  model: StatementModel,
  mayCall = () => {},
): StatementJudge & { stored: Map<string, unknown> } {
  const stored = new Map<string, Awaited<ReturnType<StatementJudge['ask']>>>();
  return {
    stored,
    isExamined: false,
    hash,
    async ask({ purpose, about, request }: JudgeQuestion) {
      const key = `${purpose} ${about}`;
      const found = stored.get(key);
      if (found) return found;
      mayCall();
      const answer = await askModel(model, request);
      stored.set(key, answer);
      return answer;
    },
  };
}

async function decide(script: StatementScript, more: Partial<DecideContext> = {}, cluster = clusterOf()) {
  const model = createStatementModel(script);
  const answer = await askModel(model, buildStatementsRequest(cluster));
  const context: DecideContext = {
    tier: 'deep',
    at: AT,
    latestCount: 1_000,
    alreadySuperseded: 0,
    judge: judgeBy(model),
    repairs: true,
    ...more,
  };
  const verdict = await decideStatements(cluster, answer, context);
  return { verdict, model, texts: verdict.ok ? verdict.derived.map(({ content }) => content) : null };
}

describe('statements', () => {
  it('are judged twice, each for itself, and become a derived memory each', async () => {
    const { verdict, model, texts } = await decide({
      write: () => statements([[1, 2, 5], HENS], [[3, 4], CAR]),
    });
    expect(texts).toEqual([HENS, CAR]);
    expect(model.kinds).toEqual(['write', 'judge', 'judge']);
    expect(verdict).toMatchObject({
      ok: true,
      decided: [{ lane: 'judged' }, { lane: 'judged' }],
      counts: { covered: 5 },
    });
    const [hens] = verdict.ok ? verdict.derived : [];
    expect(hens).toMatchObject({
      coveredIds: ['n1', 'n2', 'n5'],
      metadata: { sourceIds: ['n1', 'n2', 'n5'] },
    });
    expect(hens!.metadata).not.toHaveProperty('uncoveredIds');
  });

  it.each([
    ['facts', {}, 'repeat'],
    ['events', { category: 'event' as const }, 'no_judge'],
    ['facts, of which one has a time of its own,', { validFrom: AT }, 'no_judge'],
  ])(
    'that repeat %s of two days, without a judge: the lane that their days allow',
    async (_what, more, lane) => {
      const text = 'Mara keeps two hens. She sells eggs.';
      const members = ['Mara keeps two hens.', text].map((content, at) =>
        candidate({ id: `n${at + 1}`, content, documentDate: AT - at * DAY, ...(at === 0 ? more : {}) }),
      );
      const write = () => statements([[1, 2], text]);
      const { verdict } = await decide({ write }, { judge: null }, { members, relations: [] });
      expect(verdict).toMatchObject({ decided: [{ lane }] });
      const oneDay = members.map((member) => ({ ...member, documentDate: AT }));
      const { verdict: again } = await decide({ write }, { judge: null }, { members: oneDay, relations: [] });
      expect(again).toMatchObject({ decided: [{ lane: 'repeat' }] });
    },
  );

  it('are refused by the floor without a judge, and the writer is told what was lost', async () => {
    const lossy = 'Mara keeps hens in the garden; the brown one lays no eggs in winter.';
    const { model, texts, verdict } = await decide({
      write: (_, repair) => statements([[1, 2, 5], repair ? HENS : lossy]),
    });
    expect(model.kinds).toEqual(['write', 'repair', 'judge', 'judge']);
    expect(model.requests[1]!.messages[0]!.content).toContain('frieda');
    expect(texts).toEqual([HENS]);
    expect(verdict).toMatchObject({ decided: [{ lane: 'judged' }] });
  });

  it('that a judge finds something lost in are mended once and no more', async () => {
    const { model, texts, verdict } = await decide({
      write: () => statements([[3, 4], CAR], [[1, 2, 5], HENS]),
      judge: ({ statement }) => (statement === HENS ? 'changed' : 'same'),
    });
    expect(model.kinds).toEqual(['write', 'judge', 'judge', 'repair', 'judge', 'judge']);
    expect(texts).toEqual([CAR]);
    expect(verdict).toMatchObject({ decided: [{ lane: 'judged' }, { lane: 'differs' }] });
  });

  it.each([
    ['accepts what is changed', () => 'same' as const],
    ['refuses what is the same', () => 'changed' as const],
  ])('are not accepted by a judge that %s', async (_name, canary) => {
    const { texts, verdict, model } = await decide({ write: () => statements([[3, 4], CAR]), canary });
    expect(texts).toEqual([]);
    expect(verdict).toMatchObject({ decided: [{ lane: 'canary' }] });
    expect(model.kinds).not.toContain('repair');
  });

  it('that only repeat their sources need no judge, and without one nothing else is joined', async () => {
    const twice = ['Ada has a boat. It is blue.', 'It is blue.', 'Ada has a boat.'];
    const cluster = clusterOf(twice);
    const write = () => statements([[1, 2, 3], 'Ada has a boat. It is blue.']);
    expect((await decide({ write }, { judge: null }, cluster)).texts).toEqual([twice[0]]);
    const other = await decide({ write: () => statements([[3, 4], CAR]) }, { judge: null });
    expect(other.texts).toEqual([]);
    expect(other.verdict).toMatchObject({ decided: [{ lane: 'no_judge' }] });
  });

  it('none is a good answer', async () => {
    const { verdict, model } = await decide({ write: () => statements() });
    expect(verdict).toMatchObject({ ok: true, derived: [], decided: [] });
    expect(model.kinds).toEqual(['write']);
  });

  it('leave alone what is disputed, and what was taken back or turned down before', async () => {
    const conflicts = [{ a: 3, b: 4, kind: 'contradictory', slot: 'whether Ben has a say' }];
    const write = () => ({ ...statements([[3, 4], CAR], [[1, 2, 5], HENS]), conflicts });
    const isKnown = (members: Candidate[]) => members.some(({ id }) => id === 'n1');
    const { verdict, texts } = await decide({ write }, { isKnown });
    expect(texts).toEqual([]);
    expect(verdict).toMatchObject({ decided: [{ lane: 'known' }], conflicts: [{ a: 'n3', b: 'n4' }] });
  });

  it('supersede no more than one run may', async () => {
    const write = () => statements([[1, 2, 5], HENS], [[3, 4], CAR]);
    const { texts, verdict } = await decide({ write }, { latestCount: 10, alreadySuperseded: 13 });
    expect(texts).toEqual([HENS]);
    expect(verdict).toMatchObject({ decided: [{ lane: 'judged' }, { lane: 'over_share' }] });
  });

  it.each([
    ['Nothing.', 'not_json'],
    ['{"answer":[]}', 'statements_missing'],
    ['{"statements":[],"conflicts":7}', 'conflicts_invalid'],
  ])('that cannot be read (%s) fail, and say why', async (write, problem) => {
    const { verdict } = await decide({ write: () => write });
    expect(verdict).toEqual({ ok: false, reason: 'invalid_output', problem });
  });

  it('whatever writer and judge say, keep the hard facts of their sources, and touch each source once', async () => {
    const texts = fc.constantFrom(
      HENS,
      CAR,
      'Mara keeps three hens.',
      'Ben sold 12 boats on 3 May 2020.',
      '',
      NOTES[0]!,
    );
    const proposal = fc.tuple(fc.array(fc.integer({ min: 0, max: 6 }), { maxLength: 6 }), texts);
    const judgement = fc.constantFrom('same' as const, 'lost' as const, 'added' as const, 'changed' as const);
    await fc.assert(
      fc.asyncProperty(fc.array(proposal, { maxLength: 4 }), judgement, async (given, says) => {
        const { verdict } = await decide({ write: () => statements(...given), judge: () => says });
        if (!verdict.ok) throw new Error('readable, and yet refused');
        const covered = verdict.derived.flatMap(({ coveredIds }) => coveredIds);
        expect(new Set(covered).size).toBe(covered.length);
        for (const { content, coveredIds } of verdict.derived) {
          expect(coveredIds.length).toBeGreaterThan(1);
          expect(content).not.toMatch(/three|12/);
          if (content !== NOTES[0]) expect(says).toBe('same');
        }
      }),
      { numRuns: 60 },
    );
  });
});

describe('an attempt at statements', () => {
  const open =
    (model: StatementModel, remembered = new Map<string, unknown>()): OpenJudge =>
    ({ mayCall }) => {
      const judge = judgeBy(model, mayCall);
      const { stored } = judge;
      for (const [key, value] of remembered) stored.set(key, value);
      return {
        ...judge,
        async ask(question) {
          const answer = await judge.ask(question);
          for (const [key, value] of stored) remembered.set(key, value);
          return answer;
        },
      };
    };
  const base = (model: StatementModel) => ({
    provider: model,
    tier: 'deep' as const,
    at: AT,
    nowMs: () => 0,
    latestCount: 1_000,
  });

  it('commits what was accepted, and closes what came to nothing with its reason', async () => {
    const cluster = clusterOf();
    const model = createStatementModel({ write: () => statements([[3, 4], CAR]) });
    const store = createTestStore(cluster.members, []);
    const outcome = await fuseOne(cluster, { ...base(model), store, statements: { judge: open(model) } });
    expect(outcome).toMatchObject({
      status: 'committed',
      superseded: 2,
      usage: { calls: 3, inputTokens: 300 },
      decided: [{ lane: 'judged' }],
    });
    expect([...store.superseded]).toEqual(['n3', 'n4']);

    const refusing = createStatementModel({ write: () => statements([[3, 4], CAR]), judge: () => 'changed' });
    const other = createTestStore(cluster.members, []);
    const closed = await fuseOne(cluster, {
      ...base(refusing),
      store: other,
      statements: { judge: open(refusing) },
    });
    expect(closed).toMatchObject({ status: 'closed', decided: [{ lane: 'differs' }] });
    expect(other.calls.at(-1)).toMatch(/commit .* 0 differs/);
    expect(other.superseded.size).toBe(0);
  });

  it('goes on with the answers it had when its judge did not answer', async () => {
    const cluster = clusterOf();
    let asked = 0;
    const model = createStatementModel({
      write: () => statements([[3, 4], CAR]),
      before: () => {
        asked += 1;
        if (asked === 3) throw new ModelError('rate_limited', { retryable: true });
      },
    });
    const store = createTestStore(cluster.members, []);
    const remembered = new Map<string, unknown>();
    const options = { ...base(model), store, statements: { judge: open(model, remembered) } };
    expect(await fuseOne(cluster, options)).toMatchObject({ status: 'deferred', code: 'rate_limited' });
    expect(store.superseded.size).toBe(0);
    const again = await fuseOne(cluster, { ...options, retry: true });
    expect(again).toMatchObject({ status: 'committed', usage: { calls: 1 } });
    expect(model.kinds).toEqual(['write', 'judge', 'judge', 'judge']);
  });

  it('does not commit what was judged after an abort', async () => {
    const cluster = clusterOf();
    const stop = new AbortController();
    const model = createStatementModel({ write: () => statements([[3, 4], CAR]), judge: () => 'same' });
    const store = createTestStore(cluster.members, []);
    // All votes are there, and the gate has looked at the signal for the last time.
    const onEvent = ({ type }: FusionEvent) => type === 'judged' && stop.abort();
    const judge: OpenJudge = () => judgeBy(model);
    const { signal } = stop;
    const outcome = await fuseOne(cluster, { ...base(model), store, signal, onEvent, statements: { judge } });
    expect(outcome).toMatchObject({ status: 'deferred', code: 'aborted' });
    expect(store.superseded.size).toBe(0);
  });

  it('asks no judge once calls are stopped', async () => {
    const cluster = clusterOf();
    const stop = new AbortController();
    let available = true;
    const model = createStatementModel({
      write: () => {
        available = false;
        return statements([[3, 4], CAR]);
      },
    });
    const store = createTestStore(cluster.members, []);
    const outcome = await fuseOne(cluster, {
      ...base(model),
      provider: { ...model, isAvailable: () => available },
      store,
      signal: stop.signal,
      statements: { judge: open(model) },
    });
    expect(outcome).toMatchObject({ status: 'deferred', code: 'unavailable' });
    expect(model.kinds).toEqual(['write']);
  });
});
