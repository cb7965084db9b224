import {
  type Database,
  explainMemory,
  getMemory,
  insertRelations,
  previewOf,
  readFusion,
  setMode,
  storeJudgeExam,
} from '@slowwave/db';
import { EXAM_VERSION, ModelError, type PlanCounts } from '@slowwave/fusion';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createStatementModel, type ShownNote, type StatementScript } from '../fakes/statement-model.ts';
import { DATABASES, type DatabaseFixture } from '../fixtures/databases.ts';
import { chainRelations, NOW, newMemory } from '../fixtures/memories.ts';
import { runAgainAfter, runTier, seedPerson } from '../fixtures/tier-runs.ts';

const tenant = 't';
const NOTES = [
  'Mara keeps two hens in the garden.',
  'One of the hens that Mara keeps is called Frieda.',
  'Frieda, the brown hen of Mara, lays no eggs in winter.',
  'Mara may sell the car in spring.',
  'In spring Mara may sell the car, if Ben agrees.',
];
const HENS = 'Mara keeps two hens in the garden; Frieda, the brown one, lays no eggs in winter.';
const CAR = 'Mara may sell the car in spring if Ben agrees.';

/** By their words: the numbers are those of the request. */
const about = (notes: readonly ShownNote[], pattern: RegExp): number[] =>
  notes.filter(({ text }) => pattern.test(text)).map(({ n }) => n);
const both: StatementScript['write'] = (notes) => ({
  statements: [
    { sources: about(notes, /hen/), text: HENS },
    { sources: about(notes, /car/), text: CAR },
  ].filter(({ sources }) => sources.length > 1),
  conflicts: [],
});

describe.each(DATABASES)('a run that asks for statements (%s)', (_name, open) => {
  let fixture: DatabaseFixture;
  let database: Database;
  let serial = 0;

  beforeAll(async () => {
    fixture = await open();
    database = fixture.database;
  });
  afterAll(() => fixture?.drop());

  const rows = <Row extends object>(query: ReturnType<typeof sql>): Promise<Row[]> =>
    database.withTenant(tenant, (tx) => tx.rows<Row>(query));

  /** @param packed hens and cars are two groups of one request, else one group */
  async function seed({ packed = false } = {}): Promise<string> {
    const user = `user-${++serial}`;
    const memories = NOTES.map((text, i) =>
      newMemory(user, `d${i}`, text, { documentDate: NOW - (90 - i) * 86_400_000 }),
    );
    await seedPerson(database, { tenant, user, memories });
    const relations = chainRelations(packed ? [memories.slice(0, 3), memories.slice(3)] : [memories]);
    await database.withTenant(tenant, (tx) => insertRelations(tx, { tenant, relations, at: NOW }));
    return user;
  }
  const contentsOf = async (user: string) =>
    (
      await rows<{ content: string }>(
        sql`select content from slowwave.memories where user_id = ${user} and is_latest order by content`,
      )
    ).map(({ content }) => content);
  const run = (
    user: string,
    script: StatementScript,
    { judge = true, preview = false }: { judge?: boolean; preview?: boolean } = {},
  ) => {
    const model = createStatementModel(script);
    return runTier(
      database,
      { tenant, user, tier: 'deep', at: NOW, ...(preview ? { preview } : {}) },
      { provider: model, statements: { judge } },
    ).then((ended) => ({ ...ended, model, counts: ended.step('fusion').counts! }));
  };

  it('joins what says the same into statements, and tells which way each went', async () => {
    const user = await seed();
    const { model, counts } = await run(user, { write: both });
    expect(counts).toMatchObject({
      clusters: { committed: 1, closed: 0, failed: 0 },
      lanes: { judged: 2 },
      superseded: 5,
      usage: { calls: 3 },
    });
    expect(model.kinds).toEqual(['write', 'judge', 'judge']);
    expect(await contentsOf(user)).toEqual([HENS, CAR].sort());
    // What was said on different days keeps it.
    const [car] = await rows<{ id: string }>(
      sql`select id from slowwave.memories where user_id = ${user} and content = ${CAR}`,
    );
    const of = { tenant, user, id: car!.id, at: NOW };
    const said = { from: NOW - 87 * 86_400_000, to: NOW - 86 * 86_400_000 };
    expect(await database.withTenant(tenant, (tx) => getMemory(tx, of))).toMatchObject({
      documentDate: said.to,
      said,
    });
    expect(await database.withTenant(tenant, (tx) => explainMemory(tx, of))).toMatchObject({ said });
    // The next run has nothing to ask.
    const again = await run(user, { write: both });
    expect(again.model.kinds).toEqual([]);
  });

  it('leaves everything as it is where the judge says no, and does not ask again', async () => {
    const user = await seed();
    const differs = { lane: 'differs', details: ['something else'] };
    const { counts } = await run(user, { write: both, judge: () => 'changed' });
    expect(counts).toMatchObject({ clusters: { closed: 1 }, lanes: { differs: 2 }, superseded: 0 });
    expect(await contentsOf(user)).toEqual([...NOTES].sort());
    const [request] = await rows<{ key: string }>(
      sql`select key from slowwave.fusions where user_id = ${user}`,
    );
    const shown = await database.withTenant(tenant, (tx) =>
      readFusion(tx, { tenant, user, key: request!.key, at: NOW }),
    );
    expect(shown).toMatchObject({
      status: 'closed',
      errorCode: 'differs',
      proposals: [
        { text: HENS, mended: false },
        { text: CAR, mended: false },
        { text: HENS, mended: true },
        { text: CAR, mended: true },
      ].map((proposal) => ({ ...proposal, accepted: false, ...differs, votes: [differs, differs] })),
    });
    const again = await run(user, { write: both });
    expect(again.model.kinds).toEqual([]);
    expect(again.counts).toMatchObject({ plan: { groups: 0, offeredBefore: expect.any(Number) } });
    expect((again.counts as { plan: PlanCounts }).plan.offeredBefore).toBeGreaterThan(0);
  });

  it('keeps each vote on a refused statement and on the mended one, for the request and for the statement', async () => {
    const user = await seed();
    let votes = 0;
    const draft = 'Mara keeps two hens in the garden; Frieda, a brown one, lays no eggs in winter.';
    await run(user, {
      write: (notes, repair) => ({
        statements: [{ sources: about(notes, /hen/), text: repair ? HENS : draft }],
        conflicts: [],
      }),
      judge: ({ statement }) => (statement === draft && ++votes === 2 ? 'changed' : 'same'),
    });
    expect(await contentsOf(user)).toContain(HENS);
    const keys = await rows<{ key: string }>(
      sql`select key from slowwave.fusions where user_id = ${user} order by request nulls first`,
    );
    expect(keys).toHaveLength(2);
    const [same, differs] = [
      { lane: 'same', details: [] },
      { lane: 'differs', details: ['something else'] },
    ];
    for (const { key } of keys) {
      const shown = await database.withTenant(tenant, (tx) => readFusion(tx, { tenant, user, key, at: NOW }));
      expect(shown!.proposals).toMatchObject([
        { text: draft, accepted: false, lane: 'differs', votes: [same, differs], mended: false },
        { text: HENS, accepted: true, lane: 'judged', votes: [same, same], mended: true },
      ]);
    }
    // The judge was shown other days than those of where the person lives now.
    await rows(sql`update slowwave.users set timezone = 'Pacific/Kiritimati' where id = ${user}`);
    const [{ key }] = keys as [{ key: string }];
    const moved = await database.withTenant(tenant, (tx) => readFusion(tx, { tenant, user, key, at: NOW }));
    expect(moved!.proposals).toBeNull();
  });

  it('packs groups into one request; one that failed for good is asked about again group by group', async () => {
    const user = await seed({ packed: true });
    const tooLarge: StatementScript['write'] = (notes, ...more) => {
      if (notes.length > 3) throw new ModelError('too_large', { retryable: false });
      return both(notes, ...more);
    };
    const first = await run(user, { write: tooLarge });
    expect(first.model.kinds).toEqual(['write']);
    expect(first.counts).toMatchObject({ plan: { groups: 2, members: 5 }, clusters: { failed: 1 } });
    const second = await run(user, { write: tooLarge });
    expect(second.counts).toMatchObject({ clusters: { committed: 2, failed: 0 }, lanes: { judged: 2 } });
    expect(await contentsOf(user)).toEqual([HENS, CAR].sort());
  });

  it('joins repetitions alone without a judge; with one it asks anew', async () => {
    const user = await seed();
    const { counts } = await run(user, { write: both }, { judge: false });
    expect(counts).toMatchObject({ clusters: { closed: 1 }, lanes: { no_judge: 2 } });
    const judged = await run(user, { write: both });
    expect(judged.counts).toMatchObject({ clusters: { committed: 1 } });
  });

  it('goes on with what was answered when a judge fails, and pays for nothing twice', async () => {
    const user = await seed();
    let calls = 0;
    const failing = await run(user, {
      write: both,
      before: () => {
        calls += 1;
        if (calls === 3) throw new ModelError('overloaded', { retryable: true });
      },
    });
    expect(failing.counts).toMatchObject({ clusters: { failed: 1 }, superseded: 0 });
    expect(failing.fusions).toHaveLength(1);
    const { model, counts } = await run(user, { write: both });
    expect(model.kinds).toEqual(['judge']);
    expect(counts).toMatchObject({ clusters: { committed: 1 } });
  });

  it('asks for one vote where the judge passed its exam and nothing is easily misread, and none where it failed', async () => {
    const exam = {
      version: EXAM_VERSION,
      good: 10,
      goodAccepted: 10,
      unsafe: 10,
      unsafeAccepted: 0,
      wrong: [],
    };
    const store = (passed: boolean) =>
      database.asDispatcher((tx) =>
        storeJudgeExam(tx, { model: 'scripted', result: { ...exam, passed }, at: NOW }),
      );
    const write: StatementScript['write'] = (notes) => ({
      statements: [
        {
          sources: about(notes, /hen/).slice(0, 2),
          text: 'Mara keeps two hens in the garden, one called Frieda.',
        },
      ],
      conflicts: [],
    });
    try {
      await store(true);
      const user = await seed();
      const { model, counts } = await run(user, { write });
      expect(model.kinds.filter((kind) => kind === 'judge').length).toBeLessThanOrEqual(2);
      expect(counts).toMatchObject({ lanes: { judged: 1 } });
      const [request] = await rows<{ key: string }>(
        sql`select key from slowwave.fusions where user_id = ${user} and request is null`,
      );
      const shown = await database.withTenant(tenant, (tx) =>
        readFusion(tx, { tenant, user, key: request!.key, at: NOW }),
      );
      expect(shown!.statements).toHaveLength(1);

      await store(false);
      const other = await seed();
      const failed = await run(other, { write });
      expect(failed.model.kinds).toEqual(['write']);
      expect(failed.counts).toMatchObject({ lanes: { no_judge: 1 }, superseded: 0 });
    } finally {
      await database.asOwner((tx) => tx.rows(sql`truncate slowwave.judge_exams`));
    }
  });

  it('shows in a preview each statement that a run would write, and writes none', async () => {
    const user = await seed();
    const preview = await run(user, { write: both }, { preview: true });
    expect(await contentsOf(user)).toEqual([...NOTES].sort());
    const view = await database.withTenant(tenant, (tx) =>
      previewOf(tx, { tenant, user, runId: preview.run.id }),
    );
    expect(
      view!.fusions.map(({ verdict, derived, covered }) => [verdict, derived?.content, covered.length]),
    ).toEqual([
      ['ok', HENS, 3],
      ['ok', CAR, 2],
    ]);
    // The run that follows pays for nothing.
    const { model, counts } = await run(user, { write: both });
    expect(model.kinds).toEqual([]);
    expect(counts).toMatchObject({ clusters: { committed: 1 } });
    const [statement] = await rows<{ key: string }>(
      sql`select key from slowwave.fusions where user_id = ${user} and position = 0`,
    );
    expect(view!.fusions[0]!.key).toBe(statement!.key);
  });

  it('proposes each statement to a person who wants to see them first', async () => {
    const user = await seed();
    await database.withTenant(tenant, (tx) => setMode(tx, { tenant, user, mode: 'review', at: NOW }));
    const { counts } = await run(user, { write: both });
    expect(counts).toMatchObject({ clusters: { proposed: 1 }, superseded: 0 });
    const [request] = await rows<{ key: string }>(
      sql`select key from slowwave.fusions where user_id = ${user} and request is null`,
    );
    const fusion = await database.withTenant(tenant, (tx) =>
      readFusion(tx, { tenant, user, key: request!.key, at: NOW }),
    );
    expect(fusion!.statements).toEqual([
      { key: expect.any(String), status: 'review', content: HENS },
      { key: expect.any(String), status: 'review', content: CAR },
    ]);
  });

  describe('that ends on its way', () => {
    it.each([
      'after-opened',
      'after-members',
      'after-memo',
      'before-transaction',
      'after-ledger',
      'after-sources',
      'after-marked',
      'after-derived',
      'after-supersede',
      'after-applied',
      'after-commit',
    ])('at %s is gone on with: everything once, and paid for once', async (place) => {
      const user = await seed();
      const model = createStatementModel({ write: both });
      const of = { tenant, user, tier: 'deep' as const, at: NOW };
      const deps = { provider: model, statements: { judge: true } };
      expect(await runAgainAfter(place, database, of, deps)).toBeGreaterThan(0);
      expect(await contentsOf(user)).toEqual([HENS, CAR].sort());
      expect(model.kinds).toEqual(['write', 'judge', 'judge']);
      const ledger = await rows<{ status: string; count: number }>(sql`
        select status, count(*)::int as count from slowwave.fusions where user_id = ${user} group by status order by status`);
      expect(ledger).toEqual([
        { status: 'applied', count: 2 },
        { status: 'closed', count: 1 },
      ]);
      const [live] = await rows<{ claims: number }>(
        sql`select count(*)::int as claims from slowwave.fusion_sources where user_id = ${user} and live`,
      );
      expect(live).toEqual({ claims: 0 });
    });
  });

  it('keeps the words of memories out of log and report', async () => {
    const user = await seed();
    const { log, run: record } = await run(user, { write: both, judge: () => 'changed' });
    for (const word of ['Frieda', 'Mara', 'hens'])
      expect(`${log}${JSON.stringify(record)}`).not.toContain(word);
  });
});
