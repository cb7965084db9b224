import {
  archiveLowUtility,
  auditRetrieval,
  checkRelations,
  createMemoryStore,
  insertMemories,
  insertRelations,
  type NewMemory,
  pruneMemories,
  restoreMemories,
  sampleDecay,
  setProminence,
} from '@slowwave/db';
import { CROSSING_THRESHOLDS, crossingTime, prominenceAt, type RelationType } from '@slowwave/fusion';
import { sql } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { commitStatement, derivedIn } from '../fixtures/commit-statement.ts';
import { DATABASES } from '../fixtures/databases.ts';
import { clusterOf, DAY, NOW, newMemory, scopeOf, seedUser } from '../fixtures/memories.ts';
import { ownDatabase } from '../fixtures/own-database.ts';

const RUN = '01890000-0000-7000-8000-000000000001';

describe.each(DATABASES)('upkeep of memories (%s)', (_name, open) => {
  const tenant = 't';
  const { database, inTenant, rows, nextUser } = ownDatabase(open);

  const seed = async (memories: (user: string) => NewMemory[]) => {
    const user = nextUser();
    await seedUser(database, { tenant, user, memories: memories(user) });
    return user;
  };
  const set = (user: string, name: string, assignments: ReturnType<typeof sql>) =>
    rows(sql`update slowwave.memories set ${assignments} where user_id = ${user} and external_id = ${name}`);
  const instant = (ms: number) => sql`to_timestamp(${ms}::float8 / 1000)`;
  const names = async (user: string, condition: ReturnType<typeof sql>): Promise<string[]> => {
    const found = await rows<{ name: string }>(sql`
      select external_id as name from slowwave.memories m where user_id = ${user} and ${condition} order by external_id`);
    return found.map((row) => row.name);
  };
  const idOf = async (user: string, name: string): Promise<string> => {
    const [row] = await rows<{ id: string }>(
      sql`select id from slowwave.memories where user_id = ${user} and external_id = ${name}`,
    );
    return row!.id;
  };
  /** Every row of the user's memories and journal with the transaction that wrote it. */
  const rowVersions = (user: string) =>
    rows(sql`
      select id::text, xmin::text as x from slowwave.memories where user_id = ${user}
      union all select id::text, xmin::text from slowwave.change_sets where user_id = ${user}
      union all select tier, xmin::text from slowwave.user_tiers where user_id = ${user}
      union all select id::text, xmin::text from slowwave.cold_memories where user_id = ${user}
      order by 1`);
  const journalOf = (user: string, kind: string) =>
    rows<{ before: object | null; after: object | null; run: string | null; rows: number }>(sql`
      select c.before, c.after, s.run_id as run, count(*) over (partition by s.id)::int as rows from slowwave.changes c
      join slowwave.change_sets s on s.user_id = c.user_id and s.id = c.change_set_id
      where c.user_id = ${user} and s.kind = ${kind} order by c.position`);
  const claim = async (user: string, name: string) => {
    const store = createMemoryStore(database, scopeOf(tenant, user));
    const { candidates } = await store.loadCandidates({ minProminence: 0, maxProminence: 1, minAgeMs: 0 });
    const id = await idOf(user, name);
    const claimed = await store.claimFusion(clusterOf(candidates.filter((member) => member.id === id)));
    expect(claimed.status).toBe('claimed');
    return claimed.key;
  };

  describe('the retrieval audit', () => {
    const audit = (user: string, at = NOW, limit = 100) =>
      inTenant((tx) => auditRetrieval(tx, { tenant, user, at, runId: RUN, limit }));
    /** Active for long: a preference keeps 0.75 × 0.995 ^ days. */
    const active = (of: string, name: string, more: Partial<NewMemory> = {}) =>
      newMemory(of, name, `Ana likes ${name}`, {
        category: 'preference',
        documentDate: NOW - 20 * DAY,
        ...more,
      });
    const population = (of: string) => [
      active(of, 'never'),
      active(of, 'long-ago'),
      active(of, 'lately'),
      active(of, 'young', { documentDate: NOW - 6 * DAY }),
      active(of, 'dim', { category: 'event' }),
      active(of, 'profile', { memoryType: 'static_profile' }),
      active(of, 'archived'),
      active(of, 'audited'),
      active(of, 'audited-before'),
    ];
    const prepared = async () => {
      const user = await seed(population);
      await set(user, 'long-ago', sql`last_accessed = ${instant(NOW - 31 * DAY)}`);
      await set(user, 'lately', sql`last_accessed = ${instant(NOW - 29 * DAY)}`);
      await set(user, 'archived', sql`archived_at = ${instant(NOW - DAY)}`);
      await set(user, 'audited', sql`audited_at = ${instant(NOW - 29 * DAY)}`);
      await set(user, 'audited-before', sql`audited_at = ${instant(NOW - 30 * DAY)}`);
      return user;
    };

    it('demotes what is active, of age and unused, and no other', async () => {
      const user = await prepared();
      expect(await audit(user)).toEqual({
        considered: 5,
        neverRecalled: 3,
        notRecently: 1,
        demoted: 3,
        left: 0,
      });
      expect(await names(user, sql`demotion < 1`)).toEqual(['audited-before', 'long-ago', 'never']);
      const [row] = await rows<{ demotion: number; version: number; at: number }>(sql`
        select demotion, version, date_part('epoch', audited_at) * 1000 as at from slowwave.memories
        where user_id = ${user} and external_id = 'never'`);
      expect(row).toEqual({ demotion: 0.95, version: 1, at: NOW });
    });

    it('demotes again after 30 days, not sooner, and the factors multiply', async () => {
      const user = await seed((of) => [active(of, 'never', { importance: 10 })]);
      await audit(user);
      expect(await audit(user, NOW + 30 * DAY - 1)).toMatchObject({
        considered: 1,
        neverRecalled: 1,
        demoted: 0,
      });
      expect(await audit(user, NOW + 30 * DAY)).toMatchObject({ demoted: 1 });
      const [row] = await rows<{ demotion: number }>(
        sql`select demotion from slowwave.memories where user_id = ${user}`,
      );
      expect(row!.demotion).toBeCloseTo(0.95 ** 2, 12);
    });

    it('takes the longest unused first and says what is left', async () => {
      const user = await prepared();
      expect(await audit(user, NOW, 1)).toMatchObject({ demoted: 1, left: 2 });
      expect(await names(user, sql`demotion < 1`)).toEqual(['long-ago']);
      expect(await audit(user)).toMatchObject({ demoted: 2, left: 0 });
    });

    it('writes nothing the second time', async () => {
      const user = await prepared();
      await audit(user);
      const before = await rowVersions(user);
      expect(await audit(user)).toMatchObject({ demoted: 0, left: 0 });
      expect(await rowVersions(user)).toEqual(before);
    });

    it('journals the changed columns in one change set of the run', async () => {
      const user = await prepared();
      await audit(user);
      const journal = await journalOf(user, 'audit');
      expect(journal).toHaveLength(3);
      for (const entry of journal) {
        expect(entry).toMatchObject({ run: RUN, rows: 3 });
        expect(Object.keys(entry.before!).sort()).toEqual(['audited_at', 'demotion', 'updated_at']);
        expect(entry).toMatchObject({ before: { demotion: 1 }, after: { demotion: 0.95 } });
      }
    });

    it('lets light come by when the first of them crosses', async () => {
      const user = await prepared();
      await rows(
        sql`update slowwave.user_tiers set due_at = ${instant(NOW + 5000 * DAY)} where user_id = ${user}`,
      );
      await audit(user);
      const [row] = await rows<{ due: number; first: number }>(sql`
        select date_part('epoch', due_at) * 1000 as due, (
          select min(date_part('epoch', least(
            nullif(greatest(crosses_050_at, ${instant(NOW)}), ${instant(NOW)}),
            nullif(greatest(crosses_080_at, ${instant(NOW)}), ${instant(NOW)})))) * 1000
          from slowwave.memories where user_id = ${user} and demotion < 1) as first
        from slowwave.user_tiers where user_id = ${user} and tier = 'light'`);
      expect(row!.due).toBe(row!.first);
      const [deep] = await rows<{ due: number }>(
        sql`select date_part('epoch', due_at) * 1000 as due from slowwave.user_tiers where user_id = ${user} and tier = 'deep'`,
      );
      expect(deep!.due).toBe(NOW + 5000 * DAY);
    });
  });

  describe('archiving by utility', () => {
    const archive = (user: string, limit?: number) =>
      inTenant((tx) =>
        archiveLowUtility(tx, { tenant, user, at: NOW, runId: RUN, ...(limit ? { limit } : {}) }),
      );
    const event = (of: string, name: string, days: number, more: Partial<NewMemory> = {}) =>
      newMemory(of, name, `Ana saw ${name}`, { category: 'event', documentDate: NOW - days * DAY, ...more });
    // An event of importance 5 is at 0.043 after 57 days, and at 0.05 after 54.
    const population = (of: string) => [
      event(of, 'gone', 120),
      event(of, 'going', 70),
      event(of, 'nearly', 56),
      event(of, 'fresh', 3),
      event(of, 'profile', 120, { memoryType: 'static_profile' }),
      event(of, 'confirmed', 60),
      event(of, 'young', 13),
      event(of, 'claimed', 80),
    ];
    const prepared = async () => {
      const user = await seed(population);
      // Faded by hand: only its age keeps it.
      await set(user, 'young', sql`demotion = 0.01`);
      await set(user, 'confirmed', sql`confirmations = 20, demotion = 0.07`);
      await claim(user, 'claimed');
      return user;
    };

    it('archives what is of no use, of age and unclaimed, and no other', async () => {
      const user = await prepared();
      const utility = await rows<{ name: string; value: number }>(sql`
        select external_id as name, slowwave.prominence(category, memory_type, importance, confirmations, peak, anchor_at, demotion,
          ${instant(NOW)}) * ln(2 + confirmations) as value from slowwave.memories where user_id = ${user} order by 1`);
      expect(utility.filter(({ value }) => value < 0.03).map(({ name }) => name)).toEqual([
        'claimed',
        'going',
        'gone',
        'young',
      ]);
      expect(await archive(user)).toEqual({ considered: 5, belowUtility: 3, claimed: 1, archived: 2 });
      expect(await names(user, sql`archived_at = ${instant(NOW)}`)).toEqual(['going', 'gone']);
      expect(await names(user, sql`archived_at is not null and not (is_latest and version = 1)`)).toEqual([]);
    });

    it('takes the lowest first, at most as many as asked for, 50 without asking', async () => {
      const user = await prepared();
      expect(await archive(user, 1)).toMatchObject({ belowUtility: 3, archived: 1 });
      expect(await names(user, sql`archived_at is not null`)).toEqual(['gone']);
      const many = await seed((of) => Array.from({ length: 60 }, (_, i) => event(of, `m${i}`, 100)));
      expect(await archive(many)).toMatchObject({ belowUtility: 60, archived: 50 });
    });

    it('writes nothing the second time, and journals the changed columns', async () => {
      const user = await prepared();
      await archive(user);
      const before = await rowVersions(user);
      expect(await archive(user)).toMatchObject({ archived: 0, claimed: 1 });
      expect(await rowVersions(user)).toEqual(before);
      const journal = await journalOf(user, 'archive');
      expect(journal).toHaveLength(2);
      expect(Object.keys(journal[0]!.after!).sort()).toEqual(['archived_at', 'updated_at']);
      expect(journal[0]).toMatchObject({ run: RUN, before: { archived_at: null } });
    });
  });

  describe('pruning and restoring', () => {
    const RETENTION = 90 * DAY;
    const prune = (user: string, at: number, limit = 100) =>
      inTenant((tx) => pruneMemories(tx, { tenant, user, at, runId: RUN, retentionMs: RETENTION, limit }));
    const restore = (user: string, ids: string[], at = LATER) =>
      inTenant((tx) => restoreMemories(tx, { tenant, user, ids, at }));
    const LATER = NOW + RETENTION + DAY;

    const relate = (user: string, pairs: [string, string, RelationType?][]) =>
      inTenant((tx) =>
        insertRelations(tx, {
          tenant,
          at: NOW,
          relations: pairs.map(([source, target, relationType = 'EXTENDS']) => ({
            user,
            sourceExternalId: source,
            targetExternalId: target,
            relationType,
            confidence: 0.7,
          })),
        }),
      );
    const archived = (of: string, ...list: string[]) =>
      list.map((name) =>
        newMemory(of, name, `It's "${name}" \\ 🐕`, { metadata: { from: name, list: [1.5, null] } }),
      );
    const archiveAll = (user: string, at = NOW) =>
      rows(sql`update slowwave.memories set archived_at = ${instant(at)} where user_id = ${user}`);
    /** Everything that hangs on a user's memories, whole. */
    const snapshot = async (user: string) => ({
      memories: await rows(
        sql`select to_jsonb(m) as row from slowwave.memories m where user_id = ${user} order by id`,
      ),
      relations: await rows(
        sql`select to_jsonb(r) as row from slowwave.relations r where user_id = ${user} order by source_id, target_id, relation_type`,
      ),
      sources: await rows(
        sql`select to_jsonb(s) as row from slowwave.fusion_sources s where user_id = ${user} order by fusion_key, memory_id`,
      ),
      cold: await rows(sql`select id from slowwave.cold_memories where user_id = ${user}`),
    });
    /** Fuses a user's memories of the given names. @returns the derived memory's id */
    const fuse = async (user: string, wanted: string[]): Promise<string> => {
      const scope = scopeOf(tenant, user);
      const store = createMemoryStore(database, scope);
      const { candidates } = await store.loadCandidates({ minProminence: 0, maxProminence: 1, minAgeMs: 0 });
      const ids = await Promise.all(wanted.map((name) => idOf(user, name)));
      const members = candidates.filter((member) => ids.includes(member.id));
      const { key } = await store.claimFusion(clusterOf(members));
      const result = await commitStatement(database, scope, { key, members });
      if (result.status !== 'applied') throw new Error(`not applied but ${result.status}`);
      return derivedIn(result);
    };

    it('moves what was superseded long ago and brings it back exactly', async () => {
      const user = await seed((of) => archived(of, 'a', 'b', 'bystander'));
      await relate(user, [
        ['a', 'bystander'],
        ['bystander', 'b', 'UPDATES'],
        ['a', 'b'],
      ]);
      await rows(sql`
        update slowwave.relations set hypothesis = true, explanation = 'both "sing"', confidence = 1.0 / 3 where user_id = ${user}
          and relation_type = 'UPDATES'`);
      // Instants are kept to the microsecond, numbers to the last bit.
      await set(user, 'a', sql`anchor_at = anchor_at + interval '123456 microseconds', demotion = 0.1 + 0.2`);
      await set(user, 'a', sql`access_count = 3, last_accessed = ${instant(NOW - DAY)}`);
      const derived = await fuse(user, ['a', 'b']);
      const before = await snapshot(user);
      expect(await prune(user, NOW + RETENTION)).toEqual({ eligible: 0, held: 0, pruned: 0 });
      expect(await prune(user, LATER)).toEqual({ eligible: 2, held: 0, pruned: 2 });
      const hot = await snapshot(user);
      expect(hot.memories).toHaveLength(2);
      expect([hot.relations.length, hot.sources.length, hot.cold.length]).toEqual([0, 0, 2]);
      const ids = hot.cold.map((row) => (row as { id: string }).id);
      expect(ids).not.toContain(derived);
      expect(await restore(user, ids)).toBe(2);
      expect(await snapshot(user)).toEqual(before);
    });

    it('journals moves and returns without repeating what was said', async () => {
      const user = await seed((of) => archived(of, 'a', 'b'));
      await archiveAll(user);
      const ids = [await idOf(user, 'a'), await idOf(user, 'b')];
      await prune(user, LATER);
      await restore(user, ids);
      for (const kind of ['prune', 'restore']) {
        const journal = await journalOf(user, kind);
        expect(journal).toHaveLength(2);
        const [gone, here] =
          kind === 'prune'
            ? [journal[0]!.after, journal[0]!.before]
            : [journal[0]!.before, journal[0]!.after];
        expect(gone).toBeNull();
        expect(Object.keys(here!).sort()).toEqual(['content_hash', 'version']);
      }
    });

    it('writes nothing the second time', async () => {
      const user = await seed((of) => archived(of, 'a', 'b', 'c'));
      await archiveAll(user);
      await claim(user, 'c');
      await prune(user, LATER);
      const before = await rowVersions(user);
      expect(await prune(user, LATER)).toMatchObject({ pruned: 0 });
      expect(await rowVersions(user)).toEqual(before);
      expect(await restore(user, [])).toBe(0);
      expect(await rowVersions(user)).toEqual(before);
    });

    it('leaves what is latest and in use, or out of use for less than the retention', async () => {
      const user = await seed((of) => archived(of, 'live', 'lately', 'long'));
      await set(user, 'lately', sql`archived_at = ${instant(NOW + 2 * DAY)}`);
      await set(user, 'long', sql`archived_at = ${instant(NOW)}`);
      expect(await prune(user, LATER)).toEqual({ eligible: 1, held: 0, pruned: 1 });
      expect(await names(user, sql`true`)).toEqual(['lately', 'live']);
    });

    it('holds back what a row that stays names as its successor, and moves whole chains at once', async () => {
      const user = await seed((of) => archived(of, 'a', 'b', 'c', 'd'));
      const superseded = async (name: string, by: string, at: number) =>
        set(
          user,
          name,
          sql`is_latest = false, prior_type = memory_type, memory_type = 'superseded', superseded_by = ${await idOf(user, by)}::uuid,
            updated_at = ${instant(at)}`,
        );
      // a by b by c by d; d stays, since c is named by nobody but names it.
      await superseded('c', 'd', NOW);
      await superseded('b', 'c', NOW);
      await superseded('a', 'b', NOW + 30 * DAY);
      expect(await prune(user, LATER)).toEqual({ eligible: 2, held: 2, pruned: 0 });
      const all = await snapshot(user);
      expect(await prune(user, LATER + 30 * DAY)).toEqual({ eligible: 3, held: 0, pruned: 3 });
      expect(await names(user, sql`true`)).toEqual(['d']);
      const [first] = all.memories as { row: { id: string } }[];
      expect(first!.row.id).toBeDefined();
      const cold = await rows<{ id: string }>(
        sql`select id from slowwave.cold_memories where user_id = ${user} and memory->>'external_id' = 'a'`,
      );
      // Its successors come back with it.
      expect(await restore(user, [cold[0]!.id], LATER + 30 * DAY)).toBe(3);
      expect((await snapshot(user)).memories).toEqual(all.memories);
    });

    it('stops at its limit, the longest out of use first, and goes on from there', async () => {
      const user = await seed((of) => archived(of, 'a', 'b', 'c'));
      await set(user, 'a', sql`archived_at = ${instant(NOW - DAY)}`);
      await set(user, 'b', sql`archived_at = ${instant(NOW - 3 * DAY)}`);
      await set(user, 'c', sql`archived_at = ${instant(NOW - 2 * DAY)}`);
      expect(await prune(user, LATER, 2)).toEqual({ eligible: 3, held: 0, pruned: 2 });
      expect(await names(user, sql`true`)).toEqual(['a']);
      expect(await prune(user, LATER, 2)).toEqual({ eligible: 1, held: 0, pruned: 1 });
    });

    it('holds back the sources of a live fusion and of one that waits for a review', async () => {
      const user = await seed((of) => archived(of, 'claimed', 'reviewed', 'free'));
      await claim(user, 'claimed');
      const key = await claim(user, 'reviewed');
      await rows(sql`
        update slowwave.fusions set status = 'review', proposal = '{}', review_expires_at = now()
        where user_id = ${user} and key = ${key}`);
      await rows(
        sql`update slowwave.fusion_sources set live = false where user_id = ${user} and fusion_key = ${key}`,
      );
      await archiveAll(user);
      expect(await prune(user, LATER)).toEqual({ eligible: 3, held: 2, pruned: 1 });
      expect(await names(user, sql`true`)).toEqual(['claimed', 'reviewed']);
    });

    it('leaves what was restored alone for another retention', async () => {
      const user = await seed((of) => archived(of, 'a'));
      await archiveAll(user);
      const id = await idOf(user, 'a');
      await prune(user, LATER);
      await restore(user, [id], LATER + DAY);
      expect(await prune(user, LATER + 2 * DAY)).toEqual({ eligible: 1, held: 1, pruned: 0 });
      expect(await prune(user, LATER + DAY + RETENTION + 1)).toMatchObject({ pruned: 1 });
    });

    it('brings a relation back when both its ends are there, whichever went and came first', async () => {
      const user = await seed((of) => archived(of, 'a', 'b', 'c'));
      await relate(user, [
        ['a', 'b'],
        ['b', 'c'],
        ['c', 'a', 'UPDATES'],
      ]);
      await archiveAll(user, NOW + DAY);
      await set(user, 'a', sql`archived_at = ${instant(NOW)}`);
      const before = await snapshot(user);
      const [a, b, c] = [await idOf(user, 'a'), await idOf(user, 'b'), await idOf(user, 'c')];
      // a goes alone and takes both its relations; b and c go together.
      expect(await prune(user, LATER)).toMatchObject({ pruned: 1 });
      expect(await prune(user, LATER + 2 * DAY)).toMatchObject({ pruned: 2 });
      const relations = async () => (await snapshot(user)).relations.length;
      expect(await restore(user, [a])).toBe(1);
      expect(await relations()).toBe(0);
      expect(await restore(user, [b])).toBe(1);
      expect(await relations()).toBe(1);
      // c took b–c along itself and was handed a–c; neither stands there twice.
      const [waiting] = await rows<{ n: number }>(
        sql`select jsonb_array_length(relations) as n from slowwave.cold_memories where user_id = ${user}`,
      );
      expect(waiting!.n).toBe(2);
      expect(await restore(user, [c])).toBe(1);
      expect(await snapshot(user)).toEqual(before);
    });

    it('leaves cold what has no successor any more, or whose name is taken', async () => {
      const user = await seed((of) => archived(of, 'a', 'b', 'c'));
      await set(user, 'a', sql`archived_at = ${instant(NOW)}`);
      await set(
        user,
        'b',
        sql`is_latest = false, prior_type = 'regular', memory_type = 'superseded', superseded_by = ${await idOf(user, 'c')}::uuid, updated_at = ${instant(NOW)}`,
      );
      const [a, b] = [await idOf(user, 'a'), await idOf(user, 'b')];
      expect(await prune(user, LATER)).toMatchObject({ pruned: 2 });
      await rows(sql`delete from slowwave.memories where user_id = ${user} and external_id = 'c'`);
      await seedUser(database, {
        tenant,
        user,
        memories: [newMemory(user, 'a', 'another', { documentDate: NOW })],
      });
      expect(await restore(user, [a, b])).toBe(0);
      expect((await snapshot(user)).cold).toHaveLength(2);
    });

    it('holds back what stands in the cold table already, under the same id', async () => {
      const user = await seed((of) => archived(of, 'a'));
      await archiveAll(user);
      await rows(sql`insert into slowwave.cold_memories (tenant, user_id, id, memory, relations, fusion_sources, utility, pruned_at)
        select tenant, user_id, id, '{}', '[]', '[]', 0, now() from slowwave.memories where user_id = ${user}`);
      expect(await prune(user, LATER)).toEqual({ eligible: 1, held: 1, pruned: 0 });
      expect(await restore(user, [await idOf(user, 'a')])).toBe(0);
      expect((await snapshot(user)).cold).toHaveLength(1);
    });

    it('knows what was moved when its writer imports it once more', async () => {
      const user = await seed((of) => archived(of, 'a'));
      await archiveAll(user);
      await prune(user, LATER);
      const again = await inTenant((tx) =>
        insertMemories(tx, { tenant, memories: archived(user, 'a'), at: LATER }),
      );
      const existing = [{ user, externalId: 'a', sameContent: true }];
      expect(again).toEqual({ inserted: 0, existing, forgotten: [] });
      expect((await snapshot(user)).cold).toHaveLength(1);
    });

    it('takes embeddings and neighbours along without a trace', async () => {
      const user = await seed((of) => archived(of, 'a', 'b'));
      await rows(
        sql`insert into slowwave.embedding_models (model, dimensions) values ('unit-3', 3) on conflict do nothing`,
      );
      await rows(sql`
        insert into slowwave.embeddings (tenant, user_id, memory_id, model, content_hash, vector, created_at)
        select tenant, user_id, id, 'unit-3', content_hash, '[1,0,0]', created_at from slowwave.memories where user_id = ${user}`);
      await rows(sql`
        insert into slowwave.neighbours (tenant, user_id, model, memory_id, neighbour_id, cosine)
        select a.tenant, a.user_id, 'unit-3', a.id, b.id, 1 from slowwave.memories a join slowwave.memories b
          on a.user_id = b.user_id and a.id <> b.id where a.user_id = ${user}`);
      await set(user, 'a', sql`archived_at = ${instant(NOW)}`);
      await prune(user, LATER);
      const [left] = await rows<{ embeddings: number; neighbours: number }>(sql`
        select (select count(*)::int from slowwave.embeddings where user_id = ${user}) as embeddings,
          (select count(*)::int from slowwave.neighbours where user_id = ${user}) as neighbours`);
      expect(left).toEqual({ embeddings: 1, neighbours: 0 });
    });

    it('moves and restores nobody else’s', async () => {
      const user = await seed((of) => archived(of, 'a'));
      const other = await seed((of) => archived(of, 'a'));
      await archiveAll(user);
      await archiveAll(other);
      await prune(user, LATER);
      expect(await names(other, sql`true`)).toEqual(['a']);
      const [cold] = await rows<{ id: string }>(
        sql`select id from slowwave.cold_memories where user_id = ${user}`,
      );
      expect(await restore(other, [cold!.id])).toBe(0);
      const elsewhere = await database.withTenant('another', (tx) =>
        restoreMemories(tx, { tenant: 'another', user, ids: [cold!.id], at: LATER }),
      );
      expect(elsewhere).toBe(0);
    });
  });

  describe('relations', () => {
    it('are counted, with hypotheses that have faded and orphans if there were any', async () => {
      const user = await seed((of) => ['a', 'b', 'c'].map((name) => newMemory(of, name, `memory ${name}`)));
      const relation = (source: string, target: string) => ({
        user,
        sourceExternalId: source,
        targetExternalId: target,
        relationType: 'EXTENDS' as const,
        confidence: 0.6,
      });
      await inTenant((tx) =>
        insertRelations(tx, {
          tenant,
          at: NOW,
          relations: [relation('a', 'b'), relation('b', 'c'), relation('c', 'a')],
        }),
      );
      await rows(
        sql`update slowwave.relations set hypothesis = true where user_id = ${user} and source_id <> ${await idOf(user, 'a')}::uuid`,
      );
      await rows(
        sql`update slowwave.relations set created_at = ${instant(NOW - 50 * DAY)} where user_id = ${user} and source_id = ${await idOf(user, 'b')}::uuid`,
      );
      const look = (at: number) => inTenant((tx) => checkRelations(tx, { tenant, user, at }));
      expect(await look(NOW)).toEqual({ relations: 3, orphans: 0, hypotheses: 2, faded: 0 });
      // 0.6 × 0.97 ^ 59 is below 0.1 for the first time.
      expect(await look(NOW + 8 * DAY)).toMatchObject({ faded: 0 });
      expect(await look(NOW + 9 * DAY)).toMatchObject({ faded: 1 });
      expect(await look(NOW + 59 * DAY)).toMatchObject({ faded: 2 });
    });

    it('without one of their ends are found where the schema lets them be', async () => {
      const user = await seed((of) => [newMemory(of, 'a', 'memory')]);
      const undone = new Error('rolled back');
      let counts: unknown;
      await expect(
        database.asOwner(async (tx) => {
          await tx.rows(sql`alter table slowwave.relations drop constraint relations_target`);
          await tx.rows(
            sql`select set_config('role', 'slowwave_service', true), set_config('slowwave.tenant', ${tenant}, true)`,
          );
          await tx.rows(sql`
            insert into slowwave.relations (tenant, user_id, source_id, target_id, relation_type, confidence, created_at)
            select tenant, user_id, id, ${RUN}::uuid, 'EXTENDS', 0.5, now() from slowwave.memories where user_id = ${user}`);
          counts = await checkRelations(tx, { tenant, user, at: NOW });
          throw undone;
        }),
      ).rejects.toBe(undone);
      expect(counts).toMatchObject({ relations: 1, orphans: 1 });
    });
  });

  describe('the decay sample', () => {
    const sample = (user: string, at: number, limit: number) =>
      inTenant((tx) => sampleDecay(tx, { tenant, user, at, limit }));

    it('agrees with the formula in TypeScript, whatever was done to the memories', async () => {
      const categories = ['preference', 'fact', 'event', 'relationship', 'insight'] as const;
      const user = await seed((of) =>
        Array.from({ length: 40 }, (_, i) =>
          newMemory(of, `m${i}`, `memory ${i}`, {
            category: categories[i % 5]!,
            importance: 1 + (i % 10),
            memoryType: i % 9 === 0 ? 'static_profile' : i % 7 === 0 ? 'dynamic_profile' : 'regular',
            documentDate: NOW - i * 11 * DAY,
          }),
        ),
      );
      await inTenant((tx) => setProminence(tx, { tenant, user, id: 'm1', at: NOW, value: 0.9 }));
      const found = await sample(user, NOW + DAY, 64);
      expect(found).toHaveLength(40);
      for (const { id: _id, prominence, crossings, ...params } of found) {
        expect(prominence).toBeCloseTo(prominenceAt(params, NOW + DAY), 9);
        CROSSING_THRESHOLDS.forEach((threshold, i) => {
          const expected = crossingTime(params, threshold);
          if (expected === null || !Number.isFinite(expected)) expect(crossings[i]).toBe(expected);
          else expect(Math.abs(crossings[i]! - expected)).toBeLessThan(1000);
        });
      }
    });

    it('is another one at another time, and the same one at the same', async () => {
      const user = await seed((of) =>
        Array.from({ length: 30 }, (_, i) => newMemory(of, `m${i}`, `memory ${i}`)),
      );
      const ids = async (at: number) => (await sample(user, at, 5)).map((found) => found.id);
      expect(await ids(NOW)).toEqual(await ids(NOW));
      expect(await ids(NOW)).toHaveLength(5);
      const several = new Set((await Promise.all([1, 2, 3, 4].map((n) => ids(NOW + n)))).flat());
      expect(several.size).toBeGreaterThan(5);
    });
  });
});
