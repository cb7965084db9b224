import { sql } from 'drizzle-orm';
import { type Break, ben, DERIVED, drop } from './break.ts';
import { codeOf } from './facts.ts';
import { tenant } from './fixture.ts';

const [first, second] = [codeOf(ben, 0), codeOf(ben, 1)];

/** What may happen to memories, their lineage and the journal. */
export const BROKEN_MEMORIES: Break[] = [
  {
    invariant: 'fusion-once',
    how: 'a fusion without its change set',
    statements: [sql`delete from slowwave.change_sets where kind = 'fusion' and user_id = 'ben'`],
    told: /ben: fusion .* is applied and has 0 standing change sets/,
  },
  {
    invariant: 'fusion-once',
    how: 'one fusion written twice',
    statements: [
      sql`insert into slowwave.change_sets (tenant, user_id, id, fusion_key, kind, created_at)
        select tenant, user_id, gen_random_uuid(), fusion_key, kind, created_at from slowwave.change_sets
        where kind = 'fusion' and user_id = 'ben'`,
    ],
    told: /has 2 standing change sets/,
  },
  {
    invariant: 'fusion-once',
    how: 'a derived memory under another id than that of its key',
    statements: [
      sql`insert into slowwave.memories (tenant, user_id, id, content, content_hash, category, memory_type, learned_from, document_date, peak,
          anchor_at, created_at, updated_at)
        select tenant, user_id, gen_random_uuid(), content, content_hash, category, memory_type, learned_from, document_date, peak, anchor_at,
          created_at, updated_at from slowwave.memories m where ${DERIVED}`,
    ],
    told: /was derived by 0 applied fusions/,
  },
  {
    invariant: 'superseded-once',
    how: 'a memory superseded by one that is not there',
    statements: [
      drop('memories', 'memories_superseded_by'),
      sql`update slowwave.memories set superseded_by = gen_random_uuid() where user_id = 'ben' and external_id = 'f1'`,
    ],
    told: /which is not there/,
  },
  {
    invariant: 'superseded-once',
    how: 'a circle',
    statements: [
      sql`update slowwave.memories m set is_latest = false, prior_type = memory_type, memory_type = 'superseded', superseded_by = (
          select s.id from slowwave.memories s where s.user_id = 'ben' and s.external_id = 'f1') where ${DERIVED}`,
    ],
    told: /ends in a circle/,
  },
  {
    invariant: 'superseded-once',
    how: 'a source superseded twice in the journal',
    statements: [
      sql`insert into slowwave.change_sets (tenant, user_id, id, kind, created_at) values (${tenant}, 'ben', ${`00000000-0000-7000-8000-000000000001`}, 'merge', now())`,
      sql`insert into slowwave.changes (tenant, user_id, change_set_id, position, table_name, row_key, before, after)
        select tenant, user_id, ${`00000000-0000-7000-8000-000000000001`}::uuid, position, table_name, row_key, before, after
        from slowwave.changes where user_id = 'ben' and after->>'superseded_by' is not null`,
    ],
    told: /was superseded 2 times/,
  },
  {
    invariant: 'superseded-once',
    how: 'lineage that is not written down',
    statements: [sql`delete from slowwave.relations where relation_type = 'DERIVES' and user_id = 'ben'`],
    told: /no relation says/,
  },
  {
    invariant: 'superseded-once',
    how: 'a ledger that knows of no superseded source',
    statements: [sql`update slowwave.fusion_sources set superseded = false where user_id = 'ben'`],
    told: /the ledger says it 0 times/,
  },
  {
    invariant: 'words-kept',
    how: 'a code lost and another one invented',
    statements: [
      sql`update slowwave.memories m set content = replace(content, ${first}, ${codeOf(ben, 77)}) where ${DERIVED}`,
    ],
    told: /1 things that .* said are not in|says 1 things that none of its sources said/,
  },
  {
    invariant: 'words-kept',
    how: 'two codes that changed places',
    statements: [
      sql`update slowwave.memories m
        set content = replace(replace(replace(content, ${first}, '@'), ${second}, ${first}), '@', ${second}) where ${DERIVED}`,
    ],
    told: /1 things that .* said are not in/,
  },
  {
    invariant: 'own-sources',
    how: 'a derived memory that says of one thing what was said of another one',
    statements: [
      sql`update slowwave.memories m set content = regexp_replace(content, ' in (\\w+)(.*?) in (\\w+)', ' in \\3\\2 in \\1') where ${DERIVED}`,
    ],
    told: /ben: .* states 2 things that none of the 4 memories it superseded does/,
  },
  {
    invariant: 'own-sources',
    how: 'a derived memory that says of all what one source says',
    statements: [
      sql`update slowwave.memories m set content = regexp_replace(content, ' in (?!cellar)\\w+', ' in cellar', 'g') where ${DERIVED}`,
    ],
    told: /ben: .* states 3 things/,
  },
  {
    invariant: 'own-sources',
    how: 'a derived memory with the roles reversed',
    statements: [
      sql`update slowwave.memories m set content = regexp_replace(content, '(\\w+) (\\w+ K\\d+) in (\\w+)', '\\3 \\2 in \\1', 'g') where ${DERIVED}`,
    ],
    told: /ben: .* states 4 things/,
  },
  {
    invariant: 'own-sources',
    how: 'a derived memory that says what a memory beside its sources says',
    statements: [
      sql`update slowwave.memories m set content = content || ' Ben sold the jar.' where ${DERIVED}`,
    ],
    told: /ben: .* states 1 things/,
  },
  {
    invariant: 'own-sources',
    how: 'a source that says something else than the memory that superseded it',
    statements: [
      sql`update slowwave.memories set content = 'Ben sold the jar.' where user_id = 'ben' and external_id = 'f1'`,
    ],
    told: /ben: .* states 1 things/,
  },
  {
    invariant: 'nothing-lost',
    how: 'a memory that is gone',
    statements: [sql`delete from slowwave.memories where user_id = 'eva' and external_id = 'beside'`],
    told: /eva: memory .* is gone/,
  },
  {
    invariant: 'nothing-lost',
    how: 'a memory that says something else',
    statements: [
      sql`update slowwave.memories set importance = 9, content = 'Nobody said this.' where user_id = 'eva' and external_id = 'f1'`,
    ],
    told: /is something else than before \(content, importance\)/,
  },
  {
    invariant: 'nothing-lost',
    how: 'a memory from nowhere',
    statements: [
      sql`insert into slowwave.memories (tenant, user_id, id, content, content_hash, category, document_date, peak, anchor_at, created_at,
          updated_at)
        values (${tenant}, 'ben', gen_random_uuid(), 'Invented.', ${'0'.repeat(64)}, 'fact', now(), 0.5, now(), now(), now())`,
    ],
    told: /the hash of|nothing says where/,
  },
  {
    invariant: 'before-images',
    how: 'an image of a part of a row',
    statements: [
      sql`update slowwave.changes set before = before - 'trust' where user_id = 'ben' and before is not null and table_name = 'memories'`,
    ],
    told: /is not the whole row/,
  },
  {
    invariant: 'before-images',
    how: 'images of different columns',
    statements: [
      sql`update slowwave.changes c set after = after - 'peak' from slowwave.change_sets s
        where s.id = c.change_set_id and s.kind = 'merge' and c.before ? 'peak'`,
    ],
    told: /of other columns before and after/,
  },
  {
    invariant: 'before-images',
    how: 'an image that is not true',
    statements: [
      sql`update slowwave.changes set before = jsonb_set(before, '{importance}', '9') where user_id = 'ben' and before is not null
        and table_name = 'memories'`,
    ],
    told: /do not lead from what it was to what it is \(importance\)/,
  },
  {
    invariant: 'before-images',
    how: 'a change that the journal does not know of',
    statements: [sql`update slowwave.memories m set confirmations = confirmations + 1 where ${DERIVED}`],
    told: /\(confirmations\)/,
  },
  {
    invariant: 'before-images',
    how: 'a relation that came from nowhere',
    statements: [sql`delete from slowwave.changes where table_name = 'relations' and user_id = 'ben'`],
    told: /how a relation DERIVES .* came or went/,
  },
];
