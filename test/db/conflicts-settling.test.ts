import {
  applyPolicy,
  createMemoryStore,
  type FailpointName,
  type FusionScope,
  getConflict,
  type NewMemory,
  resolveConflictIn,
  setConflictPolicy,
  undo,
} from '@slowwave/db';
import type { PairLabel } from '@slowwave/fusion';
import { sql } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { commitStatement } from '../fixtures/commit-statement.ts';
import { DATABASES } from '../fixtures/databases.ts';
import { CITIES, disputes, nameOf, pair, WINDOW } from '../fixtures/disputes.ts';
import { clusterOf, DAY, derivedOf, NOW, scopeOf } from '../fixtures/memories.ts';
import { isWaiting } from '../fixtures/overlap.ts';
import { until } from '../fixtures/wait.ts';

const tenant = 't';

describe.each(DATABASES)('conflicts that are settled (%s)', (_name, open) => {
  const {
    database,
    inTenant,
    rows,
    seed,
    report,
    list,
    candidates,
    label,
    opened,
    resolve,
    memory,
    withoutVersion,
    refusal,
  } = disputes(open);

  describe('a person', () => {
    it('keeps one: the other ends when it began, and is superseded by it', async () => {
      const { user, id, conflict } = await opened();
      const [york, oslo] = [id('york'), id('oslo')];
      expect(await resolve(user, conflict.id, nameOf(conflict, oslo), 'she moved')).toEqual({
        id: conflict.id,
        winner: oslo,
        loser: york,
        resolution: 'she moved',
        changeSetId: expect.any(String),
      });
      const [stored] = await rows<{ to: number }>(
        sql`select date_part('epoch', valid_to) * 1000 as to from slowwave.memories where id = ${york}::uuid`,
      );
      expect(stored!.to).toBe(NOW - 89 * DAY);
      expect(await memory(york)).toMatchObject({ is_latest: false, superseded_by: oslo, version: 2 });
      expect((await list(user))[0]).toMatchObject({
        status: 'resolved',
        resolvedBy: 'person',
        actor: 'olga',
        winner: oslo,
        resolution: 'she moved',
        resolvedAt: NOW,
      });
      expect((await candidates(user)).ids).toEqual([oslo]);
    });

    it('keeps both, and that can be taken back too', async () => {
      const { user, id, conflict } = await opened();
      await resolve(user, conflict.id, 'both');
      expect((await candidates(user)).ids).toEqual([id('york'), id('oslo')].sort());
      const [image] = await rows<{ kind: string; before: object; after: object }>(sql`
        select s.kind, c.before, c.after from slowwave.changes c join slowwave.change_sets s on s.id = c.change_set_id
        where c.user_id = ${user} and c.table_name = 'conflicts'`);
      expect(image!.before).toEqual({
        status: 'open',
        resolution: null,
        resolved_by: null,
        resolved_at: null,
        winner: null,
        actor: null,
      });
      expect(image!.after).toMatchObject({ status: 'resolved', resolved_by: 'person', actor: 'olga' });
    });

    it('and whoever undoes it opens the question again', async () => {
      const { user, id, conflict } = await opened();
      const before = [await memory(id('york')), await memory(id('oslo'))];
      await resolve(user, conflict.id, nameOf(conflict, id('oslo')), 'she moved');
      const [set] = await rows<{ id: string }>(
        sql`select id from slowwave.change_sets where user_id = ${user}`,
      );
      await undo(database, { tenant, user, target: { changeSet: set!.id }, at: NOW, actor: null });
      expect(await list(user)).toEqual([conflict]);
      const after = [await memory(id('york')), await memory(id('oslo'))];
      expect(after.map(withoutVersion)).toEqual(before.map(withoutVersion));
      expect(await rows(sql`select 1 from slowwave.relations where user_id = ${user}`)).toEqual([]);
      expect((await candidates(user)).ids).toEqual([]);
    });

    it.each([
      ['never before it began', { validFrom: NOW - 10 * DAY }, NOW - 10 * DAY],
      ['never after it is known to have ended', { validTo: NOW - 95 * DAY }, NOW - 95 * DAY],
    ])('ends a loser %s', async (_case, more, expected) => {
      const { user, id, conflict } = await opened({ york: [CITIES.york, more], oslo: CITIES.oslo });
      await resolve(user, conflict.id, nameOf(conflict, id('oslo')));
      const [stored] = await rows<{ to: number }>(
        sql`select date_part('epoch', valid_to) * 1000 as to from slowwave.memories where id = ${id('york')}::uuid`,
      );
      expect(stored!.to).toBe(expected);
    });

    it.each([
      [{ validFrom: NOW - 3 * DAY, eventDate: NOW - 2 * DAY }, NOW - 3 * DAY],
      [{ eventDate: NOW - 2 * DAY }, NOW - 2 * DAY],
    ])('ends it where the winner %j begins', async (more, expected) => {
      const { user, id, conflict } = await opened({ york: CITIES.york, oslo: [CITIES.oslo, more] });
      await resolve(user, conflict.id, nameOf(conflict, id('oslo')));
      const [stored] = await rows<{ to: number }>(
        sql`select date_part('epoch', valid_to) * 1000 as to from slowwave.memories where id = ${id('york')}::uuid`,
      );
      expect(stored!.to).toBe(expected);
    });

    it('settles one that has no label yet', async () => {
      const { user, id } = await seed(CITIES);
      await report(user, [pair(id('york'), id('oslo'))]);
      const [conflict] = await list(user);
      expect(await resolve(user, conflict!.id, 'a')).toMatchObject({ winner: conflict!.a.id });
    });

    it('is refused what is settled, unknown, somebody else\u2019s or no more', async () => {
      const { user, id, conflict } = await opened();
      const other = await opened();
      expect(await refusal(resolve(user, other.conflict.id, 'a'))).toBe('unknown');
      expect(await refusal(resolve(user, '00000000-0000-4000-8000-000000000000', 'a'))).toBe('unknown');
      await rows(
        sql`update slowwave.memories set content_hash = repeat('d', 64) where id = ${id('york')}::uuid`,
      );
      expect(await refusal(resolve(user, conflict.id, 'a'))).toBe('stale');
      await resolve(other.user, other.conflict.id, 'a');
      expect(await refusal(resolve(other.user, other.conflict.id, 'b'))).toBe('already_resolved');
      expect(await refusal(resolve(user, 'no-id', 'a'))).toMatchObject({ code: 'invalid_text' });
      expect(await refusal(resolve(user, conflict.id, 'neither' as 'a'))).toMatchObject({
        code: 'not_allowed',
      });
    });

    it('wakes light, and twice at once settles once', async () => {
      const { user, conflict } = await opened();
      const outcomes = await Promise.all([
        refusal(resolve(user, conflict.id, 'a')),
        refusal(resolve(user, conflict.id, 'b')),
      ]);
      expect(outcomes.sort()).toEqual(['accepted', 'already_resolved']);
      expect(
        await rows(sql`select count(*)::int as n from slowwave.relations where user_id = ${user}`),
      ).toEqual([{ n: 1 }]);
      const [light] = await rows<{ due: number }>(sql`
        select date_part('epoch', due_at) * 1000 as due from slowwave.user_tiers where user_id = ${user} and tier = 'light'`);
      expect(light!.due).toBe(NOW);
    });
  });

  describe('fusions under way', () => {
    /** A claimed fusion of everything that the user has, its answer paid for. */
    async function claimed(user: string, mode: FusionScope['mode'] = 'auto') {
      const scope = scopeOf(tenant, user, { mode });
      const store = createMemoryStore(database, scope);
      const { candidates: members } = await store.loadCandidates(WINDOW);
      const claim = await store.claimFusion(clusterOf(members));
      if (claim.status !== 'claimed') throw new Error(claim.reason);
      return { scope, members, key: claim.key };
    }
    const ledger = (user: string) =>
      rows(sql`select status, (select count(*)::int from slowwave.fusion_sources s where s.fusion_key = f.key and s.live) as live
        from slowwave.fusions f where user_id = ${user} order by request nulls first`);

    it('end stale when a resolution supersedes a source', async () => {
      const { user, id } = await seed({ ...CITIES, cello: 'Ana plays the cello.' });
      const { scope, members, key } = await claimed(user);
      await report(user, [pair(id('york'), id('oslo'))]);
      const [conflict] = await list(user);
      await resolve(user, conflict!.id, 'a');
      expect(await ledger(user)).toEqual([{ status: 'stale', live: 0 }]);
      expect(await commitStatement(database, scope, { key, members })).toEqual({
        status: 'stale',
      });
    });

    it('and a resolution at the same time wait for each other, whoever comes first', async () => {
      const { user, id } = await seed(CITIES);
      const { scope, members, key } = await claimed(user);
      await report(user, [pair(id('york'), id('oslo'))]);
      const [conflict] = await list(user);
      let resolved: Promise<unknown> = Promise.resolve();
      const failpoints = (name: FailpointName) => {
        // The commit holds its ledger row and its sources by now.
        if (name === 'after-sources') resolved = refusal(resolve(user, conflict!.id, 'a'));
      };
      const committed = await commitStatement(database, scope, { key, members }, { failpoints });
      expect([committed.status, await resolved]).toEqual(['applied', 'stale']);

      const other = await seed(CITIES);
      const work = await claimed(other.user);
      await report(other.user, [pair(other.id('york'), other.id('oslo'))]);
      const [question] = await list(other.user);
      let commit: Promise<{ status: string }> | null = null;
      await inTenant(async (tx) => {
        const of = { tenant, user: other.user, id: question!.id, by: null, at: NOW };
        await resolveConflictIn(tx, { ...of, resolution: { keep: 'a' } });
        commit = commitStatement(database, work.scope, work);
      });
      expect(await commit).toEqual({ status: 'stale' });
    });

    it('let go of memories in a conflict that opens', async () => {
      const { user, id } = await seed({ ...CITIES, cello: 'Ana plays the cello.' });
      const { scope, members, key } = await claimed(user);
      await report(user, [pair(id('york'), id('oslo'))]);
      await label(user);
      expect(await ledger(user)).toEqual([{ status: 'stale', live: 0 }]);
      expect(await commitStatement(database, scope, { key, members })).toEqual({
        status: 'stale',
      });
    });

    it.each([
      ['survive in review where they do not supersede such a memory', false],
      ['leave the review where they would supersede such a memory', true],
    ])('%s', async (_case, covered) => {
      const { user, id } = await seed({ ...CITIES, cello: 'Ana plays the cello.', tea: 'Ana drinks tea.' });
      const { scope, members, key } = await claimed(user, 'review');
      const coveredIds = covered ? [id('york'), id('tea')] : [id('cello'), id('tea')];
      const proposed = await commitStatement(database, scope, {
        key,
        members,
        derived: derivedOf(members, { coveredIds }),
      });
      expect(proposed.status).toBe('proposed');
      await report(user, [pair(id('york'), id('oslo'))]);
      await label(user);
      expect(await ledger(user)).toEqual([
        { status: 'closed', live: 0 },
        covered ? { status: 'stale', live: 0 } : { status: 'review', live: 2 },
      ]);
    });
  });

  describe('the policy newest_wins', () => {
    const apply = (user: string, limit = 100) =>
      inTenant((tx) => applyPolicy(tx, { tenant, user, at: NOW, runId: null, limit }));
    const choose = (user: string, policy: 'ask' | 'newest_wins' = 'newest_wins') =>
      inTenant((tx) => setConflictPolicy(tx, { tenant, user, policy }));

    it('lets what was said later replace what it contradicts', async () => {
      const { user, id, conflict } = await opened();
      expect(await apply(user)).toBe(0);
      expect(await choose(user)).toBe('newest_wins');
      expect(await apply(user)).toBe(1);
      expect(await apply(user)).toBe(0);
      expect(await memory(id('york'))).toMatchObject({
        is_latest: false,
        superseded_by: id('oslo'),
        version: 2,
      });
      const found = await inTenant((tx) => getConflict(tx, { tenant, user, id: conflict.id }));
      expect(found).toMatchObject({
        status: 'resolved',
        resolvedBy: 'policy',
        winner: id('oslo'),
        resolution: `newest wins: kept ${id('oslo')}`,
      });
    });

    it.each<[string, Partial<NewMemory>, Partial<NewMemory>, Partial<PairLabel>]>([
      ['the newer one is less trusted', {}, { trust: 0.7 }, {}],
      ['the newer one is of lower origin', {}, { origin: 'tool' }, {}],
      ['an assistant says so', { origin: 'tool' }, { origin: 'assistant' }, {}],
      ['the older one is part of the profile', { memoryType: 'static_profile' }, {}, {}],
      ['the newer one is part of the profile', {}, { memoryType: 'static_profile' }, {}],
      ['others see the older one', { visibility: 'shared' }, {}, {}],
      ['they stand in different places', { workspace: 'w' }, {}, {}],
      ['both were said at once', { documentDate: NOW }, { documentDate: NOW }, {}],
      ['nobody knows what about', {}, {}, { slot: '' }],
      ['the model is not sure', {}, {}, { confidence: 0.69 }],
      ['it is not clear that they disagree', {}, {}, { type: 'ambiguous' }],
    ])('asks a person when %s', async (_case, older, newer, said) => {
      const { user } = await opened({ york: [CITIES.york, older], oslo: [CITIES.oslo, newer] }, said);
      await choose(user);
      expect(await apply(user)).toBe(0);
      expect((await list(user))[0]).toMatchObject({ status: 'open' });
    });

    it('settles a chain from its oldest end, and no more than it may', async () => {
      const texts = { ...CITIES, rome: 'Ana lives in Rome.', bern: 'Ana lives in Bern.' };
      const { user, id } = await seed(texts);
      await report(user, [
        pair(id('york'), id('oslo')),
        pair(id('oslo'), id('rome')),
        pair(id('rome'), id('bern')),
      ]);
      await label(user);
      await choose(user);
      expect(await apply(user, 2)).toBe(2);
      expect(await apply(user)).toBe(1);
      expect(await memory(id('york'))).toMatchObject({ superseded_by: id('oslo') });
      expect(await memory(id('oslo'))).toMatchObject({ superseded_by: id('rome') });
      expect(await memory(id('rome'))).toMatchObject({ superseded_by: id('bern') });
      // One change set each: any of them can be taken back alone.
      expect(
        await rows(sql`select count(*)::int as n from slowwave.change_sets where user_id = ${user}`),
      ).toEqual([{ n: 3 }]);
    });

    it('leaves alone what changes while it waits for it', async () => {
      const { user, id } = await opened();
      await choose(user);
      let applied: Promise<number> | null = null;
      await inTenant(async (tx) => {
        await tx.rows(
          sql`update slowwave.memories set content_hash = repeat('f', 64) where id = ${id('oslo')}::uuid`,
        );
        applied = apply(user);
        // The embedded database has one connection: there the policy has not looked yet.
        if (database.kind === 'server')
          await until('somebody who waits for the row', () => isWaiting(database));
      });
      expect(await applied).toBe(0);
      expect(await memory(id('york'))).toMatchObject({ is_latest: true });
    });

    it('does nothing for one that is no more, and for nobody', async () => {
      const { user, id } = await opened();
      await choose(user);
      await rows(
        sql`update slowwave.memories set content_hash = repeat('f', 64) where id = ${id('oslo')}::uuid`,
      );
      expect(await apply(user)).toBe(0);
      expect(await choose('nobody')).toBeNull();
      await expect(choose(user, 'oldest' as 'ask')).rejects.toMatchObject({ code: 'not_allowed' });
    });
  });
});
