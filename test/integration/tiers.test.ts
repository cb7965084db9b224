import { sql } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createJoiningProvider } from '../fakes/joining-provider.ts';
import { BACKENDS, type BackendFixture } from '../fixtures/backends.ts';
import { DAY, facts, newMemory, seedChains } from '../fixtures/memories.ts';
import { until } from '../fixtures/wait.ts';
import { consolidate, startWorker, type WorkerFixture } from '../fixtures/workers.ts';

const TENANT = 't';

interface Report {
  steps: { step: string; status: string; reason?: string; code?: string; counts?: Record<string, unknown> }[];
}

function stepOf(report: Report, name: string): Report['steps'][number] {
  return report.steps.find(({ step }) => step === name)!;
}

describe.each(BACKENDS)('tiers (%s)', (_name, open) => {
  let backend: BackendFixture;
  let running: WorkerFixture;
  let serial = 0;

  beforeAll(async () => {
    backend = await open();
    running = await startWorker(backend, createJoiningProvider());
  });
  afterAll(async () => {
    await running?.close();
    await backend?.drop();
  });
  afterEach(() => expect(running.log.join('')).not.toContain('Ana'));

  const rows = <Row extends object>(query: ReturnType<typeof sql>): Promise<Row[]> =>
    backend.database.withTenant(TENANT, (tx) => tx.rows<Row>(query));
  const nextUser = () => `user-${++serial}`;
  const reportOf = async (user: string, tier: 'light' | 'deep' | 'sleep') =>
    (await consolidate(backend, { tenant: TENANT, user, tier })).report as unknown as Report;

  it('light embeds what is new, reports what crossed, archives what expired, and is due again at the next crossing', async () => {
    const user = nextUser();
    const event = (id: string, days: number, more = {}) =>
      newMemory(user, id, `Ana went to the ${id} market.`, {
        category: 'event',
        documentDate: Date.now() - days * DAY,
        ...more,
      });
    const expired = event('flower', 3, { expiresAt: Date.now() - DAY });
    await seedChains(backend.database, {
      tenant: TENANT,
      user,
      chains: [[event('fish', 20), event('book', 1)], [expired]],
    });
    const report = await reportOf(user, 'light');
    expect(report.steps.map(({ step, status }) => [step, status])).toEqual([
      ['embed', 'done'],
      ['decay', 'done'],
      ['expire', 'done'],
      ['health', 'done'],
      ['insights', 'skipped'],
    ]);
    expect(report.steps[0]!.counts).toMatchObject({ embedded: 3 });
    expect(report.steps[1]!.counts).toMatchObject({ below050: 1, below010: 0 });
    expect(report.steps[2]!.counts).toEqual({ archived: 1, items: 0 });
    const [due] = await rows<{ days: number; success: boolean }>(sql`
      select date_part('epoch', due_at - now()) / 86400 as days, last_success_at is not null as success
      from slowwave.user_tiers where user_id = ${user} and tier = 'light'`);
    expect(due!.success).toBe(true);
    expect(due!.days).toBeGreaterThan(0.5);
    expect(due!.days).toBeLessThan(9);
    const again = await reportOf(user, 'light');
    expect(again.steps[0]!.counts).toMatchObject({ embedded: 0 });
    expect(again.steps[2]!.counts).toEqual({ archived: 0, items: 0 });
  });

  it('sleep fuses across categories into an insight, in its own window', async () => {
    const user = nextUser();
    const said = (id: string, category: 'fact' | 'preference' | 'event', text: string, days: number) =>
      newMemory(user, id, text, { category, documentDate: Date.now() - days * DAY });
    const chain = [
      said('a', 'fact', 'Ana learns Rust in the evening.', 60),
      said('b', 'preference', 'Ana prefers Rust to other languages.', 120),
      said('c', 'event', 'Ana gave a talk about Rust.', 12),
    ];
    await seedChains(backend.database, { tenant: TENANT, user, chains: [chain] });
    const deep = await reportOf(user, 'deep');
    expect(stepOf(deep, 'fusion').counts).toMatchObject({ clusters: { committed: 0 } });
    await reportOf(user, 'sleep');
    const derived = await rows(sql`
      select category, learned_from as learned from slowwave.memories where user_id = ${user} and memory_type = 'derived'`);
    expect(derived).toEqual([{ category: 'insight', learned: 'nrem_consolidation' }]);
  });

  it('a second run with nothing new writes no domain row and calls no model', async () => {
    const user = nextUser();
    await seedChains(backend.database, {
      tenant: TENANT,
      user,
      chains: [
        facts(user, ['Ana has a boat.', 'Ana has a boat with red sails.', 'Ana keeps the boat in Cork.']),
      ],
    });
    await reportOf(user, 'deep');
    await reportOf(user, 'light');
    const state = () =>
      rows(sql`
        select (select count(*) || ':' || coalesce(max(xmin::text::bigint), 0) from slowwave.memories where user_id = ${user}) as memories,
          (select count(*) || ':' || coalesce(max(xmin::text::bigint), 0) from slowwave.relations where user_id = ${user}) as relations,
          (select count(*) || ':' || coalesce(max(xmin::text::bigint), 0) from slowwave.embeddings where user_id = ${user}) as embeddings,
          (select count(*) || ':' || coalesce(max(xmin::text::bigint), 0) from slowwave.fusions where user_id = ${user}) as fusions,
          (select count(*)::text from slowwave.changes where user_id = ${user}) as changes`);
    const before = await state();
    const report = await reportOf(user, 'deep');
    expect(stepOf(report, 'fusion').counts).toMatchObject({ usage: { calls: 0 } });
    expect(await state()).toEqual(before);
  });

  it('asking twice is one run', async () => {
    const user = nextUser();
    await seedChains(backend.database, { tenant: TENANT, user, chains: [facts(user, ['Ana has a boat.'])] });
    const both = await Promise.all(
      [1, 2].map(() => consolidate(backend, { tenant: TENANT, user, tier: 'deep' })),
    );
    const runs = await rows<{ n: number }>(
      sql`select count(*)::int as n from slowwave.runs where user_id = ${user}`,
    );
    // The second question may come when the first run is already under way: then it is a run of its own, never a third.
    expect(runs[0]!.n).toBe(new Set(both.map((run) => run.id)).size);
    expect(both.every((run) => run.status === 'completed')).toBe(true);
  });

  it('a job that names nobody we know does nothing, says so and leaves no trace, whoever put it there', async () => {
    await backend.queues.add({ v: 1, tenant: 'elsewhere', user: 'stranger', tier: 'deep', why: 'schedule' });
    await until('the log to say so', () => /a job names a user who is not there/.test(running.log.join('')));
    expect(await backend.queues.failed('deep')).toEqual([]);
  });

  it('one step that fails is in the report with its code, and the tier is tried again later', async () => {
    const user = nextUser();
    await seedChains(backend.database, { tenant: TENANT, user, chains: [facts(user, ['Ana has a boat.'])] });
    // A vector of another length under the embedder's name: the embedder cannot store what it makes.
    await backend.database.asOwner((tx) => tx.rows(sql`update slowwave.embedding_models set dimensions = 7`));
    try {
      const run = await consolidate(backend, { tenant: TENANT, user, tier: 'deep' });
      expect(run).toMatchObject({ status: 'failed', errorCode: 'wrong_dimensions' });
      const steps = (run.report as unknown as Report).steps;
      expect(steps.map(({ step, status }) => [step, status])).toEqual([
        ['notes', 'skipped'],
        ['embed', 'failed'],
        ['decay', 'done'],
        ['fusion', 'done'],
        ['summaries', 'done'],
        ['audit', 'done'],
        ['archive', 'done'],
        ['prune', 'skipped'],
        ['relations', 'done'],
        ['behaviour', 'skipped'],
        ['trust', 'skipped'],
        ['goals', 'done'],
      ]);
      expect(running.log.join('')).toMatch(
        /gave vectors of 384 dimensions, but 7 are stored .*SLOWWAVE_EMBEDDING_DIMENSIONS=384/,
      );
      const [tier] = await rows<{ failures: number; later: boolean; success: boolean }>(sql`
        select failures, next_attempt_at > now() as later, last_success_at is not null as success
        from slowwave.user_tiers where user_id = ${user} and tier = 'deep'`);
      expect(tier).toEqual({ failures: 1, later: true, success: false });
    } finally {
      await backend.database.asOwner((tx) =>
        tx.rows(sql`update slowwave.embedding_models set dimensions = 384`),
      );
    }
  });
});
