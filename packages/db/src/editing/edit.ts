import { type SQL, sql } from 'drizzle-orm';
import { GONE } from '../conflicts/gone.ts';
import type { Transaction } from '../database.ts';
import { owned } from '../fusions/scope.ts';
import { staleFusionsOver } from '../fusions/stale.ts';
import { contentHashOf, newId } from '../ids.ts';
import { instantOf } from '../instants.ts';
import { imageOf, journalled } from '../journal.ts';
import { lightDueAfterWrite } from '../scheduling/settings.ts';
import { EditRefused } from './errors.ts';
import { type Freed, freeMemory, lockEditable } from './free.ts';
import { type EditInput, requireEdit, requireSpan } from './input.ts';
import type { Editable } from './read.ts';

export interface EditResult {
  id: string;
  /** Before and after; the same when there was nothing to change. */
  before: number;
  version: number;
  /** The fusion or merge that had to be undone for it. */
  undoneFusion: string | null;
  /** Memories that are latest again since nothing stands for them any more. */
  reopened: string[];
  /** The entry of the journal by which it can be undone; null when there was nothing to change. */
  changeSetId: string | null;
}

/**
 * Gives a memory new words, another category or importance, or another time in which it is true: a new version, journalled, so that it can
 * be undone. Its prominence stays, since an edit confirms nothing, and who said it stays. Its vector is made anew, fusions that count on it
 * begin anew, and questions about its old words are settled.
 *
 * What superseded it is undone in the same transaction. When it gets other words and stands for others, those are latest again: a derived
 * memory that a person edits is a memory of its own from then on. Where that cannot be undone the edit is refused.
 *
 * @returns null when there is no such memory
 * @throws EditRefused, InputError
 */
export async function editMemory(tx: Transaction, input: EditInput): Promise<EditResult | null> {
  requireEdit(input);
  const locked = await lockEditable(tx, input);
  if (!locked) return null;
  const { memory, openFusions } = locked;
  const { expectedVersion = memory.version } = input;
  // guard: edit-version
  if (expectedVersion !== memory.version) {
    const found = `the memory has version ${memory.version} by now, not ${expectedVersion}: read it again`;
    throw new EditRefused('version_changed', memory.id, found);
  }
  const { columns, said } = changesOf(input, memory);
  if (columns.length === 0) {
    const { id, version } = memory;
    return { id, before: version, version, undoneFusion: null, reopened: [], changeSetId: null };
  }
  requireSpan(orStanding(input.validFrom, memory.validFrom), orStanding(input.validTo, memory.validTo));
  const changeSet = newId(input.at);
  const freed = await freeMemory(tx, input, memory, { said, changeSet });
  await staleFusionsOver(tx, input, { keys: openFusions, memoryIds: [memory.id] });
  const version = await write(tx, input, memory, { changeSet, columns, said, freed });
  return { id: memory.id, before: memory.version, version, ...freed, changeSetId: changeSet };
}

const orStanding = <T>(given: T | undefined, stands: T): T => (given === undefined ? stands : given);

interface Change {
  column: string;
  value: SQL;
}

/** The columns that get another value. */
function changesOf(input: EditInput, memory: Editable): { columns: Change[]; said: boolean } {
  const columns: Change[] = [];
  const { content, category, importance } = input;
  if (content !== undefined && content !== memory.content) {
    columns.push({ column: 'content', value: sql`${content}` });
    columns.push({ column: 'content_hash', value: sql`${contentHashOf(content)}` });
  }
  const times = [
    ['valid_from', input.validFrom, memory.validFrom],
    ['valid_to', input.validTo, memory.validTo],
    ['event_date', input.eventDate, memory.eventDate],
  ] as const;
  for (const [column, given, stands] of times) {
    if (given !== undefined && given !== stands) columns.push({ column, value: instantOf(given) });
  }
  const said = columns.length > 0;
  if (category !== undefined && category !== memory.category) {
    columns.push({ column: 'category', value: sql`${category}` });
  }
  if (importance !== undefined && importance !== memory.importance) {
    columns.push({ column: 'importance', value: sql`${importance}::smallint` });
  }
  return { columns, said };
}

const CONFLICT_COLUMNS = ['status', 'resolution', 'resolved_by', 'resolved_at'];

/** One statement: the new version, its journal, the questions it settles, the vectors that no longer fit, and light's wake-up. */
async function write(
  tx: Transaction,
  input: EditInput,
  memory: Editable,
  {
    changeSet,
    columns,
    said,
    freed,
  }: { changeSet: string; columns: Change[]; said: boolean; freed: Omit<Freed, 'openFusions'> },
): Promise<number> {
  const { tenant, user, actor } = input;
  const at = instantOf(input.at);
  const changes = [...columns, ...(said ? asCorrection(memory, freed.reopened) : [])];
  const set = changes.map(({ column, value }) => sql`${sql.raw(column)} = ${value}`);
  const names = [...changes.map(({ column }) => column), 'version', 'updated_at'];
  const reworded = columns.some(({ column }) => column === 'content');
  const asked = sql`${owned(input, 'k')} and ${memory.id}::uuid in (k.a_id, k.b_id) and k.status <> 'resolved' and ${reworded}`;
  const [row] = await tx.rows<{ version: number }>(sql`
    with found as (
      select m.id, ${imageOf('m', names)} as image from slowwave.memories m where ${owned(input, 'm')} and m.id = ${memory.id}::uuid
    ), changed as (
      update slowwave.memories m set ${sql.join(set, sql`, `)}, version = m.version + 1, updated_at = ${at}
      from found f where ${owned(input, 'm')} and m.id = f.id
      returning m.id, m.version, f.image as before, ${imageOf('m', names)} as after
    ), asked as (
      select k.id, ${imageOf('k', CONFLICT_COLUMNS)} as image from slowwave.conflicts k where ${asked}
    ), settled as (
      update slowwave.conflicts k set status = 'resolved', resolved_by = 'gone', resolved_at = ${at}, resolution = ${GONE}
      from asked a where ${owned(input, 'k')} and k.id = a.id
      returning k.id, a.image as before, ${imageOf('k', CONFLICT_COLUMNS)} as after
    ), images as (
      select 'memories' as table_name, jsonb_build_object('id', id) as row_key, before, after from changed
      union all
      select 'conflicts', jsonb_build_object('id', id), before, after from settled
    ), ${journalled({ changeSetId: changeSet, tenant, user, at: input.at, actor, kind: 'edit', runId: null })}, outdated as (
      delete from slowwave.embeddings e where ${owned(input, 'e')} and e.memory_id = ${memory.id}::uuid and ${reworded}
    ), woken as (
      update slowwave.user_tiers set due_at = ${lightDueAfterWrite(input.at)} where ${owned(input)} and tier = 'light'
    )
    select version from changed`);
  return row!.version;
}

/** A person said it; and what was derived stands for itself now, and tells only in its metadata where it came from. */
function asCorrection(memory: Editable, sources: readonly string[]): Change[] {
  const correction = { column: 'learned_from', value: sql`'correction'` };
  const derived = sql`m.memory_type = 'derived'`;
  const origin = JSON.stringify({
    editedFrom: { fusion: memory.made[0] ?? null, sources },
  });
  return [
    correction,
    { column: 'memory_type', value: sql`case when ${derived} then 'regular' else m.memory_type end` },
    { column: 'source_chunk', value: sql`case when ${derived} then null else m.source_chunk end` },
    {
      column: 'metadata',
      value: sql`case when ${derived} then m.metadata || ${origin}::jsonb else m.metadata end`,
    },
  ];
}
