import { type SQL, sql } from 'drizzle-orm';
import type { Transaction } from '../database.ts';
import { owned } from '../fusions/scope.ts';
import { instantOf, msOf } from '../instants.ts';
import type { ChangeKind } from '../journal.ts';
import { addressed, uuidOrNull } from '../memories/addressed.ts';
import { decodeCursor, type ListPage, pageOf } from '../paging.ts';
import type { JournalledTable } from './touched.ts';

export const CHANGE_SETS_PER_LIST_MAX = 200;
const CURSOR = { list: 'change-sets', key: { at: 'instant', id: 'uuid' } } as const;

/** One entry of the journal. Counts are of rows that the journal still holds images of. */
export interface ChangeSetView {
  id: string;
  kind: ChangeKind;
  actor: string | null;
  runId: string | null;
  fusionKey: string | null;
  /** Epoch ms. */
  createdAt: number;
  /** The change set that this one took back. */
  undoes: string | null;
  /** The change set that took this one back; null while it stands. */
  undoneBy: string | null;
  /** Epoch ms; from then on it cannot be undone or redone. */
  imagesDroppedAt: number | null;
  counts: { memories: number; relations: number; conflicts: number };
}

interface Owner {
  tenant: string;
  user: string;
}

const VIEW: SQL = sql`s.id, s.kind, s.actor, s.run_id as "runId", s.fusion_key as "fusionKey", ${msOf('s.created_at')} as "createdAt",
  s.undoes, s.undone_by as "undoneBy", ${msOf('s.images_dropped_at')} as "imagesDroppedAt"`;

function countsOf(of: Owner): SQL {
  return sql`(select jsonb_build_object(
      'memories', count(*) filter (where c.table_name = 'memories'),
      'relations', count(*) filter (where c.table_name = 'relations'),
      'conflicts', count(*) filter (where c.table_name = 'conflicts'))
    from slowwave.changes c where ${owned(of, 'c')} and c.change_set_id = s.id) as counts`;
}

export interface ChangeSetFilter extends Owner {
  /** At most CHANGE_SETS_PER_LIST_MAX, a larger one is cut. */
  limit: number;
  /** The last entry of the page before; unknown ones begin anew. */
  before?: string | undefined;
  runId?: string | undefined;
  fusionKey?: string | undefined;
  /** Only what touched this memory: our id, or the writer's own. */
  memory?: string | undefined;
}

const sizeOf = ({ limit }: ChangeSetFilter): number =>
  Math.max(1, Math.min(CHANGE_SETS_PER_LIST_MAX, Math.floor(limit)));

/** A user's journal, newest first. */
export function listChangeSets(tx: Transaction, filter: ChangeSetFilter): Promise<ChangeSetView[]> {
  return selectChangeSets(tx, filter, { limit: sizeOf(filter), after: null });
}

/** The same page by page. @throws InputError for a cursor of another list */
export async function pageChangeSets(
  tx: Transaction,
  filter: ChangeSetFilter & { cursor?: string | undefined },
): Promise<ListPage<ChangeSetView>> {
  const limit = sizeOf(filter);
  const after = decodeCursor(CURSOR, filter.cursor);
  const rows = await selectChangeSets(tx, filter, { limit: limit + 1, after });
  return pageOf(CURSOR, rows, limit, ({ createdAt, id }) => ({ at: createdAt, id }));
}

function selectChangeSets(
  tx: Transaction,
  filter: ChangeSetFilter,
  { limit, after }: { limit: number; after: { at: number; id: string } | null },
): Promise<ChangeSetView[]> {
  const { runId, fusionKey, before, memory } = filter;
  const conditions: SQL[] = [owned(filter, 's')];
  if (runId !== undefined) conditions.push(sql`s.run_id = ${uuidOrNull(runId)}::uuid`);
  if (fusionKey !== undefined) conditions.push(sql`s.fusion_key = ${fusionKey}`);
  if (after) conditions.push(sql`(s.created_at, s.id) < (${instantOf(after.at)}, ${after.id}::uuid)`);
  if (before !== undefined) {
    const last = sql`slowwave.change_sets b where ${owned(filter, 'b')} and b.id = ${uuidOrNull(before)}::uuid`;
    conditions.push(sql`(not exists (select 1 from ${last})
      or (s.created_at, s.id) < (select b.created_at, b.id from ${last}))`);
  }
  if (memory !== undefined) {
    // What was forgotten or taken away has no row any more, but may still be asked for by its id.
    const id = sql`coalesce(${addressed({ ...filter, id: memory })}, ${uuidOrNull(memory)}::uuid)::text`;
    conditions.push(sql`s.id = any(array(
      select c.change_set_id from slowwave.changes c where ${owned(filter, 'c')} and c.row_key->>'id' = ${id}))`);
  }
  return tx.rows<ChangeSetView>(sql`
    select ${VIEW}, ${countsOf(filter)}
    from slowwave.change_sets s
    where ${sql.join(conditions, sql` and `)}
    order by s.created_at desc, s.id desc
    limit ${limit}`);
}

/** What a change set did to one row. */
export interface RowChange {
  table: JournalledTable;
  key: Record<string, string>;
  how: 'added' | 'changed' | 'removed';
  /** The columns that differ, by name; for a row that was added or removed those that are not null. */
  columns: Record<string, { before: unknown; after: unknown }>;
}

/** One change set, row by row. @returns null when there is none of that id */
export async function readChangeSet(
  tx: Transaction,
  input: Owner & { id: string },
): Promise<(ChangeSetView & { rows: RowChange[] }) | null> {
  const [found] = await tx.rows<ChangeSetView & { rows: RowChange[] }>(sql`
    select ${VIEW}, ${countsOf(input)}, (
      select coalesce(jsonb_agg(jsonb_build_object('table', c.table_name, 'key', c.row_key,
          'how', case when c.before is null then 'added' when c.after is null then 'removed' else 'changed' end,
          'columns', (
            select coalesce(jsonb_object_agg(k.name, jsonb_build_object('before', c.before->k.name, 'after', c.after->k.name)), '{}')
            from jsonb_object_keys(coalesce(c.before, '{}') || coalesce(c.after, '{}')) k(name)
            where coalesce(c.before->k.name, 'null') <> coalesce(c.after->k.name, 'null')
              and k.name not in ('tenant', 'user_id', 'words', 'fusion_sources') and k.name !~ '^crosses_'
          )) order by c.position), '[]')
      from slowwave.changes c where ${owned(input, 'c')} and c.change_set_id = s.id) as rows
    from slowwave.change_sets s
    where ${owned(input, 's')} and s.id = ${uuidOrNull(input.id)}::uuid`);
  return found ?? null;
}
