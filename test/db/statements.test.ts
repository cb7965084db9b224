import {
  approveFusion,
  ask,
  askExpiredReviews,
  type CommitOptions,
  createMemoryStore,
  editMemory,
  expireReviews,
  type FusionScope,
  forget,
  listReviews,
  loadFusion,
  pageFusions,
  readFusion,
  redo,
  rejectFusion,
  statementsVersionOf,
  undo,
} from '@slowwave/db';
import { type Candidate, type DerivedMemory, FUSION_STATUSES } from '@slowwave/fusion';
import { sql } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { DATABASES } from '../fixtures/databases.ts';
import { clusterOf, DAY, derivedOf, NOW, newMemory, scopeOf, seedUser } from '../fixtures/memories.ts';
import { ownDatabase } from '../fixtures/own-database.ts';

const tenant = 't';
const WINDOW = { minProminence: 0.1, maxProminence: 0.5, minAgeMs: 0 };
const RUN = '01990000-0000-7000-8000-000000000001';
const ANSWER = {
  text: '{"statements":[]}',
  stopReason: 'end_turn',
  inputTokens: 10,
  outputTokens: 5,
  model: 'm',
};

describe.each(DATABASES)('statements (%s)', (_name, open) => {
  const { database, inTenant, rows, nextUser } = ownDatabase(open);

  interface Stage {
    user: string;
    scope: FusionScope;
    members: Candidate[];
  }

  async function stage(count = 6, more: Partial<FusionScope> = {}): Promise<Stage> {
    const user = nextUser();
    const memories = Array.from({ length: count }, (_, i) =>
      newMemory(user, `m${i}`, `Ana keeps bicycle number ${i} in the shed`),
    );
    await seedUser(database, { tenant, user, memories });
    const promptVersion = statementsVersionOf('m');
    const scope = scopeOf(tenant, user, { runId: RUN, promptVersion, ...more });
    return { user, scope, members: await candidates(scope) };
  }

  async function candidates(scope: FusionScope): Promise<Candidate[]> {
    const found = await createMemoryStore(database, scope).loadCandidates(WINDOW);
    return found.candidates.sort((one, other) => one.content.localeCompare(other.content));
  }

  async function claim({ scope, members }: Stage): Promise<string> {
    const store = createMemoryStore(database, scope);
    const claimed = await store.claimFusion(clusterOf(members));
    if (claimed.status !== 'claimed') throw new Error(`not claimed: ${claimed.reason}`);
    if (!claimed.answer) await store.storeAnswer(claimed.key, claimed.attempt, ANSWER);
    return claimed.key;
  }

  const statement = (members: readonly Candidate[], content: string): DerivedMemory =>
    derivedOf([...members], { content, coveredIds: members.map(({ id }) => id) });

  async function commit(
    stage: Stage,
    groups: number[][],
    of: { key?: string; reason?: string | null; options?: CommitOptions } = {},
  ) {
    const { scope, members } = stage;
    const key = of.key ?? (await claim(stage));
    const statements = groups.map((places, at) =>
      statement(
        places.map((place) => members[place]!),
        `Bicycles ${places.join(' and ')}, statement ${at}.`,
      ),
    );
    const result = await createMemoryStore(database, scope, of.options).commitStatements(
      key,
      clusterOf(members),
      statements,
      { conflicts: [], reason: of.reason ?? null },
    );
    return { key, result };
  }

  const latest = async ({ user }: Stage) =>
    (
      await rows<{ content: string }>(sql`
        select content from slowwave.memories where user_id = ${user} and is_latest order by content`)
    ).map(({ content }) => content.replace('Ana keeps bicycle number ', '').replace(' in the shed', ''));
  const ledger = ({ user }: Stage) =>
    rows<{
      status: string;
      request: string | null;
      position: number | null;
      live: number;
      superseded: number;
    }>(sql`
      select f.status, f.request, f.position, (count(*) filter (where s.live))::int as live,
        (count(*) filter (where s.superseded))::int as superseded
      from slowwave.fusions f left join slowwave.fusion_sources s
        on s.tenant = f.tenant and s.user_id = f.user_id and s.fusion_key = f.key
      where f.user_id = ${user} group by f.key, f.status, f.request, f.position order by f.position nulls first`);
  const free = ({ user }: Stage) =>
    rows(sql`update slowwave.leases set expires_at = '-infinity' where user_id = ${user}`);
  /** Another importance: the words stay, and what waits for a person has to be proposed anew. */
  const weigh = async (ana: Stage, place: number) => {
    await free(ana);
    const { id } = ana.members[place]!;
    const edit = { tenant, user: ana.user, id, importance: 2, actor: 'x', at: NOW };
    await inTenant((tx) => editMemory(tx, edit));
    await rows(sql`update slowwave.leases set expires_at = 'infinity' where user_id = ${ana.user}`);
  };
  const mayReopen = ({ user }: Stage) =>
    inTenant((tx) => ask(tx, askExpiredReviews({ tenant, user, at: NOW })));
  const reopen = ({ user }: Stage) => inTenant((tx) => expireReviews(tx, { tenant, user, at: NOW }));
  const keysOf = async ({ user }: Stage, key: string) =>
    (await inTenant((tx) => readFusion(tx, { tenant, user, key, at: NOW })))!.statements;

  it('ledger: the statuses that its constraint knows, those of the list', async () => {
    const [check] = await rows<{ text: string }>(
      sql`select pg_get_constraintdef(oid) as text from pg_constraint where conname = 'fusions_status'`,
    );
    expect([...check!.text.matchAll(/'(\w+)'/g)].map(([, word]) => word)).toEqual([...FUSION_STATUSES]);
  });

  it('stand each for its sources, under a key of its own, and their fusion is closed', async () => {
    const ana = await stage();
    const { key, result } = await commit(ana, [
      [0, 1],
      [2, 3, 4],
    ]);
    expect(result).toMatchObject({ status: 'applied', superseded: 5 });
    expect(await latest(ana)).toEqual([
      '5',
      'Bicycles 0 and 1, statement 0.',
      'Bicycles 2 and 3 and 4, statement 1.',
    ]);
    expect(await ledger(ana)).toEqual([
      { status: 'closed', request: null, position: null, live: 0, superseded: 0 },
      { status: 'applied', request: key, position: 0, live: 0, superseded: 2 },
      { status: 'applied', request: key, position: 1, live: 0, superseded: 3 },
    ]);
    const sets = await rows<{ images: number }>(sql`
      select (select count(*)::int from slowwave.changes c where c.user_id = s.user_id and c.change_set_id = s.id) as images
      from slowwave.change_sets s where s.user_id = ${ana.user} order by images`);
    // The derived memory, and of each source the memory and its relation.
    expect(sets.map(({ images }) => images)).toEqual([5, 7]);
    // In the list are the statements, not what they answer.
    const { rows: items } = await inTenant((tx) => pageFusions(tx, { tenant, user: ana.user, limit: 10 }));
    expect(items.map(({ status, derived }) => [status, derived?.content])).toEqual(
      expect.arrayContaining([
        ['applied', 'Bicycles 0 and 1, statement 0.'],
        ['applied', 'Bicycles 2 and 3 and 4, statement 1.'],
      ]),
    );
    expect(items).toHaveLength(2);
  });

  it('are told with the model that answered, not the one that was asked for', async () => {
    const ana = await stage(3);
    const { key } = await commit(ana, [[0, 1]]);
    const { rows: items } = await inTenant((tx) => pageFusions(tx, { tenant, user: ana.user, limit: 10 }));
    const read = (of: string) =>
      inTenant((tx) => readFusion(tx, { tenant, user: ana.user, key: of, at: NOW }));
    const [statement] = await keysOf(ana, key);
    const models = [...items, await read(key), await read(statement!.key)].map((one) => one!.model);
    expect(models).toEqual([ANSWER.model, ANSWER.model, ANSWER.model]);
  });

  it('are written once: what is closed is neither claimed nor written again', async () => {
    const ana = await stage();
    const { key } = await commit(ana, [[0, 1]]);
    const { result } = await commit(ana, [[2, 3]], { key });
    expect(result).toEqual({ status: 'stopped', reason: 'closed' });
    const again = await createMemoryStore(database, ana.scope).claimFusion(clusterOf(ana.members));
    expect(again).toMatchObject({ status: 'skipped', reason: 'closed' });
  });

  it('none close their fusion with its reason, and all sources stay', async () => {
    const ana = await stage(3);
    const { key, result } = await commit(ana, [], { reason: 'floor' });
    expect(result).toEqual({ status: 'closed' });
    expect(await latest(ana)).toEqual(['0', '1', '2']);
    expect(await inTenant((tx) => readFusion(tx, { tenant, user: ana.user, key, at: NOW }))).toMatchObject({
      status: 'closed',
      errorCode: 'floor',
      statements: [],
    });
  });

  it('come to pass together or not at all, in at most eight round trips whatever their number', async () => {
    const ana = await stage();
    const key = await claim(ana);
    await rows(
      sql`update slowwave.memories set version = version + 1 where id = ${ana.members[4]!.id}::uuid`,
    );
    const { result } = await commit(
      ana,
      [
        [0, 1],
        [3, 4],
      ],
      { key },
    );
    expect(result).toEqual({ status: 'stale' });
    expect(await latest(ana)).toEqual(['0', '1', '2', '3', '4', '5']);
    expect((await ledger(ana)).map(({ status }) => status)).toEqual(['stale']);

    const trips = async (groups: number[][]) => {
      const one = await stage();
      const claimed = await claim(one);
      let count = 0;
      const counting: typeof database = {
        ...database,
        withTenant: (of, work) =>
          database.withTenant(of, (tx) =>
            work({
              ...tx,
              rows: (query) => {
                count += 1;
                return tx.rows(query);
              },
            }),
          ),
      };
      const statements = groups.map((places) =>
        statement(
          places.map((place) => one.members[place]!),
          `Bicycles ${places.join()}`,
        ),
      );
      const result = await createMemoryStore(counting, one.scope).commitStatements(
        claimed,
        clusterOf(one.members),
        statements,
        {
          conflicts: [],
          reason: null,
        },
      );
      expect(result.status).toBe('applied');
      return count;
    };
    const one = await trips([[0, 1]]);
    expect(
      await trips([
        [0, 1],
        [2, 3],
        [4, 5],
      ]),
    ).toBe(one);
    // With begin and commit.
    expect(one + 2).toBeLessThanOrEqual(8);
  });

  it.each(['lease', 'ledger', 'sources', 'rowCount'] as const)('obey the guard %s', async (guard) => {
    const ana = await stage(3);
    const key = await claim(ana);
    const user = ana.user;
    if (guard === 'lease')
      await rows(sql`update slowwave.leases set fence = fence + 1 where user_id = ${user}`);
    if (guard === 'ledger')
      await rows(sql`update slowwave.fusions set status = 'forgotten' where user_id = ${user}`);
    if (guard === 'sources' || guard === 'rowCount')
      await rows(sql`
        update slowwave.memories set is_latest = false, memory_type = 'superseded', prior_type = 'regular',
          superseded_by = ${ana.members[2]!.id}::uuid
        where id = ${ana.members[0]!.id}::uuid`);
    const guards = guard === 'rowCount' ? { sources: false } : {};
    const { result } = await commit(ana, [[0, 1]], { key, options: { guards } });
    expect(result.status).toBe(
      { lease: 'lease_lost', ledger: 'stopped', sources: 'stale', rowCount: 'stale' }[guard],
    );
    expect(await latest(ana)).not.toContain('Bicycles 0 and 1, statement 0.');
  });

  describe('are taken back and made good again', () => {
    const at = NOW + 1_000;

    it('one by one', async () => {
      const ana = await stage();
      const { key } = await commit(ana, [
        [0, 1],
        [2, 3],
      ]);
      await free(ana);
      const [first] = await keysOf(ana, key);
      await undo(database, { tenant, user: ana.user, target: { fusion: first!.key }, actor: 'x', at });
      expect(await latest(ana)).toEqual(['0', '1', '4', '5', 'Bicycles 2 and 3, statement 1.']);
      expect((await keysOf(ana, key)).map(({ status }) => status)).toEqual(['undone', 'applied']);
      // Its sources are not joined by another statement of exactly these.
      const store = createMemoryStore(database, ana.scope);
      await store.loadCandidates(WINDOW);
      expect(store.isKnownSourceSet(ana.members.slice(0, 2))).toBe(true);
      await redo(database, {
        tenant,
        user: ana.user,
        target: { fusion: first!.key },
        actor: 'x',
        at: at + 1,
      });
      expect(await latest(ana)).toEqual([
        '4',
        '5',
        'Bicycles 0 and 1, statement 0.',
        'Bicycles 2 and 3, statement 1.',
      ]);
    });

    it('of a source that was archived, which is archived again', async () => {
      const ana = await stage();
      const archived = new Date(NOW - 5_000);
      await rows(sql`
        update slowwave.memories set archived_at = ${archived.toISOString()} where id = ${ana.members[0]!.id}`);
      const stateOfSource = () =>
        rows(sql`
          select is_latest, (extract(epoch from archived_at) * 1000)::float8 as archived
          from slowwave.memories where id = ${ana.members[0]!.id}`);
      const { key } = await commit(ana, [[0, 1]]);
      expect(await stateOfSource()).toMatchObject([{ is_latest: false }]);
      await free(ana);
      await undo(database, { tenant, user: ana.user, target: { fusion: key }, actor: 'x', at });
      expect(await stateOfSource()).toEqual([{ is_latest: true, archived: archived.getTime() }]);
    });

    it('all of a fusion', async () => {
      const ana = await stage();
      const { key } = await commit(ana, [
        [0, 1],
        [2, 3],
      ]);
      await free(ana);
      await undo(database, { tenant, user: ana.user, target: { fusion: key }, actor: 'x', at });
      expect(await latest(ana)).toEqual(['0', '1', '2', '3', '4', '5']);
      await redo(database, { tenant, user: ana.user, target: { fusion: key }, actor: 'x', at: at + 1 });
      expect(await latest(ana)).toHaveLength(4);
    });

    it('all of a run', async () => {
      const ana = await stage();
      await rows(sql`
        insert into slowwave.runs (tenant, user_id, id, tier, why, status, requested_at)
        values (${tenant}, ${ana.user}, ${RUN}::uuid, 'deep', 'adhoc', 'completed', now()) on conflict do nothing`);
      await commit(ana, [
        [0, 1],
        [2, 3],
      ]);
      await free(ana);
      await undo(database, { tenant, user: ana.user, target: { run: RUN }, actor: 'x', at });
      expect(await latest(ana)).toEqual(['0', '1', '2', '3', '4', '5']);
    });

    it('by an edit of a source, its own statement alone', async () => {
      const ana = await stage();
      const { key } = await commit(ana, [
        [0, 1],
        [2, 3],
      ]);
      await free(ana);
      const { id } = ana.members[0]!;
      await inTenant((tx) =>
        editMemory(tx, { tenant, user: ana.user, id, content: 'Ana sold it.', actor: 'x', at }),
      );
      expect((await keysOf(ana, key)).map(({ status }) => status)).toEqual(['undone', 'applied']);
      expect(await latest(ana)).toEqual(['1', '4', '5', 'Ana sold it.', 'Bicycles 2 and 3, statement 1.']);
    });
  });

  describe('that wait for a person', () => {
    it('are approved and rejected one by one', async () => {
      const ana = await stage(6, { mode: 'review' });
      const { key, result } = await commit(ana, [
        [0, 1],
        [2, 3],
      ]);
      expect(result).toMatchObject({ status: 'proposed', superseded: 0 });
      expect(await latest(ana)).toEqual(['0', '1', '2', '3', '4', '5']);
      // What waits is claimed; the rest of the cluster is free.
      expect(await candidates(ana.scope)).toHaveLength(2);
      await free(ana);
      const [first, second] = await keysOf(ana, key);
      const decision = { tenant, user: ana.user, at: NOW, by: 'Bea' };
      expect(await inTenant((tx) => listReviews(tx, { tenant, user: ana.user, limit: 9 }))).toHaveLength(2);
      await approveFusion(database, { ...decision, key: first!.key });
      await rejectFusion(database, { ...decision, key: second!.key });
      expect(await latest(ana)).toEqual(['2', '3', '4', '5', 'Bicycles 0 and 1, statement 0.']);
      const store = createMemoryStore(database, ana.scope);
      await store.loadCandidates(WINDOW);
      expect(store.isKnownSourceSet(ana.members.slice(2, 4))).toBe(true);
    });

    it('stay turned down, whatever an answer says that is used again', async () => {
      const ana = await stage(6, { mode: 'review', reviewMs: DAY });
      const groups = [
        [0, 1],
        [2, 3],
      ];
      const { key } = await commit(ana, groups);
      await free(ana);
      const [first] = await keysOf(ana, key);
      await rejectFusion(database, { tenant, user: ana.user, at: NOW, by: 'Bea', key: first!.key });
      await inTenant((tx) => expireReviews(tx, { tenant, user: ana.user, at: NOW + 2 * DAY }));
      await rows(sql`update slowwave.leases set expires_at = 'infinity' where user_id = ${ana.user}`);
      await claim(ana);
      expect((await commit(ana, groups, { key })).result).toEqual({ status: 'stale' });
      expect((await keysOf(ana, key)).map(({ status }) => status)).toEqual(['rejected', 'expired']);
    });

    it('and are decided about by nobody are planned again, with the answer that was paid for', async () => {
      const ana = await stage(3, { mode: 'review', reviewMs: DAY });
      const { key } = await commit(ana, [[0, 1]]);
      const later = NOW + 2 * DAY;
      expect(await inTenant((tx) => expireReviews(tx, { tenant, user: ana.user, at: later }))).toBe(1);
      const claimed = await createMemoryStore(database, ana.scope).claimFusion(clusterOf(ana.members));
      expect(claimed).toMatchObject({ status: 'claimed', answer: { text: ANSWER.text } });
      const { result } = await commit(ana, [[0, 1]], { key });
      expect(result.status).toBe('proposed');
    });

    it('and lose a source to an edit of its importance are planned again, with the answer that was paid for', async () => {
      const ana = await stage(3, { mode: 'review' });
      const { key } = await commit(ana, [[0, 1]]);
      await weigh(ana, 0);
      expect(await keysOf(ana, key)).toMatchObject([{ status: 'stale' }]);
      expect(await mayReopen(ana)).toBe(true);
      expect(await reopen(ana)).toBe(0);
      const members = await candidates(ana.scope);
      expect(await createMemoryStore(database, ana.scope).claimFusion(clusterOf(members))).toMatchObject({
        status: 'claimed',
        key,
        answer: { text: ANSWER.text },
      });
      expect(await commit({ ...ana, members }, [[0, 1]], { key })).toMatchObject({
        result: { status: 'proposed' },
      });
    });

    it('and were partly applied stay closed when the rest loses a source', async () => {
      const ana = await stage(6, { mode: 'review' });
      const { key } = await commit(ana, [
        [0, 1],
        [2, 3],
      ]);
      await free(ana);
      const [first] = await keysOf(ana, key);
      await approveFusion(database, { tenant, user: ana.user, at: NOW, by: 'Bea', key: first!.key });
      await weigh(ana, 2);
      expect(await mayReopen(ana)).toBe(false);
      await reopen(ana);
      expect((await ledger(ana)).map(({ status }) => status)).toEqual(['closed', 'applied', 'stale']);
      // What was lost is asked about anew, and nothing else.
      const { offered } = await createMemoryStore(database, ana.scope).loadCandidates(WINDOW);
      const placeOf = (id: string) => ana.members.findIndex((member) => member.id === id);
      const pairs = offered!.map(({ a, b }) => [placeOf(a), placeOf(b)].sort().join()).sort();
      expect(pairs).toEqual(['2,4', '2,5', '3,4', '3,5', '4,5']);
    });

    it('and were lost before the last answer was used do not open it again', async () => {
      const ana = await stage(3, { mode: 'review' });
      const { key } = await commit(ana, [[0, 1]]);
      await weigh(ana, 0);
      await reopen(ana);
      const fence = ana.scope.lease.fence + 1;
      const later = { ...ana, scope: { ...ana.scope, lease: { ...ana.scope.lease, fence } } };
      await rows(
        sql`update slowwave.leases set fence = ${fence}, expires_at = 'infinity' where user_id = ${ana.user}`,
      );
      later.members = await candidates(later.scope);
      await claim(later);
      expect((await commit(later, [], { key, reason: 'floor' })).result).toEqual({ status: 'closed' });
      expect(await mayReopen(ana)).toBe(false);
      await reopen(ana);
      expect((await ledger(ana)).map(({ status }) => status)).toEqual(['closed', 'stale']);
    });
  });

  it('of pairs that were offered are not asked for again, until one of the two says something else', async () => {
    const ana = await stage(3);
    const offered = async (promptVersion = ana.scope.promptVersion) =>
      (await createMemoryStore(database, { ...ana.scope, promptVersion }).loadCandidates(WINDOW)).offered;
    expect(await offered()).toEqual([]);
    await commit(ana, []);
    expect(await offered()).toHaveLength(3);
    // Another judge may accept what this one refused.
    expect(await offered(statementsVersionOf('another'))).toEqual([]);
    await free(ana);
    const { id } = ana.members[0]!;
    await inTenant((tx) =>
      editMemory(tx, { tenant, user: ana.user, id, content: 'Ana sold it.', actor: 'x', at: NOW }),
    );
    expect((await offered())!.length).toBeLessThanOrEqual(1);
  });

  it('of pairs in two groups of a request are not remembered as offered, nor those of a request that failed', async () => {
    const ana = await stage(4);
    const store = createMemoryStore(database, ana.scope);
    const names = ({ offered }: Awaited<ReturnType<typeof store.loadCandidates>>) =>
      offered!
        .map(({ a, b, failed }) => {
          const places = [a, b].map((id) => ana.members.findIndex((member) => member.id === id));
          return `${places.sort().join()}${failed ? ' failed' : ''}`;
        })
        .sort();
    const claimed = await store.claimFusion({ ...clusterOf(ana.members), groups: [0, 0, 1, 1] });
    await store.failFusion(claimed.key, { code: 'truncated', final: true, rejectAnswer: true });
    expect(names(await store.loadCandidates(WINDOW))).toEqual(['0,1 failed', '2,3 failed']);
    const again = await store.claimFusion(
      { ...clusterOf(ana.members), groups: [0, 1, 0, 1] },
      { retry: true },
    );
    await store.storeAnswer(claimed.key, 2, ANSWER);
    expect(
      (await inTenant((tx) => loadFusion(tx, { tenant, user: ana.user, key: again.key, at: NOW })))!.cluster,
    ).toMatchObject({
      groups: [0, 1, 0, 1],
    });
    expect((await commit(ana, [], { key: claimed.key, reason: 'floor' })).result).toEqual({
      status: 'closed',
    });
    expect(names(await store.loadCandidates(WINDOW))).toEqual(['0,2', '1,3']);
  });

  it('go with a source that is forgotten; those beside them stay', async () => {
    const ana = await stage();
    const { key } = await commit(ana, [
      [0, 1],
      [2, 3],
    ]);
    await free(ana);
    const result = await forget(database, {
      tenant,
      user: ana.user,
      target: { memory: ana.members[0]!.id },
      actor: 'x',
      at: NOW,
    });
    expect(result.status).toBe('done');
    expect(await latest(ana)).toEqual(['1', '4', '5', 'Bicycles 2 and 3, statement 1.']);
    // The writer had read it: its answer is gone.
    const [request] = await rows<{ output: string | null; status: string }>(
      sql`select output, status from slowwave.fusions where user_id = ${ana.user} and key = ${key}`,
    );
    expect(request).toEqual({ output: null, status: 'forgotten' });
  });

  it('beside it go too where they say what is forgotten, and their sources stand for themselves again', async () => {
    const ana = await stage();
    const { scope, members } = ana;
    const key = await claim(ana);
    const leaking = statement(members.slice(2, 4), 'Ana keeps bicycle number 0 and others in the shed.');
    const clean = statement(members.slice(4, 6), 'Two of them.');
    await createMemoryStore(database, scope).commitStatements(key, clusterOf(members), [leaking, clean], {
      conflicts: [],
      reason: null,
    });
    await free(ana);
    const target = { memory: members[0]!.id };
    await forget(database, { tenant, user: ana.user, target, actor: 'x', at: NOW });
    expect(await latest(ana)).toEqual(['1', '2', '3', 'Two of them.']);
  });

  it.each([
    ['waits for a person', 'review'],
    ['was taken back', 'auto'],
  ] as const)('beside it that %s goes too where it says what is forgotten', async (_what, mode) => {
    const ana = await stage(6, { mode });
    const { scope, members } = ana;
    const key = await claim(ana);
    const leaking = statement(members.slice(2, 4), 'Ana keeps bicycle number 0 and others in the shed.');
    const clean = statement(members.slice(4, 6), 'Two of them.');
    await createMemoryStore(database, scope).commitStatements(key, clusterOf(members), [leaking, clean], {
      conflicts: [],
      reason: null,
    });
    await free(ana);
    const { user } = ana;
    if (mode === 'auto') await undo(database, { tenant, user, target: { fusion: key }, actor: 'x', at: NOW });
    const target = { memory: members[0]!.id };
    await forget(database, { tenant, user, target, actor: 'x', at: NOW });
    const statuses = (await ledger(ana)).map(({ status }) => status);
    expect(statuses).toEqual(['forgotten', 'forgotten', mode === 'auto' ? 'undone' : 'review']);
    const kept = await rows<{ text: string }>(sql`
      select f.proposal::text as text from slowwave.fusions f where f.user_id = ${user} and f.proposal is not null
      union all
      select concat(c.before, c.after) from slowwave.changes c where c.user_id = ${user}`);
    expect(kept.filter(({ text }) => text.includes('number 0'))).toEqual([]);
  });
});
