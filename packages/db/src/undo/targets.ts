import { type SQL, sql } from 'drizzle-orm';
import { uuidArray } from '../arrays.ts';
import type { Transaction } from '../database.ts';
import { owned } from '../fusions/scope.ts';
import { msOf } from '../instants.ts';
import type { ChangeKind } from '../journal.ts';
import { uuidOrNull } from '../memories/addressed.ts';
import { UndoRefused } from './errors.ts';

/** What is to be undone or redone: a fusion by its key, everything a run changed, or one change set. */
export type UndoTarget = { fusion: string } | { run: string } | { changeSet: string };

/** undo takes change sets back; redo takes back what took them back. */
export type Direction = 'undo' | 'redo';

/** A change set that is not itself an undo or a redo. */
export interface RootSet {
  id: string;
  kind: ChangeKind;
  fusionKey: string | null;
  runId: string | null;
  /** Epoch ms. */
  createdAt: number;
  undoneBy: string | null;
  /** Of the set itself, or of the one that undid it when there is one: its images are gone. */
  imagesDropped: boolean;
}

/** The change sets to work on, all in the same state, and what is to be done to them. */
export interface Chosen {
  direction: Direction;
  roots: RootSet[];
}

interface Owner {
  tenant: string;
  user: string;
}

const KEY = /^[0-9a-f]{64}$/;

/**
 * Finds what somebody means. Undoing an undo is a redo, and undoing a redo is an undo.
 * @throws UndoRefused `unknown`, `already_undone`, `not_undone`, `nothing_to_undo`
 */
export async function chooseSets(
  tx: Transaction,
  of: Owner,
  target: UndoTarget,
  wanted: Direction,
): Promise<Chosen> {
  if ('changeSet' in target) return chooseByChangeSet(tx, of, target.changeSet, wanted);
  const { condition, known } = 'fusion' in target ? byFusion(of, target.fusion) : byRun(of, target.run);
  const roots = await listRoots(tx, of, condition);
  if (roots.length === 0) {
    const [row] = await tx.rows<{ known: boolean }>(sql`select ${known} as known`);
    throw row!.known
      ? new UndoRefused('nothing_to_undo', 'it changed nothing that could be undone')
      : unknownTarget();
  }
  const fitting = roots.filter((root) => (root.undoneBy !== null) === (wanted === 'redo'));
  if (fitting.length === 0) throw asItStands(wanted);
  return { direction: wanted, roots: fitting };
}

const unknownTarget = () =>
  new UndoRefused('unknown', 'there is no such fusion, run or change set of this user');

export function asItStands(wanted: Direction): UndoRefused {
  return wanted === 'undo'
    ? new UndoRefused('already_undone', 'it has been undone already')
    : new UndoRefused('not_undone', 'it stands: only what was undone can be redone');
}

function byFusion(of: Owner, key: string): { condition: SQL; known: SQL } {
  // Anything else is no key: nothing has that name.
  const wanted = KEY.test(key) ? key : '';
  return {
    // Of a fusion that is closed, all its statements.
    condition: sql`s.kind in ('fusion', 'merge') and (s.fusion_key = ${wanted} or s.fusion_key = any(array(
      select f.key from slowwave.fusions f where ${owned(of, 'f')} and f.request = ${wanted})))`,
    known: sql`exists (select 1 from slowwave.fusions f where ${owned(of, 'f')} and f.key = ${wanted})`,
  };
}

function byRun(of: Owner, run: string): { condition: SQL; known: SQL } {
  const id = uuidOrNull(run);
  return {
    condition: sql`s.run_id = ${id}::uuid and s.kind not in ('undo', 'redo')`,
    known: sql`exists (select 1 from slowwave.runs r where ${owned(of, 'r')} and r.id = ${id}::uuid)`,
  };
}

function listRoots(tx: Transaction, of: Owner, condition: SQL): Promise<RootSet[]> {
  return tx.rows(sql`
    select s.id, s.kind, s.fusion_key as "fusionKey", s.run_id as "runId", ${msOf('s.created_at')} as "createdAt",
      s.undone_by as "undoneBy", case when s.undone_by is null then s.images_dropped_at is not null
        else u.id is null or u.images_dropped_at is not null end as "imagesDropped"
    from slowwave.change_sets s
    left join slowwave.change_sets u on ${owned(of, 'u')} and u.id = s.undone_by
    where ${owned(of, 's')} and ${condition}
    order by s.created_at, s.id`);
}

interface Link {
  id: string;
  kind: ChangeKind;
  undoneBy: string | null;
}

/** From a change set to what it took back, and on to the first one. */
async function chooseByChangeSet(tx: Transaction, of: Owner, id: string, wanted: Direction): Promise<Chosen> {
  const chain = await tx.rows<Link>(sql`
    with recursive chain as (
      select s.id, s.kind, s.undone_by, s.undoes, 0 as step from slowwave.change_sets s
      where ${owned(of, 's')} and s.id = ${uuidOrNull(id)}::uuid
      union all
      select p.id, p.kind, p.undone_by, p.undoes, c.step + 1
      from chain c join slowwave.change_sets p on ${owned(of, 'p')} and p.id = c.undoes
      where c.step < 10
    )
    select id, kind, undone_by as "undoneBy" from chain order by step`);
  const named = chain[0];
  const first = chain.at(-1);
  if (!named || !first || first.kind === 'undo' || first.kind === 'redo') throw unknownTarget();
  const roots = await listRoots(tx, of, sql`s.id = ${first.id}::uuid`);
  return { direction: directionOf(named, first, wanted), roots };
}

function directionOf(named: Link, root: Link, wanted: Direction): Direction {
  const undone = root.undoneBy !== null;
  if (named.kind === 'undo') {
    // Only the undo that holds now can be taken back.
    if (root.undoneBy !== named.id) throw asItStands(wanted);
    return 'redo';
  }
  if (named.kind === 'redo') {
    const holds = named.undoneBy === null;
    if (wanted === 'undo' && holds && !undone) return 'undo';
    if (wanted === 'redo' && undone && named.undoneBy === root.undoneBy) return 'redo';
    throw asItStands(wanted);
  }
  if (undone === (wanted === 'undo')) throw asItStands(wanted);
  return wanted;
}

/**
 * An edit that had to undo something belongs together with that undo: whoever takes the edit back makes good again what it undid, and the
 * other way round. Such an undo or redo names the change set that it is a part of in the place of a run.
 */
export interface LinkedSet {
  /** The undo or redo. */
  id: string;
  kind: Direction;
  partOf: string;
  root: RootSet;
}

export async function listLinked(
  tx: Transaction,
  of: Owner,
  targets: readonly string[],
): Promise<LinkedSet[]> {
  const linked = await tx.rows<{ id: string; kind: Direction; partOf: string; rootId: string }>(sql`
    select s.id, s.kind, s.run_id as "partOf", case s.kind when 'undo' then s.undoes else u.undoes end as "rootId"
    from slowwave.change_sets s
    left join slowwave.change_sets u on ${owned(of, 'u')} and u.id = s.undoes
    where ${owned(of, 's')} and s.run_id = any(${uuidArray(targets)}) and s.kind in ('undo', 'redo') and s.undone_by is null
    order by s.id`);
  if (linked.length === 0) return [];
  const ids = uuidArray(linked.map(({ rootId }) => rootId));
  const roots = new Map((await listRoots(tx, of, sql`s.id = any(${ids})`)).map((root) => [root.id, root]));
  return linked.flatMap(({ rootId, ...set }) => {
    const root = roots.get(rootId);
    return root ? [{ ...set, root }] : [];
  });
}

/** Of the given change sets, as they stand now that nobody else can change them. */
export function lockSets(
  tx: Transaction,
  of: Owner,
  ids: readonly string[],
): Promise<{ id: string; undoneBy: string | null; imagesDropped: boolean }[]> {
  return tx.rows(sql`
    select id, undone_by as "undoneBy", images_dropped_at is not null as "imagesDropped" from slowwave.change_sets
    where ${owned(of)} and id = any(${uuidArray(ids)})
    order by id
    for update`);
}
