import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { askModel } from '../ask.ts';
import { fuseOne } from '../attempt.ts';
import type { Candidate, Cluster } from '../memory.ts';
import { DEEP_WINDOW, type PlanOptions, SLEEP_WINDOW } from '../plan-config.ts';
import { ModelError, type Restating } from '../ports.ts';
import { runFusionStep } from '../step.ts';
import { createTestStore, keyOf, type TestStore } from '../testing/memory-store.ts';
import { AT, candidate, close, DAY } from '../testing/samples.ts';
import {
  createStatementModel,
  type StatementModel,
  type StatementScript,
} from '../testing/statement-model.ts';
import { decideRestatements, planRestatements } from './restatements.ts';

const HENS = 'Mara keeps two hens in the garden; Frieda, the brown one, lays no eggs in winter.';
const AGAIN = 'Frieda, the brown hen of Mara, lays no eggs in winter.';

const statement = (id: string, content: string, more: Partial<Candidate> = {}): Candidate =>
  candidate({ id, content, memoryType: 'derived', ...more });
const note = (id: string, content: string, more: Partial<Candidate> = {}): Candidate =>
  candidate({ id, content, documentDate: AT - DAY, ...more });

const plan = (notes: Candidate[], restating: Restating, more: Partial<PlanOptions> = {}): string[][] =>
  planRestatements(notes, restating, { ...DEEP_WINDOW, at: AT, ...more }).map(({ members, groups }) =>
    members.map(({ id }, at) => `${id}/${groups![at]}`).sort(),
  );

describe('planRestatements', () => {
  const hens = statement('s1', HENS);
  const again = note('n1', AGAIN);
  const pair = { statements: [hens], edges: [close('s1', 'n1', 0.6)] };

  it('asks about a note and the statement that it is close to', () => {
    expect(plan([again], pair)).toEqual([['n1/0', 's1/0']]);
    expect(planRestatements([again], pair, { ...DEEP_WINDOW, at: AT })[0]).toMatchObject({ restates: true });
  });

  it.each<[string, Partial<Candidate>, number, Partial<PlanOptions>]>([
    ['that is less close', {}, 0.49, {}],
    ['that is a statement itself', { memoryType: 'derived' }, 0.6, {}],
    ['of another origin', { origin: 'assistant' }, 0.6, {}],
    ['that others may see', { visibility: 'shared' }, 0.6, {}],
    ['of another category in the deep tier', { category: 'event' }, 0.6, {}],
    ['that is no candidate', { prominence: 0.9 }, 0.6, {}],
    ['whose merge was taken back or turned down', {}, 0.6, { isKnownSourceSet: () => true }],
    ['that must stay apart', {}, 0.6, { apart: [{ a: 'n1', b: 's1' }] }],
  ])('leaves out a note %s', (_why, of, words, more) => {
    const restating = { statements: [hens], edges: [close('s1', 'n1', words)] };
    expect(plan([{ ...again, ...of }], restating, more)).toEqual([]);
  });

  it('compares categories within the deep tier alone', () => {
    const sleep = { ...SLEEP_WINDOW, crossCategory: true };
    expect(plan([{ ...again, category: 'event' }], pair, sleep)).toEqual([['n1/0', 's1/0']]);
  });

  it('takes a note with its closest statement, and a statement with one note a run', () => {
    const other = statement('s2', 'Mara keeps hens.');
    const edges = [
      close('s1', 'n1', 0.6),
      close('s2', 'n1', 0.7),
      close('s2', 'n2', 0.65),
      close('s1', 'n2', 0.5),
    ];
    const notes = [again, note('n2', 'Mara has hens.')];
    expect(plan(notes, { statements: [hens, other], edges })).toEqual([['n1/0', 'n2/1', 's1/1', 's2/0']]);
  });

  it('asks about four pairs at once, of one origin, and makes two requests at most', () => {
    const count = 12;
    const statements = Array.from({ length: count }, (_, at) =>
      statement(`s${at}`, HENS, { origin: at === 0 ? 'assistant' : 'user' }),
    );
    const notes = statements.map(({ origin }, at) => note(`n${at}`, AGAIN, { origin }));
    const edges = statements.map((_, at) => close(`s${at}`, `n${at}`, 0.9 - at / 100));
    const planned = plan(notes, { statements, edges });
    expect(planned.map((members) => members.length)).toEqual([2, 8]);
    expect(plan(notes, { statements, edges }, { maxClusters: 1 })).toHaveLength(1);
    expect(plan([...notes].reverse(), { statements, edges: [...edges].reverse() })).toEqual(planned);
  });
});

const hash = (text: string): string => createHash('sha256').update(text).digest('hex');

const clusterOf = (...pairs: [string, string][]): Cluster => ({
  members: pairs.flatMap(([said, again], at) => [statement(`s${at}`, said), note(`n${at}`, again)]),
  groups: pairs.flatMap((_, at) => [at, at]),
  relations: [],
  restates: true,
});

async function decide(
  cluster: Cluster,
  script: Partial<StatementScript> = {},
  more: Partial<Parameters<typeof decideRestatements>[1]> = {},
) {
  const model = createStatementModel({ write: () => 'no writer is asked', ...script });
  const verdict = await decideRestatements(cluster, {
    tier: 'deep',
    at: AT,
    latestCount: 1_000,
    alreadySuperseded: 0,
    judge: { isExamined: false, hash, ask: ({ request }) => askModel(model, request) },
    ...more,
  });
  return {
    kinds: model.kinds,
    merges: verdict.merges,
    lanes: verdict.decided.map(({ lane }) => lane),
    verdict,
  };
}

describe('decideRestatements', () => {
  it('lets a statement stand for a note where both votes find nothing lost, and makes no statement', async () => {
    const { kinds, merges, lanes, verdict } = await decide(clusterOf([HENS, AGAIN]));
    expect(kinds).toEqual(['judge', 'judge']);
    expect(merges).toEqual([{ keepId: 's0', dropId: 'n0' }]);
    expect(lanes).toEqual(['judged']);
    expect(verdict).toMatchObject({ derived: [], conflicts: [], counts: { sources: 2, covered: 1 } });
  });

  it('leaves both where the note says more', async () => {
    const { merges, lanes } = await decide(clusterOf([HENS, AGAIN]), { judge: () => 'changed' });
    expect([merges, lanes]).toEqual([[], ['differs']]);
  });

  it('asks no model about a figure that the statement lacks', async () => {
    const { kinds, merges, lanes } = await decide(clusterOf([HENS, 'Mara keeps 7 hens in the garden.']));
    expect([kinds, merges, lanes]).toEqual([[], [], ['floor']]);
  });

  it('asks no model about a sentence of the statement', async () => {
    const said = 'Mara keeps two hens. The brown one is called Frieda.';
    const { kinds, merges, lanes } = await decide(
      clusterOf([said, 'The brown one is called Frieda.']),
      {},
      { judge: null },
    );
    expect([kinds, merges, lanes]).toEqual([[], [{ keepId: 's0', dropId: 'n0' }], ['repeat']]);
  });

  it('without a judge leaves everything that is worded otherwise', async () => {
    const { merges, lanes } = await decide(clusterOf([HENS, AGAIN]), {}, { judge: null });
    expect([merges, lanes]).toEqual([[], ['no_judge']]);
  });

  it('judges each pair for itself, in one request for a vote', async () => {
    const cluster = clusterOf(
      [HENS, AGAIN],
      ['Mara may sell the car in spring if Ben agrees.', 'Mara may sell her car.'],
    );
    const { kinds, merges, lanes } = await decide(cluster, {
      judge: ({ sources }) => (sources.some(({ text }) => text.includes('her car')) ? 'changed' : 'same'),
    });
    expect(kinds).toEqual(['judge', 'judge']);
    expect(merges).toEqual([{ keepId: 's0', dropId: 'n0' }]);
    expect(lanes).toEqual(['judged', 'differs']);
  });

  it('joins no pair whose merge was taken back, and no more than a run may supersede', async () => {
    const known = await decide(clusterOf([HENS, AGAIN]), {}, { isKnown: () => true });
    expect([known.kinds, known.merges, known.lanes]).toEqual([[], [], ['known']]);
    const over = await decide(clusterOf([HENS, AGAIN]), {}, { latestCount: 100, alreadySuperseded: 1_000 });
    expect([over.merges, over.lanes]).toEqual([[], ['over_share']]);
  });
});

describe('a step with notes that say statements again', () => {
  const hens = statement('s1', HENS);
  const notes = [
    note('n1', AGAIN),
    note('n2', 'Mara feeds the brown hen.'),
    note('n3', 'Mara feeds Frieda, the brown hen.'),
  ];
  const edges = [close('n1', 'n2', 0.7), close('n2', 'n3', 0.8), close('n1', 'n3', 0.7)];
  const restating = { statements: [hens], edges: [close('s1', 'n1', 0.9)] };

  function storeOf(): TestStore {
    const store = createTestStore(notes, edges);
    const load = store.loadCandidates;
    return Object.assign(store, {
      loadCandidates: async (window: Parameters<typeof load>[0]) => {
        const loaded = await load(window);
        return store.superseded.has('n1') ? loaded : { ...loaded, restating };
      },
    });
  }

  const run = (store: TestStore, model: StatementModel, more: { maxClusters?: number } = {}) =>
    runFusionStep({
      store,
      provider: model,
      tier: 'deep',
      window: { ...DEEP_WINDOW, ...more },
      at: AT,
      nowMs: () => 0,
      statements: {
        judge: ({ mayCall }) => ({
          isExamined: false,
          hash,
          ask: async ({ request }) => {
            mayCall();
            return askModel(model, request);
          },
        }),
      },
    });
  const write: StatementScript['write'] = (shown) => ({
    statements: [{ sources: shown.map(({ n }) => n), text: 'Mara feeds Frieda, the brown hen.' }],
    conflicts: [],
  });

  it('asks about them first; the groups are made of what is left', async () => {
    const store = storeOf();
    const model = createStatementModel({ write });
    const report = await run(store, model);
    expect(model.kinds).toEqual(['judge', 'judge', 'write', 'judge', 'judge']);
    expect(report.outcomes.map(({ status, memberIds }) => [status, memberIds])).toEqual([
      ['committed', ['s1', 'n1']],
      ['committed', ['n2', 'n3']],
    ]);
    expect(report).toMatchObject({ superseded: 3, usage: { calls: 5 } });
    expect(store.calls.filter((call) => call === 'load')).toHaveLength(2);
  });

  it('counts their requests to the limit', async () => {
    const model = createStatementModel({ write });
    const report = await run(storeOf(), model, { maxClusters: 1 });
    expect(model.kinds).toEqual(['judge', 'judge']);
    expect(report.plan).toMatchObject({ clusters: 0, capped: 1 });
  });

  it('leaves a note out of groups as long as the judge has not answered', async () => {
    const store = storeOf();
    const model = createStatementModel({
      write,
      before: () => {
        throw new ModelError('batched', { retryable: true });
      },
    });
    const report = await run(store, model);
    expect(report.outcomes.map(({ status, memberIds }) => [status, memberIds])).toEqual([
      ['deferred', ['s1', 'n1']],
    ]);
    expect(store.rows.get(keyOf({ members: [hens, notes[0]!], relations: [] }))).toMatchObject({
      state: 'open',
    });
  });

  it('fuseOne: a share with room for the notes alone is enough', async () => {
    const model = createStatementModel({ write });
    const outcome = await fuseOne(clusterOf([HENS, HENS]), {
      store: storeOf(),
      provider: model,
      tier: 'deep',
      at: AT,
      nowMs: () => 0,
      latestCount: 100,
      alreadySuperseded: 24,
      statements: { judge: null },
    });
    expect(outcome).toMatchObject({ status: 'committed', superseded: 1 });
  });
});
