import type { Database } from '@slowwave/db';
import { type SQL, sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BackendFixture, openEmbedded, openOnRedis } from '../fixtures/backends.ts';
import { until } from '../fixtures/wait.ts';
import { inScope } from '../scope.ts';
import { ana, ben } from './invariants/break.ts';
import { BROKEN_MEMORIES } from './invariants/breaks-of-memories.ts';
import { BROKEN_USERS } from './invariants/breaks-of-users.ts';
import { canaryOf, codeOf } from './invariants/facts.ts';
import { type Consolidated, consolidated, tenant } from './invariants/fixture.ts';
import { createInvariants, type Extra, type Given } from './invariants/index.ts';
import type { Tally } from './types.ts';

/** Thrown to take back what a test broke. */
class Mended extends Error {}

const KINDS = inScope<[string, () => Promise<BackendFixture>]>({
  change: [['Redis and PostgreSQL', () => openOnRedis()]],
  rest: [['embedded', openEmbedded]],
});

describe.each(KINDS)('the invariants (%s)', (_name, open) => {
  let people: Consolidated;
  beforeAll(async () => {
    people = await consolidated(open);
  });
  afterAll(() => people?.drop());

  /** The invariants as they are while something is broken; afterwards it is as it was. */
  async function whileBroken(statements: readonly SQL[], names: readonly string[], more: Extra = {}) {
    const { backend } = people;
    // Read before: the embedded database would wait for itself.
    const failed = { fusions: await backend.queues.failed('fusions', 0, 100) };
    const queues = {
      ...backend.queues,
      failed: async (name: string) => failed[name as 'fusions'] ?? [],
      counts: async () => ({ waiting: 0, active: 0, delayed: 0, failed: 0, completed: 0 }),
    };
    let told: string[] = [];
    const broken = backend.database.asOwner(async (tx) => {
      for (const statement of statements) await tx.rows(statement);
      const database: Database = { ...backend.database, asOwner: (work) => work(tx) };
      const invariants = createInvariants({ database, queues, redis: null, tenants: [tenant] });
      const violations = await invariants.check({ ...people.given(), ...more }, names);
      told = violations.map(({ invariant, detail }) => `${invariant}: ${detail}`);
      throw new Mended();
    });
    await expect(broken).rejects.toBeInstanceOf(Mended);
    return told;
  }
  const judged = (more: Partial<Given>, names: readonly string[]) =>
    people.invariants.check({ ...people.given(), ...more }, names);
  const tallied = (more: Partial<Tally>): Partial<Given> => ({
    tally: { ...people.given().tally, ...more },
  });

  it('hold for what was consolidated as in service', async () => {
    const { invariants, given, backend } = people;
    expect(await invariants.check(given())).toEqual([]);
    // There is something to judge in each of the ways.
    const [row] = await backend.database.asOwner((tx) =>
      tx.rows(sql`select
        (select array_agg(status || ' ' || kind order by user_id, kind) from slowwave.fusions) as fusions,
        (select count(*)::int from slowwave.memories where superseded_by is not null) as superseded,
        (select count(*)::int from slowwave.model_answers) as answers`),
    );
    expect(row).toMatchObject({
      fusions: expect.arrayContaining([
        'closed fusion',
        'applied fusion',
        'applied merge',
        'review fusion',
        'failed fusion',
      ]),
      superseded: 7,
      // One summary of a session, and two votes on each of three statements.
      answers: 7,
    });
    expect(await whileBroken([], ['fusion-once', 'no-cross-user', 'failed-list'])).toEqual([]);
  });

  it.each([...BROKEN_MEMORIES, ...BROKEN_USERS])(
    'tell of $how ($invariant)',
    async ({ invariant, statements, told }) => {
      const found = await whileBroken(statements, [invariant]);
      expect(found.length).toBeGreaterThan(0);
      expect(found.join('\n')).toMatch(told);
      for (const line of found) expect(line).toMatch(new RegExp(`^${invariant}: `));
      // Ids and counts only.
      expect(found.join('\n')).not.toMatch(/heron|K\d{11}|stands in|Invented/);
    },
  );

  it('tell of a wake-up that failed for good', async () => {
    const { queues } = people.backend;
    await queues.queues.deep.add(
      'deep',
      { v: 1, tenant, user: 'nobody\n' },
      { jobId: 'broken', attempts: 1 },
    );
    const found = await until('the job to fail', async () => {
      const list = await judged({}, ['attempts']);
      return list.length > 0 && list;
    });
    expect(found).toEqual([
      {
        invariant: 'attempts',
        detail: expect.stringMatching(/a job of deep failed for good .*invalid_payload/),
      },
    ]);
    await queues.queues.deep.remove('broken');
    expect(await judged({}, ['attempts'])).toEqual([]);
  });

  it('tell of money that was burned, and of answers that nobody asked for', async () => {
    const { calls } = people.given().tally;
    expect(await judged(tallied({ calls: calls + 1 }), ['money'])).toHaveLength(1);
    expect(await judged(tallied({ calls: calls + 1, kills: 1 }), ['money'])).toEqual([]);
    expect(await judged(tallied({ calls: 0 }), ['money'])).toHaveLength(1);
    const twice = [1_000, 9_000].map((at) => ({ question: 'q', at, end: 'answered' as const }));
    expect(await judged({ asked: twice }, ['money'])).toHaveLength(1);
    expect(await judged({ asked: twice, faultsAt: [5_000] }, ['money'])).toEqual([]);
    expect(await judged({ asked: twice, faultsAt: [20_000] }, ['money'])).toHaveLength(1);
  });

  it('tell of words in the queue and in what was printed', async () => {
    const { queues } = people.backend;
    await queues.queues.sleep.pause();
    await queues.queues.sleep.add('sleep', { note: canaryOf(ben) }, { jobId: 'worded' });
    const found = await judged({ logs: [`x ${codeOf(ben, 1)} y`] }, ['words-stay']);
    expect(found.map(({ detail }) => detail).join('\n')).toMatch(/log 0[\s\S]*|hold a planted word/);
    expect(found.length).toBeGreaterThanOrEqual(2);
    expect(JSON.stringify(found)).not.toMatch(/heron|K\d{11}/);
    await queues.queues.sleep.remove('worded');
    await queues.queues.sleep.resume();
    expect(await judged({}, ['words-stay'])).toEqual([]);
  });

  it('say what is not done yet', async () => {
    const { backend, invariants } = people;
    expect(await invariants.quiescent()).toBeNull();
    const lease = (end: SQL) =>
      backend.database.asOwner((tx) =>
        tx.rows(sql`update slowwave.leases set expires_at = ${end} where user_id = 'ben'`),
      );
    await lease(sql`now() + interval '1 hour'`);
    expect(await invariants.quiescent()).toMatch(/^1 lease\n {2}lease: t\/ben is held by/);
    expect(await invariants.describeUnfinished()).toMatch(/t\/ben is held by/);
    await lease(sql`'-infinity'`);
    expect(await invariants.describeUnfinished()).toBe('nothing');
  });

  it('let a second pass write and ask nothing, and tell when it does', async () => {
    const { backend, invariants, pass, given } = people;
    expect(await invariants.secondPass(pass)).toEqual([]);
    expect(await invariants.check(given())).toEqual([]);
    let passes = 0;
    const meddling = await invariants.secondPass({
      ...pass,
      usersMax: 1,
      calls: () => passes,
      async settle() {
        passes += 1;
        await backend.database.asOwner((tx) =>
          tx.rows(
            sql`update slowwave.relations set confidence = 0.5 + ${passes}::float8 / 10 where user_id = 'fay'`,
          ),
        );
        await pass.settle();
      },
    });
    expect(meddling.map(({ detail }) => detail).join('\n')).toMatch(
      /a second pass wrote \d+ rows of relations[\s\S]*a second pass asked the model 1 times/,
    );
  });

  it('let everything be undone, and tell of what does not come back', async () => {
    const { backend, invariants, snapshot, stopWorker } = people;
    await stopWorker();
    expect(await invariants.undoEverything(snapshot, [ana])).toEqual([]);
    const [left] = await backend.database.asOwner((tx) =>
      tx.rows(
        sql`select count(*)::int as n from slowwave.memories where user_id = 'ana' and superseded_by is not null`,
      ),
    );
    expect(left).toEqual({ n: 0 });
    await backend.database.asOwner((tx) =>
      tx.rows(sql`
        update slowwave.changes set before = jsonb_set(before, '{trust}', '0.1') where user_id = 'ben' and before is not null
          and table_name = 'memories'`),
    );
    const found = await invariants.undoEverything(snapshot, [ben]);
    expect(found.map(({ detail }) => detail).join('\n')).toMatch(
      /ben: memory .* after everything was undone: differs in .*trust/,
    );
  });
});
