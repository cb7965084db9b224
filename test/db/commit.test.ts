import { createMemoryStore, type FailpointName, type FusionScope, staleLeftFusions } from '@slowwave/db';
import type { Candidate } from '@slowwave/fusion';
import { sql } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { commitStatement, derivedIn } from '../fixtures/commit-statement.ts';
import { DATABASES } from '../fixtures/databases.ts';
import { clusterOf, derivedOf, holdLease, NOW, newMemory, scopeOf, seedUser } from '../fixtures/memories.ts';
import { ownDatabase } from '../fixtures/own-database.ts';

const WINDOW = { minProminence: 0.1, maxProminence: 0.5, minAgeMs: 0 };
const ALL_OFF = { ledger: false, lease: false, sources: false, contentKey: false, rowCount: false };

describe.each(DATABASES)('the commit transaction (%s)', (_name, open) => {
  const { database, inTenant, rows, nextUser } = ownDatabase(open);

  /** A user of its own with three dormant memories, loaded as candidates. */
  async function start(count = 3): Promise<{ scope: FusionScope; members: Candidate[] }> {
    const user = nextUser();
    const memories = Array.from({ length: count }, (_, i) =>
      newMemory(user, `m${i}`, `Ana keeps bicycle number ${i} in the shed`),
    );
    await seedUser(database, { tenant: 't', user, memories });
    const scope = scopeOf('t', user);
    const { candidates } = await createMemoryStore(database, scope).loadCandidates(WINDOW);
    expect(candidates).toHaveLength(count);
    return { scope, members: candidates };
  }

  async function stateOf(user: string) {
    const [row] = await rows<{
      derived: number;
      superseded: number;
      relations: number;
      changes: number;
      live: number;
    }>(sql`
      select (select count(*)::int from slowwave.memories where user_id = ${user} and memory_type = 'derived') as derived,
        (select count(*)::int from slowwave.memories where user_id = ${user} and memory_type = 'superseded') as superseded,
        (select count(*)::int from slowwave.relations where user_id = ${user}) as relations,
        (select count(*)::int from slowwave.changes where user_id = ${user}) as changes,
        (select count(*)::int from slowwave.fusion_sources where user_id = ${user} and live) as live`);
    return row!;
  }

  const UNTOUCHED = { derived: 0, superseded: 0, relations: 0, changes: 0 };

  async function claimed(scope: FusionScope, members: Candidate[]) {
    const store = createMemoryStore(database, scope);
    const claim = await store.claimFusion(clusterOf(members));
    if (claim.status !== 'claimed') throw new Error(`not claimed: ${claim.reason}`);
    await store.storeAnswer(claim.key, claim.attempt, {
      text: '{}',
      stopReason: 'end_turn',
      inputTokens: 10,
      outputTokens: 5,
      model: 'test-model',
    });
    return claim.key;
  }

  it('writes the derived memory, lineage, supersede, journal and ledger together', async () => {
    const { scope, members } = await start();
    const key = await claimed(scope, members);
    const result = await commitStatement(database, scope, { key, members });
    expect(result).toMatchObject({ status: 'applied', superseded: 3 });
    expect(await stateOf(scope.user)).toEqual({
      derived: 1,
      superseded: 3,
      relations: 3,
      changes: 7,
      live: 0,
    });
    const sources = await rows<{ latest: boolean; prior: string; version: number; by: string }>(sql`
      select is_latest as latest, prior_type as prior, version, superseded_by as by from slowwave.memories
      where user_id = ${scope.user} and memory_type = 'superseded'`);
    const derivedId = derivedIn(result);
    expect(sources).toEqual(
      Array.from({ length: 3 }, () => ({ latest: false, prior: 'regular', version: 2, by: derivedId })),
    );
    const images = await rows<{
      before: { version: number; content: string } | null;
      after: { version: number };
    }>(sql`
      select before, after from slowwave.changes where user_id = ${scope.user} and table_name = 'memories' order by position`);
    expect(images[0]!.before).toBeNull();
    expect(images.slice(1).map((image) => [image.before!.version, image.after.version])).toEqual([
      [1, 2],
      [1, 2],
      [1, 2],
    ]);
    expect(images[1]!.before!.content).toContain('bicycle');
    const ledger = await rows<{ status: string; answer: string; tokens: number }>(sql`
      select status, answer_state as answer, (input_tokens + output_tokens)::int as tokens
      from slowwave.fusions where user_id = ${scope.user} order by status`);
    expect(ledger).toEqual([
      { status: 'applied', answer: 'none', tokens: 0 },
      { status: 'closed', answer: 'accepted', tokens: 15 },
    ]);
  });

  it('supersedes only the covered sources', async () => {
    const { scope, members } = await start();
    const key = await claimed(scope, members);
    const covered = members.slice(0, 2).map((member) => member.id);
    const derived = derivedOf(members, { coveredIds: covered });
    await commitStatement(database, scope, { key, members, derived });
    expect(await stateOf(scope.user)).toMatchObject({ derived: 1, superseded: 2, relations: 2 });
  });

  it('finds what it applied when it is called again', async () => {
    const { scope, members } = await start();
    const key = await claimed(scope, members);
    await commitStatement(database, scope, { key, members });
    expect(await commitStatement(database, scope, { key, members })).toEqual({
      status: 'stopped',
      reason: 'closed',
    });
    expect(await createMemoryStore(database, scope).claimFusion(clusterOf(members))).toMatchObject({
      status: 'skipped',
      reason: 'closed',
    });
    expect(await stateOf(scope.user)).toMatchObject({ derived: 1, changes: 7 });
  });

  const INSIDE: FailpointName[] = [
    'before-transaction',
    'after-ledger',
    'after-sources',
    'after-derived',
    'after-supersede',
    'after-marked',
    'after-applied',
  ];

  it.each(INSIDE)('leaves nothing half-written when it breaks %s', async (point) => {
    const { scope, members } = await start();
    const key = await claimed(scope, members);
    const failpoints = (name: FailpointName) => {
      if (name === point) throw new Error('broken on purpose');
    };
    const breaking = commitStatement(database, scope, { key, members }, { failpoints });
    await expect(breaking).rejects.toThrow();
    expect(await stateOf(scope.user)).toMatchObject(UNTOUCHED);
    const again = await commitStatement(database, scope, { key, members });
    expect(again.status).toBe('applied');
  });

  it('is found applied when it breaks after the commit', async () => {
    const { scope, members } = await start();
    const key = await claimed(scope, members);
    const failpoints = (name: FailpointName) => {
      if (name === 'after-commit') throw new Error('broken on purpose');
    };
    const breaking = commitStatement(database, scope, { key, members }, { failpoints });
    await expect(breaking).rejects.toThrow();
    const again = await commitStatement(database, scope, { key, members });
    expect(again).toEqual({ status: 'stopped', reason: 'closed' });
    expect(await stateOf(scope.user)).toMatchObject({ derived: 1, superseded: 3 });
  });

  describe('each guard alone', () => {
    it('lease: a holder whose fence was overtaken writes nothing', async () => {
      const { scope, members } = await start();
      const key = await claimed(scope, members);
      await inTenant((tx) => holdLease(tx, { tenant: 't', user: scope.user, fence: 2, holder: 'w2' }));
      const guards = { ...ALL_OFF, lease: true };
      expect(await commitStatement(database, scope, { key, members }, { guards })).toEqual({
        status: 'lease_lost',
      });
      expect(await stateOf(scope.user)).toMatchObject(UNTOUCHED);
      const open = await commitStatement(database, scope, { key, members }, { guards: ALL_OFF });
      expect(open.status).toBe('applied');
    });

    it('lease: an expired one counts as lost', async () => {
      const { scope, members } = await start();
      const key = await claimed(scope, members);
      await rows(
        sql`update slowwave.leases set expires_at = now() - interval '1 second' where user_id = ${scope.user}`,
      );
      expect(await commitStatement(database, scope, { key, members })).toEqual({ status: 'lease_lost' });
    });

    it.each([
      ['content', sql`content_hash = 'changed'`],
      ['version', sql`version = version + 1`],
      ['latest', sql`is_latest = false`],
    ])('sources: a changed %s makes the fusion stale', async (_what, change) => {
      const { scope, members } = await start();
      const key = await claimed(scope, members);
      await rows(
        sql`update slowwave.memories set ${change} where user_id = ${scope.user} and id = ${members[0]!.id}`,
      );
      const guards = { ...ALL_OFF, sources: true };
      expect(await commitStatement(database, scope, { key, members }, { guards })).toEqual({
        status: 'stale',
      });
      expect(await stateOf(scope.user)).toMatchObject({ ...UNTOUCHED, live: 0 });
      const ledger = await rows(sql`select status from slowwave.fusions where user_id = ${scope.user}`);
      expect(ledger).toEqual([{ status: 'stale' }]);
    });

    it('content key: a second delivery finds the statement of the first', async () => {
      const { scope, members } = await start();
      const key = await claimed(scope, members);
      const guards = { ...ALL_OFF, contentKey: true };
      const commit = () => commitStatement(database, scope, { key, members }, { guards });
      expect(await commit()).toMatchObject({ status: 'applied' });
      expect(await commit()).toEqual({ status: 'stale' });
      expect(await stateOf(scope.user)).toMatchObject({ derived: 1, changes: 7 });
    });

    it('content key: a ledger that lost its memory does not derive twice', async () => {
      const { scope, members } = await start();
      const key = await claimed(scope, members);
      const guards = { ...ALL_OFF, contentKey: true };
      const commit = () => commitStatement(database, scope, { key, members }, { guards });
      await commit();
      await rows(
        sql`update slowwave.fusions set status = 'stale' where user_id = ${scope.user} and status = 'applied'`,
      );
      expect(await commit()).toEqual({ status: 'stopped', reason: 'closed' });
      expect(await stateOf(scope.user)).toMatchObject({ derived: 1, changes: 7 });
    });

    it('row count: fewer rows superseded than gated rolls back', async () => {
      const { scope, members } = await start();
      const key = await claimed(scope, members);
      await rows(
        sql`update slowwave.memories set is_latest = false where user_id = ${scope.user} and id = ${members[0]!.id}`,
      );
      const guards = { ...ALL_OFF, rowCount: true };
      expect(await commitStatement(database, scope, { key, members }, { guards })).toEqual({
        status: 'stale',
      });
      expect(await stateOf(scope.user)).toMatchObject(UNTOUCHED);
    });

    it.each(['closed', 'undone', 'rejected', 'forgotten', 'failed'])(
      'ledger: a fusion that is %s stays so',
      async (status) => {
        const { scope, members } = await start();
        const key = await claimed(scope, members);
        await rows(sql`update slowwave.fusions set status = ${status} where user_id = ${scope.user}`);
        const guards = { ...ALL_OFF, ledger: true };
        expect(await commitStatement(database, scope, { key, members }, { guards })).toMatchObject({
          status: 'stopped',
        });
        expect(await stateOf(scope.user)).toMatchObject(UNTOUCHED);
      },
    );
  });

  describe('claims', () => {
    it('of overlapping sources: the second is turned away, with nothing written', async () => {
      const { scope, members } = await start(4);
      await claimed(scope, members.slice(0, 3));
      const second = await createMemoryStore(database, scope).claimFusion(clusterOf(members.slice(1, 4)));
      expect(second).toMatchObject({ status: 'skipped', reason: 'claimed' });
      const ledger = await rows(sql`select 1 from slowwave.fusions where user_id = ${scope.user}`);
      expect(ledger).toHaveLength(1);
    });

    it('lapse with the fence that made them', async () => {
      const { scope, members } = await start(4);
      await claimed(scope, members.slice(0, 3));
      const later = { ...scope, lease: { holder: 'w2', fence: 2 } };
      const second = await createMemoryStore(database, later).claimFusion(clusterOf(members.slice(1, 4)));
      expect(second.status).toBe('claimed');
    });

    it('of a fusion that nobody can finish are let go by a later holder, with the fusion', async () => {
      const { scope, members } = await start(4);
      const key = await claimed(scope, members.slice(0, 3));
      const later = { ...scope, lease: { holder: 'w2', fence: 2 } };
      const other = await claimed(later, members.slice(1, 4));
      const close = (fence: number) =>
        database.withTenant(scope.tenant, (tx) =>
          staleLeftFusions(tx, { tenant: scope.tenant, user: scope.user, at: NOW, fence }),
        );
      const states = () =>
        rows(sql`
          select f.key, f.status, (select count(*)::int from slowwave.fusion_sources s
            where s.user_id = f.user_id and s.fusion_key = f.key and s.live) as claims
          from slowwave.fusions f where f.user_id = ${scope.user} order by f.fence`);
      await close(2);
      // Its memories are as they were: it may be planned again.
      expect(await states()).toEqual([
        { key, status: 'generated', claims: 1 },
        { key: other, status: 'generated', claims: 3 },
      ]);
      await rows(
        sql`update slowwave.memories set is_latest = false where user_id = ${scope.user} and id = ${members[1]!.id}`,
      );
      // An earlier holder has no say.
      await close(1);
      expect(await states()).toMatchObject([{ claims: 1 }, { claims: 3 }]);
      await close(2);
      expect(await states()).toEqual([
        { key, status: 'stale', claims: 0 },
        { key: other, status: 'generated', claims: 3 },
      ]);
    });

    it('of a later holder are not taken over by an earlier one', async () => {
      const { scope, members } = await start();
      const later = { ...scope, lease: { holder: 'w2', fence: 2 } };
      const key = await claimed(later, members);
      const overtaken = await createMemoryStore(database, scope).claimFusion(clusterOf(members));
      expect(overtaken).toMatchObject({ status: 'skipped', reason: 'claimed' });
      const ledger = await rows(
        sql`select key, fence::int from slowwave.fusions where user_id = ${scope.user}`,
      );
      expect(ledger).toEqual([{ key, fence: 2 }]);
    });

    it('hand back a paid answer until it is judged unusable', async () => {
      const { scope, members } = await start();
      const key = await claimed(scope, members);
      const store = createMemoryStore(database, scope);
      expect(await store.claimFusion(clusterOf(members))).toMatchObject({
        attempt: 1,
        answer: { text: '{}' },
      });
      await store.failFusion(key, { code: 'invalid_output', final: false, rejectAnswer: true });
      expect(await store.claimFusion(clusterOf(members))).toMatchObject({ attempt: 2, answer: null });
    });

    it('of a failed fusion are open to a retry only', async () => {
      const { scope, members } = await start();
      const key = await claimed(scope, members);
      const store = createMemoryStore(database, scope);
      await store.failFusion(key, { code: 'invalid_output', final: true, rejectAnswer: true });
      expect(await stateOf(scope.user)).toMatchObject({ live: 0 });
      expect(await store.claimFusion(clusterOf(members))).toMatchObject({
        status: 'skipped',
        reason: 'failed_before',
      });
      await store.loadCandidates(WINDOW);
      expect(store.isKnownSourceSet(members)).toBe(true);
      expect(await store.claimFusion(clusterOf(members), { retry: true })).toMatchObject({
        status: 'claimed',
        attempt: 2,
      });
    });

    it('drop an answer whose source was forgotten meanwhile, and keep the spend', async () => {
      const { scope, members } = await start();
      const store = createMemoryStore(database, scope);
      const claim = await store.claimFusion(clusterOf(members));
      await rows(sql`delete from slowwave.memories where user_id = ${scope.user} and id = ${members[0]!.id}`);
      if (claim.status !== 'claimed') throw new Error('not claimed');
      const answer = { text: 'bicycle', stopReason: 'end_turn', inputTokens: 7, outputTokens: 3, model: 'm' };
      await store.storeAnswer(claim.key, claim.attempt, answer);
      const ledger = await rows(sql`
        select output, status, input_tokens::int as tokens from slowwave.fusions where user_id = ${scope.user}`);
      expect(ledger).toEqual([{ output: null, status: 'stale', tokens: 7 }]);
    });
  });

  describe('the schema as the last defence', () => {
    it("refuses to supersede by another user's memory", async () => {
      const [one, two] = [await start(), await start()];
      await expect(
        rows(sql`
          update slowwave.memories set memory_type = 'superseded', prior_type = 'regular', is_latest = false,
            superseded_by = ${two.members[0]!.id} where user_id = ${one.scope.user} and id = ${one.members[0]!.id}`),
      ).rejects.toMatchObject({ code: 'constraint', constraint: 'memories_superseded_by' });
    });

    it("refuses a relation to another user's memory", async () => {
      const [one, two] = [await start(), await start()];
      await expect(
        rows(sql`
          insert into slowwave.relations (tenant, user_id, source_id, target_id, relation_type, confidence, created_at)
          values ('t', ${one.scope.user}, ${one.members[0]!.id}, ${two.members[0]!.id}, 'EXTENDS', 1, now())`),
      ).rejects.toMatchObject({ code: 'constraint' });
    });

    it('shows nothing of one tenant to another', async () => {
      await start();
      const seen = await database.withTenant('other', (tx) => tx.rows(sql`select 1 from slowwave.memories`));
      expect(seen).toEqual([]);
      await expect(
        database.withTenant('other', (tx) =>
          tx.rows(sql`insert into slowwave.users (tenant, id, created_at) values ('t', 'intruder', now())`),
        ),
      ).rejects.toMatchObject({ code: 'permission' });
    });

    it('says what it refused without repeating what it was given', async () => {
      const canary = 'CANARY-PURPLE-OTTER';
      const attempt = rows(sql`select ${canary}::uuid`);
      const error = await attempt.then(
        () => null,
        (thrown: Error) => thrown,
      );
      expect(error).not.toBeNull();
      expect(
        `${error!.message} ${error!.stack} ${JSON.stringify(error)} ${String(error!.cause)}`,
      ).not.toContain(canary);
    });
  });

  it('two commits over overlapping sources: exactly one wins, the other is stale', async () => {
    const { scope, members } = await start(4);
    // Claims would already keep them apart: they lapse here, so that the commits themselves race.
    const first = await claimed(scope, members.slice(0, 3));
    const later = { ...scope, lease: { holder: 'w2', fence: 2 } };
    const second = await claimed(later, members.slice(1, 4));
    const guards = { lease: false };
    const results = await Promise.all([
      commitStatement(database, scope, { key: first, members: members.slice(0, 3) }, { guards }),
      commitStatement(database, later, { key: second, members: members.slice(1, 4) }, { guards }),
    ]);
    expect(results.map((result) => result.status).sort()).toEqual(['applied', 'stale']);
    expect(await stateOf(scope.user)).toMatchObject({ derived: 1, superseded: 3, live: 0 });
  });

  it('keeps time out of it: the derived memory is anchored at the instant of the job', async () => {
    const { scope, members } = await start();
    const key = await claimed(scope, members);
    await commitStatement(database, scope, { key, members });
    const [row] = await rows<{ anchor: number; prominence: number }>(sql`
      select date_part('epoch', anchor_at) * 1000 as anchor,
        slowwave.prominence(category, memory_type, importance, confirmations, peak, anchor_at, demotion,
          to_timestamp(${NOW}::float8 / 1000)) as prominence
      from slowwave.memories where user_id = ${scope.user} and memory_type = 'derived'`);
    expect(row!.anchor).toBe(NOW);
    expect(row!.prominence).toBeCloseTo(0.4, 10);
  });
});
