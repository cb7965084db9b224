import type { JournalledTable, TouchedColumn, TouchedRow } from './touched.ts';

/** A row by its table and key. */
export interface RowAddress {
  table: JournalledTable;
  /** As the database writes it. */
  key: string;
  ids: Record<string, string>;
  /** The change set that the row's return or removal belongs to. */
  set: string;
}

/** Columns by name, their values as JSON texts. */
export type RawColumns = Map<string, string>;

export interface UndoPlan {
  /** Rows that stay, and the columns that get their earlier values back. */
  updates: (RowAddress & { patch: RawColumns; versioned: boolean })[];
  /** Rows that come back. */
  inserts: (RowAddress & { row: RawColumns })[];
  /** Rows that are taken away. */
  deletes: RowAddress[];
  /** Memories that go back to the cold table. */
  moves: RowAddress[];
  /** Changes that are journalled the other way round, as they stand: change set and position. */
  swapped: { set: string; position: number }[];
  /** Rows that are no longer as they were left, with the columns that differ; null: there or not there at all. */
  broken: { table: JournalledTable; ids: Record<string, string>; columns: string[] | null }[];
}

/**
 * What may happen to a memory without anything else standing on it: it fades, is confirmed, recalled, demoted and archived. A memory that
 * is taken away takes these along.
 */
const FREE_COLUMNS = new Set([
  'peak',
  'anchor_at',
  'demotion',
  'confirmations',
  'audited_at',
  'archived_at',
  'access_count',
  'last_accessed',
  'version',
]);

/** What a memory says, and when it is true: other memories rest on it. */
const SAID_COLUMNS = ['content', 'content_hash', 'event_date', 'valid_from', 'valid_to'];

const isFree = (table: JournalledTable, column: string): boolean =>
  table === 'memories' && FREE_COLUMNS.has(column);

/**
 * Works out how all changes together are taken back, or what stands in the way. The order in which they were made is not needed: the
 * values of each column are places, each change a way from one to another, and what is wanted is where a walk over all of them that ends
 * at the present value must have begun. When there is no such walk, somebody else changed the column since.
 * @param options.context also what a change left alone must still be as it was (for a redo)
 * @param options.exceptMemory a memory whose own insertion is left alone
 */
export function planUndo(
  touched: readonly TouchedRow[],
  options: { context: boolean; exceptMemory?: string | undefined },
): UndoPlan {
  const plan: UndoPlan = { updates: [], inserts: [], deletes: [], moves: [], swapped: [], broken: [] };
  const groups = new Map<string, TouchedRow[]>();
  for (const row of touched) {
    if (row.table === 'memories' && row.ids.id === options.exceptMemory && !row.existed && row.exists)
      continue;
    const name = `${row.table} ${row.key}`;
    const group = groups.get(name);
    if (group) group.push(row);
    else groups.set(name, [row]);
  }
  for (const rows of groups.values()) planRow(rows, plan, options.context);
  return plan;
}

/** One row, whatever the change sets did to it. */
function planRow(rows: TouchedRow[], plan: UndoPlan, context: boolean): void {
  const first = rows[0]!;
  const { table, key, ids, present } = first;
  const changes = rows.filter((row) => !row.moved && !row.context);
  const moves = rows.filter((row) => row.moved);
  const made = changes.find((row) => !row.existed);
  const gone = changes.find((row) => !row.exists);
  const appeared = count(changes, (row) => !row.existed) - count(changes, (row) => !row.exists);
  const broken = (columns: string[] | null) => plan.broken.push({ table, ids, columns });

  // It went to the cold table and has been fetched back by now; or it goes there again.
  const returned = count(moves, (row) => !row.existed) - count(moves, (row) => !row.exists);
  if (moves.length > 0 && !present) return void broken(null);
  if (returned > 0) plan.moves.push({ table, key, ids, set: moves[0]!.set });
  plan.swapped.push(...moves.map(placeOf));

  const walks = walksOf(rows, context);
  if (appeared === 1 && made) {
    if (!present) return void broken(null);
    const differing = walks.filter((walk) => !walk.unbroken && !isFree(table, walk.column));
    if (differing.length > 0) return void broken(differing.map((walk) => walk.column));
    plan.deletes.push({ table, key, ids, set: made.set });
    return;
  }
  if (appeared === -1 && gone) {
    if (present) return void broken(null);
    const row = new Map(walks.flatMap(({ column, start }) => (start === null ? [] : [[column, start]])));
    plan.inserts.push({ table, key, ids, set: gone.set, row });
    return;
  }
  if (!present) return void broken(null);
  planUpdate(first, changes, walks, plan);
}

function planUpdate(first: TouchedRow, changes: TouchedRow[], walks: Walk[], plan: UndoPlan): void {
  const { table, key, ids } = first;
  // Only a walk that leads somewhere is written, so only that and what is more than bookkeeping has to fit.
  const differing = walks.filter(
    (walk) => !walk.unbroken && walk.column !== 'version' && (walk.written || !isFree(table, walk.column)),
  );
  const patch: RawColumns = new Map();
  for (const { column, start, unbroken, written } of walks) {
    if (column !== 'version' && unbroken && written && start !== null) patch.set(column, start);
  }
  const restsOnOthers = table === 'memories' && SAID_COLUMNS.some((column) => patch.has(column));
  const latest = first.latest || patch.get('is_latest') === 'true';
  if (differing.length > 0) {
    plan.broken.push({ table, ids, columns: differing.map((walk) => walk.column) });
    return;
  }
  // Something stands for it as it is now: it cannot come to say anything else.
  if (restsOnOthers && !latest) {
    plan.broken.push({ table, ids, columns: ['is_latest'] });
    return;
  }
  plan.swapped.push(...changes.map(placeOf));
  if (patch.size === 0) return;
  const versioned = changes.some((row) => row.versioned);
  plan.updates.push({ table, key, ids, set: changes[0]!.set, patch, versioned });
}

/** Where a column was before all changes, and whether they lead to where it is now. */
interface Walk {
  column: string;
  start: string | null;
  unbroken: boolean;
  /** Some change really changed it. */
  written: boolean;
}

function walksOf(rows: TouchedRow[], context: boolean): Walk[] {
  const columns = new Map<string, { steps: TouchedColumn[]; stays: TouchedColumn[] }>();
  for (const row of rows) {
    // The image of a move tells of the content only; that of something that was left alone counts when the surroundings do.
    for (const column of row.columns) {
      const [name, before, after] = column;
      const entry = columns.get(name) ?? { steps: [], stays: [] };
      columns.set(name, entry);
      if (row.moved) entry.stays.push([name, before ?? after, after ?? before, column[3]]);
      else if (before !== after) entry.steps.push(column);
      else if (context || row.context) entry.stays.push(column);
    }
  }
  return [...columns].map(([column, { steps, stays }]) => walkOf(column, steps, stays));
}

function walkOf(column: string, steps: TouchedColumn[], stays: TouchedColumn[]): Walk {
  if (steps.length === 0) {
    const unbroken = stays.every(([, before, , now]) => before === now);
    return { column, start: null, unbroken, written: false };
  }
  const now = steps[0]![3];
  const balance = new Map<string | null, number>();
  for (const [, before, after] of steps) {
    balance.set(before, (balance.get(before) ?? 0) + 1);
    balance.set(after, (balance.get(after) ?? 0) - 1);
  }
  const open = [...balance].filter(([, sum]) => sum !== 0);
  // It went round in a circle.
  if (open.length === 0) return { column, start: now, unbroken: balance.has(now), written: true };
  const start = open.find(([, sum]) => sum === 1);
  const end = open.find(([, sum]) => sum === -1);
  const unbroken =
    open.length === 2 &&
    start !== undefined &&
    end !== undefined &&
    // guard: undo-unbroken
    end[0] === now;
  return { column, start: start ? start[0] : null, unbroken, written: true };
}

const placeOf = ({ set, position }: TouchedRow): { set: string; position: number } => ({ set, position });

function count<T>(items: readonly T[], wanted: (item: T) => boolean): number {
  return items.filter(wanted).length;
}
