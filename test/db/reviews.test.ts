import {
  type ApproveResult,
  acquireLease,
  approveFusion,
  type CommitOptions,
  createMemoryStore,
  editMemory,
  expireReviews,
  type FailpointName,
  type FusionScope,
  listReviews,
  REVIEW_MS,
  ReviewRefused,
  rejectFusion,
  releaseLease,
  startRun,
  type Transaction,
} from '@slowwave/db';
import type { Candidate } from '@slowwave/fusion';
import { sql } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { commitStatement, statementOf } from '../fixtures/commit-statement.ts';
import { DATABASES } from '../fixtures/databases.ts';
import { clusterOf, derivedOf, holdLease, NOW, newMemory, scopeOf, seedUser } from '../fixtures/memories.ts';
import { overlap } from '../fixtures/overlap.ts';
import { ownDatabase } from '../fixtures/own-database.ts';

const WINDOW = { minProminence: 0.1, maxProminence: 0.5, minAgeMs: 0 };
const ALL_OFF = {
  ledger: false,
  lease: false,
  sources: false,
  contentKey: false,
  rowCount: false,
  expiry: false,
};
const RUN = '01990000-0000-7000-8000-000000000001';

describe.each(DATABASES)('fusions that wait for a person (%s)', (_name, open) => {
  const { database, inTenant, rows, nextUser } = ownDatabase(open);

  /** A user of its own with dormant memories, loaded as candidates. */
  async function start(count = 3): Promise<{ scope: FusionScope; members: Candidate[]; user: string }> {
    const user = nextUser();
    const memories = Array.from({ length: count }, (_, i) =>
      newMemory(user, `m${i}`, `Ana keeps bicycle number ${i} in the shed`),
    );
    await seedUser(database, { tenant: 't', user, memories });
    const scope = scopeOf('t', user, { mode: 'review', runId: RUN });
    const { candidates } = await createMemoryStore(database, scope).loadCandidates(WINDOW);
    expect(candidates).toHaveLength(count);
    return { scope, members: candidates, user };
  }

  async function claimed(scope: FusionScope, members: Candidate[]): Promise<string> {
    const store = createMemoryStore(database, scope);
    const claim = await store.claimFusion(clusterOf(members));
    if (claim.status !== 'claimed') throw new Error(`not claimed: ${claim.reason}`);
    const answer = { text: '{}', stopReason: 'end_turn', inputTokens: 10, outputTokens: 5, model: 'm' };
    if (!claim.answer) await store.storeAnswer(claim.key, claim.attempt, answer);
    return claim.key;
  }

  const free = (user: string) =>
    rows(sql`update slowwave.leases set expires_at = '-infinity' where user_id = ${user}`);

  /** A proposal over the first members of a fusion, and no run at work for its user. */
  async function proposed(count = 3, covered = count) {
    const started = await start(count);
    const { scope, members, user } = started;
    const request = await claimed(scope, members);
    const coveredIds = members.slice(0, covered).map(({ id }) => id);
    const derived = derivedOf(members, { coveredIds });
    const result = await commitStatement(database, scope, { key: request, members, derived });
    expect(result.status).toBe('proposed');
    await free(user);
    return { ...started, request, key: await statementOf(database, scope, request) };
  }

  const decisionOf = (user: string, key: string, at = NOW + 1_000) => ({
    tenant: 't',
    user,
    key,
    at,
    by: 'zoe',
  });
  const approve = (
    user: string,
    key: string,
    options: CommitOptions & { waitMs?: number; at?: number } = {},
  ): Promise<ApproveResult> =>
    approveFusion(database, decisionOf(user, key, options.at), { waitMs: 200, ...options });
  const refusal = (work: Promise<unknown>): Promise<Partial<ReviewRefused>> =>
    work.then(
      () => ({ code: undefined }),
      (error: unknown) => {
        if (error instanceof ReviewRefused) return error;
        throw error;
      },
    );

  async function stateOf(user: string) {
    const [row] = await rows<Record<string, number>>(sql`
      select (select count(*)::int from slowwave.memories where user_id = ${user} and memory_type = 'derived') as derived,
        (select count(*)::int from slowwave.memories where user_id = ${user} and memory_type = 'superseded') as superseded,
        (select count(*)::int from slowwave.relations where user_id = ${user}) as relations,
        (select count(*)::int from slowwave.changes where user_id = ${user}) as changes,
        (select count(*)::int from slowwave.fusion_sources where user_id = ${user} and live) as live`);
    return row!;
  }
  const UNTOUCHED = { derived: 0, superseded: 0, relations: 0, changes: 0 };
  /** Of the statement; of what it answers while there is none. */
  const ledgerOf = async (user: string) => {
    const [row] = await rows<Record<string, unknown>>(sql`
      select status, proposal is not null as proposal, decided_by as by, run_id as run,
        date_part('epoch', review_expires_at) * 1000 as expires, date_part('epoch', decided_at) * 1000 as decided
      from slowwave.fusions where user_id = ${user} order by request nulls last limit 1`);
    return row!;
  };
  const answerOf = (user: string) =>
    rows(
      sql`select status, answer_state as answer from slowwave.fusions where user_id = ${user} and request is null`,
    );

  describe('proposing', () => {
    it('stores what would be written and keeps the claims; no memory changes', async () => {
      const { user } = await proposed();
      expect(await stateOf(user)).toEqual({ ...UNTOUCHED, live: 3 });
      expect(await ledgerOf(user)).toEqual({
        status: 'review',
        proposal: true,
        by: null,
        run: RUN,
        expires: NOW + REVIEW_MS,
        decided: null,
      });
      expect(await answerOf(user)).toEqual([{ status: 'closed', answer: 'accepted' }]);
    });

    it('takes the time to wait from whoever set it', async () => {
      const { scope, members, user } = await start();
      const day = { ...scope, reviewMs: 86_400_000 };
      const key = await claimed(day, members);
      await commitStatement(database, day, { key, members });
      expect(await ledgerOf(user)).toMatchObject({ expires: NOW + 86_400_000 });
    });

    it('is found when it is done again', async () => {
      const { scope, members, user, request } = await proposed();
      await holdLease({ rows }, { tenant: 't', user, fence: 1 });
      const again = await commitStatement(database, scope, { key: request, members });
      expect(again).toEqual({ status: 'stopped', reason: 'closed' });
      expect(await ledgerOf(user)).toMatchObject({ status: 'review', proposal: true });
      expect(await stateOf(user)).toEqual({ ...UNTOUCHED, live: 3 });
    });

    it('is not overtaken by a commit that asks nobody', async () => {
      const { scope, members, user, request } = await proposed();
      await holdLease({ rows }, { tenant: 't', user, fence: 1 });
      const auto = { ...scope, mode: 'auto' as const };
      expect(await commitStatement(database, auto, { key: request, members })).toEqual({
        status: 'stopped',
        reason: 'closed',
      });
      // Nor by one that does not look at the ledger of what was asked.
      const unasked = { guards: { ledger: false } };
      expect(await commitStatement(database, auto, { key: request, members }, unasked)).toEqual({
        status: 'stale',
      });
      expect(await stateOf(user)).toMatchObject(UNTOUCHED);
      expect(await ledgerOf(user)).toMatchObject({ status: 'review', proposal: true });
    });

    it('keeps its sources out of every other plan, whoever holds the user later', async () => {
      const { scope, members, user } = await proposed(4, 3);
      const later = { ...scope, lease: { holder: 'w2', fence: 9 } };
      const store = createMemoryStore(database, later);
      // What was read beside them is free.
      expect((await store.loadCandidates(WINDOW)).candidates.map(({ id }) => id)).toEqual([members[3]!.id]);
      expect(await store.claimFusion(clusterOf(members.slice(1)))).toMatchObject({ reason: 'claimed' });
      expect(store.isKnownSourceSet(members.slice(0, 3))).toBe(true);
      expect(await ledgerOf(user)).toMatchObject({ status: 'review' });
    });

    it('remembers which sources the model says disagree, in the same transaction', async () => {
      const { scope, members, user } = await start(4);
      const key = await claimed(scope, members);
      const [a, b] = [members[2]!.id, members[3]!.id];
      const derived = derivedOf(members, { coveredIds: members.slice(0, 2).map(({ id }) => id) });
      const pairs = [{ a, b, kind: 'contradictory' as const, slot: 'bicycle' }];
      const statement = { key, members, derived, conflicts: pairs };
      const failpoints = (name: FailpointName) => {
        if (name === 'after-applied') throw new Error('broken on purpose');
      };
      await expect(commitStatement(database, scope, statement, { failpoints })).rejects.toThrow();
      const conflicts = () =>
        rows<{ source: string; run: string }>(
          sql`select source, run_id as run from slowwave.conflicts where user_id = ${user}`,
        );
      expect(await conflicts()).toEqual([]);
      await commitStatement(database, scope, statement);
      expect(await conflicts()).toEqual([{ source: 'fusion', run: RUN }]);
    });

    it.each([
      ['lease', sql`update slowwave.leases set fence = fence + 1`, 'lease_lost'],
      ['sources', sql`update slowwave.memories set version = version + 1`, 'stale'],
      ['ledger', sql`update slowwave.fusions set status = 'forgotten'`, 'stopped'],
    ] as const)('%s alone keeps it from happening', async (guard, change, status) => {
      const { scope, members, user } = await start();
      const key = await claimed(scope, members);
      await rows(sql`${change} where user_id = ${user}`);
      const guards = { ...ALL_OFF, [guard]: true };
      const result = await commitStatement(database, scope, { key, members }, { guards });
      expect(result.status).toBe(status);
      expect((await ledgerOf(user)).proposal).toBe(false);
      if (status === 'stale') return;
      const free = await commitStatement(database, scope, { key, members }, { guards: ALL_OFF });
      expect(free.status).toBe('proposed');
    });
  });

  describe('approving', () => {
    it('applies what was proposed, and says who wanted it', async () => {
      const { user, key, members } = await proposed(4, 3);
      const result = await approve(user, key);
      expect(result).toMatchObject({ status: 'applied', kind: 'fusion', superseded: 3, already: false });
      expect(await stateOf(user)).toMatchObject({ derived: 1, superseded: 3, relations: 3, live: 0 });
      expect(await ledgerOf(user)).toMatchObject({
        status: 'applied',
        proposal: false,
        by: 'zoe',
        run: RUN,
        expires: null,
        decided: NOW + 1_000,
      });
      const sets = await rows(sql`
        select kind, actor, run_id as run, fusion_key as key from slowwave.change_sets where user_id = ${user}`);
      expect(sets).toEqual([{ kind: 'fusion', actor: 'zoe', run: RUN, key }]);
      const derived = await rows<{ id: string; content: string }>(
        sql`select id, content from slowwave.memories where user_id = ${user} and memory_type = 'derived'`,
      );
      expect(derived).toEqual([
        { id: result.status === 'applied' ? result.makes : '', content: derivedOf(members).content },
      ]);
      const [lease] = await rows<{ free: boolean }>(
        sql`select expires_at < now() as free from slowwave.leases where user_id = ${user}`,
      );
      expect(lease!.free).toBe(true);
    });

    it('twice is once', async () => {
      const { user, key } = await proposed();
      const both = await Promise.all([
        approve(user, key, { waitMs: 5_000 }),
        approve(user, key, { waitMs: 5_000 }),
      ]);
      expect(both.map((result) => result.status === 'applied' && result.already).sort()).toEqual([
        false,
        true,
      ]);
      expect(await approve(user, key)).toMatchObject({ status: 'applied', already: true });
      expect(await stateOf(user)).toMatchObject({ derived: 1, superseded: 3 });
    });

    it('finds a changed source, writes nothing and lets all of them go', async () => {
      const { user, key, members } = await proposed();
      await rows(
        sql`update slowwave.memories set version = version + 1 where user_id = ${user} and id = ${members[1]!.id}`,
      );
      expect(await approve(user, key)).toEqual({ status: 'stale' });
      expect(await stateOf(user)).toEqual({ ...UNTOUCHED, live: 0 });
      expect(await ledgerOf(user)).toMatchObject({ status: 'stale', proposal: false });
    });

    it.each([
      'after-ledger',
      'after-sources',
      'after-derived',
      'after-supersede',
      'after-marked',
      'after-applied',
    ] as const)('leaves nothing half-written when it breaks %s', async (point) => {
      const { user, key } = await proposed();
      const failpoints = (name: string) => {
        if (name === point) throw new Error('broken on purpose');
      };
      await expect(approve(user, key, { failpoints })).rejects.toThrow('broken on purpose');
      expect(await stateOf(user)).toEqual({ ...UNTOUCHED, live: 3 });
      expect(await approve(user, key)).toMatchObject({ status: 'applied', already: false });
    });

    it('refuses what is unknown, decided or taken back', async () => {
      const { user, key } = await proposed();
      expect(await refusal(approve('nobody', key))).toMatchObject({ code: 'unknown', retryable: false });
      expect(await refusal(approve(user, 'f'.repeat(64)))).toMatchObject({ code: 'unknown' });
      await rejectFusion(database, decisionOf(user, key));
      expect(await refusal(approve(user, key))).toMatchObject({ code: 'not_in_review', status: 'rejected' });
    });

    it('waits for whoever is at work, up to a limit', async () => {
      const { user, key } = await proposed();
      const held = await acquireLease(database, { tenant: 't', user, holder: 'run', ttlMs: 60_000 });
      if (held.status !== 'held') throw new Error(held.status);
      expect(await refusal(approve(user, key, { waitMs: 60 }))).toMatchObject({
        code: 'busy',
        retryable: true,
      });
      const waiting = approve(user, key, { waitMs: 20_000 });
      await releaseLease(database, { tenant: 't', user, holder: 'run', fence: held.fence });
      expect(await waiting).toMatchObject({ status: 'applied' });
    });

    it('says of a run that was lost that it was lost, when it takes the user over', async () => {
      const { user, key } = await proposed();
      const held = await acquireLease(database, { tenant: 't', user, holder: 'run', ttlMs: 60_000 });
      if (held.status !== 'held') throw new Error(held.status);
      const { fence } = held;
      await inTenant((tx) => startRun(tx, { tenant: 't', user, tier: 'deep', why: 'adhoc', fence, at: NOW }));
      await rows(
        sql`update slowwave.leases set expires_at = now() - interval '1 second' where user_id = ${user}`,
      );
      expect(await approve(user, key)).toMatchObject({ status: 'applied' });
      expect(await rows(sql`select status from slowwave.runs where user_id = ${user}`)).toEqual([
        { status: 'abandoned' },
      ]);
    });

    describe('each guard alone', () => {
      /** Changes something when the approval has looked and holds the user, right before its transaction. */
      const meanwhile = (change: ReturnType<typeof sql>, user: string) => async (name: string) => {
        if (name === 'before-transaction') await rows(sql`${change} where user_id = ${user}`);
      };

      it('ledger: what was rejected meanwhile stays so', async () => {
        const { user, key } = await proposed();
        // Without the guard it would be looked at, and found without a proposal.
        const change = sql`update slowwave.fusions set status = 'stale', proposal = null, review_expires_at = null`;
        const failpoints = meanwhile(change, user);
        const guards = { ...ALL_OFF, ledger: true };
        expect(await refusal(approve(user, key, { guards, failpoints }))).toMatchObject({
          code: 'not_in_review',
          status: 'stale',
        });
        expect(await stateOf(user)).toMatchObject(UNTOUCHED);
      });

      it('lease: whoever lost the user writes nothing', async () => {
        const { user, key } = await proposed();
        const failpoints = meanwhile(
          sql`update slowwave.leases set fence = fence + 1, holder = 'other'`,
          user,
        );
        const guarded = approve(user, key, { guards: { ...ALL_OFF, lease: true }, failpoints });
        expect(await refusal(guarded)).toMatchObject({ code: 'busy' });
        expect(await stateOf(user)).toMatchObject(UNTOUCHED);
        await free(user);
        expect(await approve(user, key, { guards: ALL_OFF, failpoints })).toMatchObject({
          status: 'applied',
        });
      });

      it.each([
        ['content', sql`content_hash = 'changed'`],
        ['version', sql`version = version + 1`],
        ['latest', sql`is_latest = false`],
      ])('sources: a changed %s makes it stale', async (_what, change) => {
        const { user, key } = await proposed();
        const failpoints = meanwhile(sql`update slowwave.memories set ${change}`, user);
        expect(await approve(user, key, { guards: { ...ALL_OFF, sources: true }, failpoints })).toEqual({
          status: 'stale',
        });
        expect(await stateOf(user)).toMatchObject(UNTOUCHED);
      });

      it('content key: a ledger that lost its memory does not derive twice', async () => {
        const { user, key, members } = await proposed();
        const guards = { ...ALL_OFF, contentKey: true };
        await approve(user, key, { guards });
        const proposal = JSON.stringify(derivedOf(members));
        await rows(sql`
          update slowwave.fusions set status = 'review', proposal = ${proposal}::jsonb, review_expires_at = now()
          where user_id = ${user} and key = ${key}`);
        expect(await approve(user, key, { guards })).toMatchObject({ status: 'applied', already: true });
        expect(await stateOf(user)).toMatchObject({ derived: 1 });
      });

      it('row count: fewer superseded than proposed rolls back', async () => {
        const { user, key } = await proposed();
        const failpoints = meanwhile(sql`update slowwave.memories set is_latest = false`, user);
        expect(await approve(user, key, { guards: { ...ALL_OFF, rowCount: true }, failpoints })).toEqual({
          status: 'stale',
        });
        expect(await stateOf(user)).toMatchObject(UNTOUCHED);
        expect(await ledgerOf(user)).toMatchObject({ status: 'stale' });
      });

      it('expiry: what waited for too long is taken back', async () => {
        const { user, key } = await proposed();
        const late = { at: NOW + REVIEW_MS };
        expect(await refusal(approve(user, key, late))).toMatchObject({ code: 'expired' });
        expect(await ledgerOf(user)).toMatchObject({ status: 'expired', proposal: false });
        expect(await stateOf(user)).toEqual({ ...UNTOUCHED, live: 0 });
        const other = await proposed();
        expect(
          await approve(other.user, other.key, { ...late, guards: { ...ALL_OFF, expiry: true } }).catch(
            (error: ReviewRefused) => error.code,
          ),
        ).toBe('expired');
        const unguarded = await proposed();
        expect(
          await approve(unguarded.user, unguarded.key, { ...late, guards: { expiry: false } }),
        ).toMatchObject({ status: 'applied' });
      });
    });

    describe('at the same time as', () => {
      it('a rejection: the one that is first counts', async () => {
        const { user, key } = await proposed();
        const [, late] = await overlap(
          database,
          't',
          (tx) =>
            tx.rows(sql`
              update slowwave.fusions set status = 'rejected', proposal = null, review_expires_at = null
              where user_id = ${user} and key = ${key}`),
          () => refusal(approve(user, key)),
        );
        expect(late).toMatchObject({ code: 'not_in_review', status: 'rejected' });
        expect(await stateOf(user)).toMatchObject(UNTOUCHED);
        const racing = await proposed();
        const both = await Promise.allSettled([
          approve(racing.user, racing.key),
          rejectFusion(database, decisionOf(racing.user, racing.key)),
        ]);
        expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
        const { status } = await ledgerOf(racing.user);
        expect(await stateOf(racing.user)).toMatchObject(
          status === 'applied' ? { derived: 1, superseded: 3 } : UNTOUCHED,
        );
      });

      it('a change of a source: stale', async () => {
        const { user, key, members } = await proposed();
        const [, late] = await overlap(
          database,
          't',
          (tx) =>
            tx.rows(sql`
              update slowwave.memories set version = version + 1 where user_id = ${user} and id = ${members[0]!.id}`),
          () => approve(user, key),
        );
        expect(late).toEqual({ status: 'stale' });
        expect(await stateOf(user)).toEqual({ ...UNTOUCHED, live: 0 });
      });

      it('an edit of a source: it stops', async () => {
        const { user, key, members } = await proposed();
        const [, late] = await overlap(
          database,
          't',
          (tx) => reweigh(tx, user, members[0]!.id),
          () => refusal(approve(user, key)),
        );
        expect(late).toMatchObject({ code: 'not_in_review', status: 'stale' });
        expect(await stateOf(user)).toEqual({ ...UNTOUCHED, live: 0, changes: 1 });
      });
    });
  });

  const reweigh = (tx: Transaction, user: string, id: string) =>
    editMemory(tx, { tenant: 't', user, id, importance: 9, at: NOW, actor: null });

  describe('rejecting', () => {
    it('lets the sources go, and never plans them together again', async () => {
      const { scope, members, user, key } = await proposed();
      const decision = decisionOf(user, key);
      expect(await rejectFusion(database, decision)).toEqual({
        status: 'rejected',
        kind: 'fusion',
        already: false,
      });
      expect(await stateOf(user)).toEqual({ ...UNTOUCHED, live: 0 });
      expect(await ledgerOf(user)).toMatchObject({ status: 'rejected', by: 'zoe', proposal: false });
      expect(await rejectFusion(database, decision)).toMatchObject({ already: true });
      const store = createMemoryStore(database, { ...scope, tier: 'sleep', model: 'another' });
      expect((await store.loadCandidates(WINDOW)).candidates).toHaveLength(3);
      expect(store.isKnownSourceSet(members)).toBe(true);
      expect(await createMemoryStore(database, scope).claimFusion(clusterOf(members))).toMatchObject({
        status: 'skipped',
        reason: 'closed',
      });
    });

    it('is refused for what does not wait', async () => {
      const { user, key } = await proposed();
      await approve(user, key);
      expect(await refusal(rejectFusion(database, decisionOf(user, key)))).toMatchObject({
        code: 'not_in_review',
        status: 'applied',
      });
      expect(await refusal(rejectFusion(database, decisionOf('nobody', key)))).toMatchObject({
        code: 'unknown',
      });
    });
  });

  describe('waiting for too long', () => {
    it('takes it back, and a later run proposes it again with the answer that was paid for', async () => {
      const { scope, members, user } = await proposed();
      const other = await proposed();
      const expire = (at: number) => inTenant((tx) => expireReviews(tx, { tenant: 't', user, at }));
      expect(await expire(NOW + REVIEW_MS - 1)).toBe(0);
      expect(await expire(NOW + REVIEW_MS)).toBe(1);
      expect(await ledgerOf(user)).toMatchObject({ status: 'expired', proposal: false, expires: null });
      expect(await ledgerOf(other.user)).toMatchObject({ status: 'review' });
      expect(await stateOf(user)).toEqual({ ...UNTOUCHED, live: 0 });
      const later = { ...scope, at: NOW + REVIEW_MS, lease: { holder: 'w2', fence: 5 } };
      await holdLease({ rows }, { tenant: 't', user, ...later.lease });
      const store = createMemoryStore(database, later);
      await store.loadCandidates(WINDOW);
      expect(store.isKnownSourceSet(members)).toBe(false);
      const claim = await store.claimFusion(clusterOf(members));
      expect(claim).toMatchObject({ status: 'claimed', answer: { text: '{}' } });
      const result = await commitStatement(database, later, { key: claim.key, members });
      expect(result.status).toBe('proposed');
      expect(await ledgerOf(user)).toMatchObject({ status: 'review', expires: NOW + 2 * REVIEW_MS });
    });
  });

  describe('listing', () => {
    const list = (user?: string, limit = 50) =>
      inTenant((tx) => listReviews(tx, { tenant: 't', user, limit }));

    it('shows what would be written, and what would become of each source', async () => {
      const { user, key, members } = await proposed(4, 3);
      await rows(
        sql`update slowwave.memories set version = version + 1 where user_id = ${user} and id = ${members[2]!.id}`,
      );
      expect(await list(user)).toEqual([
        {
          key,
          user,
          kind: 'fusion',
          tier: 'deep',
          runId: RUN,
          model: 'm',
          proposedAt: NOW,
          expiresAt: NOW + REVIEW_MS,
          derived: {
            content: derivedOf(members).content,
            category: 'fact',
            importance: 5,
            confidence: 0.8,
            trust: 0.8,
            visibility: 'private',
          },
          sources: members.slice(0, 3).map(({ id, content, documentDate }, i) => ({
            id,
            content,
            category: 'fact',
            documentDate,
            fate: 'superseded',
            changed: i === 2,
          })),
        },
      ]);
    });

    it('is newest first, of one user or of all in the tenant, and of nobody else', async () => {
      const one = await proposed();
      const two = await proposed();
      await rows(
        sql`update slowwave.fusions set updated_at = updated_at + interval '100 days' where user_id = ${two.user}`,
      );
      const keys = (await list()).map(({ key }) => key);
      expect(keys[0]).toBe(two.key);
      expect(keys).toContain(one.key);
      expect((await list(one.user)).map(({ key }) => key)).toEqual([one.key]);
      expect(await list(undefined, 1)).toHaveLength(1);
      const others = await database.withTenant('other', (tx) =>
        listReviews(tx, { tenant: 'other', limit: 50 }),
      );
      expect(others).toEqual([]);
    });
  });

  it('are taken back by a change of one of their sources, not of what was only read beside them', async () => {
    const { scope, members, user, request } = await proposed(4, 3);
    await seedUser(database, { tenant: 't', user, memories: [newMemory(user, 'other', 'Ana rows')] });
    const change = (id: string) => inTenant((tx) => reweigh(tx, user, id));
    for (const beside of ['other', members[3]!.id]) await change(beside);
    expect(await ledgerOf(user)).toMatchObject({ status: 'review', proposal: true });
    await change(members[2]!.id);
    expect(await ledgerOf(user)).toMatchObject({ status: 'stale', proposal: false });
    expect(await stateOf(user)).toMatchObject({ live: 0 });
    await holdLease({ rows }, { tenant: 't', user, fence: 1 });
    const { candidates } = await createMemoryStore(database, scope).loadCandidates(WINDOW);
    // Its sources are free for another plan.
    const again = candidates.filter(({ id }) => members.slice(0, 3).some((member) => member.id === id));
    expect(again).toHaveLength(3);
    expect(await claimed(scope, again)).not.toBe(request);
  });
});
