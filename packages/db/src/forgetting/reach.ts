import { type SQL, sql } from 'drizzle-orm';
import { nameArray, uuidArray } from '../arrays.ts';
import type { Transaction } from '../database.ts';
import { owned } from '../fusions/scope.ts';
import type { ForgetWhy } from './types.ts';
import { createMatcher, type Matcher } from './words.ts';

export interface Owner {
  tenant: string;
  user: string;
}

/** All that hangs on what is forgotten, as far as memories and the ledger go. */
export interface Reach {
  /** Ids that go and why, those included that an undo has taken away before: their images go, and no redo brings them back. */
  why: Map<string, ForgetWhy>;
  /** Of these, the ones that are there, in the table or in the cold one. */
  present: Set<string>;
  /** Memories that a person rewrote until they no longer say it: they stay, without what reminds of where they came from. */
  rewritten: Set<string>;
  /** Fusions and merges that had a part in it. */
  keys: Set<string>;
  /** What the memories that were named, or say the same, say and said before they were edited. */
  texts: string[];
  /** Sessions in which these were said. */
  sessions: Set<string>;
}

interface Details {
  id: string;
  content: string;
  session: string | null;
  rewritten: boolean;
}

interface Neighbourhood {
  keys: string[];
  duplicates: string[];
  derived: string[];
}

/**
 * Follows lineage from the given memories to all that was made of them, in the ledger, in relations and in what memories say of
 * themselves, cold ones included; and over merges, both sides of which say the same. Reads only; some statements for each generation,
 * whatever its size.
 */
export async function findReach(
  tx: Transaction,
  of: Owner,
  start: ReadonlyMap<string, ForgetWhy>,
): Promise<Reach> {
  const reach: Reach = {
    why: new Map(),
    present: new Set(),
    rewritten: new Set(),
    keys: new Set(),
    texts: [],
    sessions: new Set(),
  };
  await extendReach(tx, of, reach, start);
  return reach;
}

/** The same from further memories on. */
export async function extendReach(
  tx: Transaction,
  of: Owner,
  reach: Reach,
  start: ReadonlyMap<string, ForgetWhy>,
): Promise<void> {
  let fresh = new Map([...start].filter(([id]) => !reach.why.has(id)));
  while (fresh.size > 0) {
    const taken = await take(tx, of, reach, fresh);
    const near = await lookAround(tx, of, taken);
    for (const key of near.keys) reach.keys.add(key);
    fresh = new Map();
    for (const id of near.derived) if (isNew(reach, id)) fresh.set(id, 'derived');
    for (const id of near.duplicates) if (isNew(reach, id)) fresh.set(id, 'duplicate');
  }
}

const isNew = (reach: Reach, id: string): boolean => !reach.why.has(id) && !reach.rewritten.has(id);

/** Puts a generation into the reach, but for what was rewritten by hand and says something else by now. @returns ids to go on from */
async function take(
  tx: Transaction,
  of: Owner,
  reach: Reach,
  fresh: ReadonlyMap<string, ForgetWhy>,
): Promise<string[]> {
  const found = await readDetails(tx, of, [...fresh.keys()]);
  const named = found.filter(({ id }) => fresh.get(id) !== 'derived');
  for (const { session } of named) if (session !== null) reach.sessions.add(session);
  reach.texts.push(...named.map(({ content }) => content));
  const earlier = [...fresh].filter(([, why]) => why !== 'derived').map(([id]) => id);
  reach.texts.push(...(await readEarlierTexts(tx, of, earlier)));
  let matcher: Matcher | null = null;
  for (const { id, content, rewritten } of found) {
    if (!rewritten || fresh.get(id) !== 'derived') continue;
    matcher ??= createMatcher(reach.texts);
    if (!matcher.says(content)) reach.rewritten.add(id);
  }
  const taken = [...fresh].filter(([id]) => !reach.rewritten.has(id));
  for (const [id, why] of taken) reach.why.set(id, why);
  for (const { id } of found) if (!reach.rewritten.has(id)) reach.present.add(id);
  return taken.map(([id]) => id);
}

function readDetails(tx: Transaction, of: Owner, ids: readonly string[]): Promise<Details[]> {
  const list = uuidArray(ids);
  return tx.rows(sql`
    select m.id, m.content, m.session, m.learned_from = 'correction' and jsonb_exists(m.metadata, 'editedFrom') as rewritten
    from slowwave.memories m where ${owned(of, 'm')} and m.id = any(${list})
    union all
    select c.id, c.memory->>'content', c.memory->>'session',
      c.memory->>'learned_from' = 'correction' and jsonb_exists(c.memory->'metadata', 'editedFrom')
    from slowwave.cold_memories c where ${owned(of, 'c')} and c.id = any(${list})`);
}

/** What memories said before they were edited, as far as the journal still knows. */
async function readEarlierTexts(tx: Transaction, of: Owner, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return [];
  const rows = await tx.rows<{ content: string }>(sql`
    select distinct t.content from slowwave.changes c
    cross join lateral (values (c.before->>'content'), (c.after->>'content')) as t(content)
    where ${owned(of, 'c')} and c.row_key->>'id' = any(${nameArray(ids)}) and c.table_name = 'memories'
      and t.content is not null`);
  return rows.map(({ content }) => content);
}

/** Of whom a memory may say, in its metadata, that it was made of others. */
const MADE = sql`('consolidation', 'nrem_consolidation', 'rem_exploration')`;

/** What was made of these, what says the same, and the ledger's rows about them; one statement. */
async function lookAround(tx: Transaction, of: Owner, ids: readonly string[]): Promise<Neighbourhood> {
  if (ids.length === 0) return { keys: [], duplicates: [], derived: [] };
  const list = uuidArray(ids);
  const names = nameArray(ids);
  const sourcesOf = (metadata: SQL) => sql`(jsonb_exists_any(${metadata}->'sourceIds', ${names})
    or jsonb_exists_any(${metadata}->'uncoveredIds', ${names}))`;
  const [row] = await tx.rows<Neighbourhood>(sql`
    with parts as materialized (
      select s.fusion_key as key from slowwave.fusion_sources s where ${owned(of, 's')} and s.memory_id = any(${list})
      union
      select p->>'fusion_key' from slowwave.cold_memories c cross join lateral jsonb_array_elements(c.fusion_sources) p
      where ${owned(of, 'c')} and c.id = any(${list})
    ), ledger as materialized (
      select f.key, f.kind, f.status, f.request, f.derived_id, f.key in (select key from parts) as read
      from slowwave.fusions f
      where ${owned(of, 'f')} and (f.key in (select key from parts) or f.derived_id = any(${list}))
    ), merged as materialized (
      -- One that was taken back, or refused by a person, says that the two are not the same. A note that says a statement again is one
      -- of its sources: the statement goes with it, and not the other way round.
      select key, derived_id from ledger where kind = 'merge' and status = 'applied'
        and request is null /* guard: forget-restated */
    ), sides as (
      select derived_id as id from merged
      union
      select s.memory_id from slowwave.fusion_sources s
      where ${owned(of, 's')} and s.fusion_key = any(array(select key from merged))
      union
      select c.id from slowwave.cold_memories c cross join lateral jsonb_array_elements(c.fusion_sources) p
      where ${owned(of, 'c')} and p->>'fusion_key' = any(array(select key from merged))
    ), made as (
      select derived_id as id from ledger where kind = 'fusion' and read
      union
      select r.source_id from slowwave.relations r
      where ${owned(of, 'r')} and r.relation_type = 'DERIVES' and r.target_id = any(${list})
      union
      select (r->>'source_id')::uuid from slowwave.cold_memories c cross join lateral jsonb_array_elements(c.relations) r
      where ${owned(of, 'c')} and r->>'relation_type' = 'DERIVES' and (r->>'target_id')::uuid = any(${list})
      union
      select m.id from slowwave.memories m
      where ${owned(of, 'm')} and m.learned_from in ${MADE} and ${sourcesOf(sql`m.metadata`)}
      union
      select c.id from slowwave.cold_memories c
      where ${owned(of, 'c')} and c.memory->>'learned_from' in ${MADE} and ${sourcesOf(sql`c.memory->'metadata'`)}
    )
    select (select coalesce(jsonb_agg(key), '[]') from ledger) as keys,
      (select coalesce(jsonb_agg(id), '[]') from sides) as duplicates,
      (select coalesce(jsonb_agg(id), '[]') from made) as derived`);
  return row!;
}

/** Insights of self-reflection that rest on one of these sessions. */
export async function listInsights(
  tx: Transaction,
  of: Owner,
  sessions: ReadonlySet<string>,
): Promise<string[]> {
  if (sessions.size === 0) return [];
  const names = nameArray(sessions);
  const rows = await tx.rows<{ id: string }>(sql`
    select m.id from slowwave.memories m
    where ${owned(of, 'm')} and m.learned_from = 'self_reflection' and jsonb_exists_any(m.metadata->'sessionIds', ${names})
    union
    select c.id from slowwave.cold_memories c
    where ${owned(of, 'c')} and c.memory->>'learned_from' = 'self_reflection'
      and jsonb_exists_any(c.memory->'metadata'->'sessionIds', ${names})`);
  return rows.map(({ id }) => id);
}

/**
 * What else came of answers that had read something forgotten: memories of other statements of the same fusions, cold ones included, and
 * those that would come of a proposal, or come back by a redo. A writer may have put its words there.
 * @param keys of fusions
 * @returns ids of memories, each with every text that is kept of it
 */
export function listStatementsBeside(
  tx: Transaction,
  of: Owner,
  keys: ReadonlySet<string>,
): Promise<{ id: string; content: string }[]> {
  if (keys.size === 0) return Promise.resolve([]);
  const made = sql`
    select f.key, f.derived_id, f.proposal from slowwave.fusions f
    where ${owned(of, 'f')} and f.request = any(${nameArray(keys)})`;
  return tx.rows(sql`
    with made as materialized (${made})
    select m.id, m.content from slowwave.memories m where ${owned(of, 'm')} and m.id in (select derived_id from made)
    union all
    select c.id, c.memory->>'content' from slowwave.cold_memories c
    where ${owned(of, 'c')} and c.id in (select derived_id from made)
    union all
    select d.derived_id, d.proposal->>'content' from made d where d.proposal is not null
    union all
    select d.derived_id, t.content from made d
    join slowwave.change_sets s on ${owned(of, 's')} and s.fusion_key = d.key
    join slowwave.changes c on ${owned(of, 'c')} and c.change_set_id = s.id and c.table_name = 'memories'
      and c.row_key->>'id' = d.derived_id::text
    cross join lateral (values (c.before->>'content'), (c.after->>'content')) as t(content)
    where t.content is not null`);
}
