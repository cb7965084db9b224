import { type SQL, sql } from 'drizzle-orm';
import type { Transaction } from '../database.ts';
import { owned } from '../fusions/scope.ts';
import { InputError, requireNumber } from '../input-error.ts';
import { instantOf, msOf } from '../instants.ts';
import { imageOf, journalled } from '../journal.ts';
import { addressed } from './addressed.ts';
import { prominenceOf } from './candidates.ts';
import { MemoryRefused } from './refused.ts';
import { nextCrossingOf, wakeLightBy } from './wake-light.ts';

/** Which memory, and when. */
export interface MemoryOperation {
  tenant: string;
  user: string;
  /** Our id, or the writer's own. */
  id: string;
  /** Epoch ms. */
  at: number;
}

/** Prominence before and after, at the instant of the change. */
export interface ProminenceChange {
  id: string;
  before: number;
  after: number;
  /** Epoch ms of the next crossing of a threshold; null when none lies ahead. */
  nextCrossingAt: number | null;
}

/** What a confirmation adds: this share of what is missing to 1. */
export const REINFORCEMENT = 0.3;
/** Below this a factor counts as nothing; the table takes zero or more than this. */
export const LEAST_FACTOR = 1e-9;

/**
 * Reinforces a memory that was confirmed: it rises by 0.3 of what is missing to 1, counts from now, and decays more slowly than before;
 * an earlier demotion is forgiven.
 * @returns null when there is no such memory
 * @throws MemoryRefused `superseded`
 */
export function confirmMemory(tx: Transaction, input: MemoryOperation): Promise<ProminenceChange | null> {
  return change(tx, input, {
    // Prominence is at most 1, so only rounding could carry the sum above it.
    peak: sql`least(1, f.prominence + ${REINFORCEMENT}::float8 * (1 - f.prominence))`,
    anchor_at: instantOf(input.at),
    demotion: sql`1`,
    confirmations: sql`f.confirmations + 1`,
  });
}

/**
 * Sets a memory's prominence as of now (0 to 1); it decays from there, and an earlier demotion no longer counts. What is not zero
 * is at least 1e-9.
 * @returns null when there is no such memory
 * @throws MemoryRefused `superseded`, `static_profile`; InputError `out_of_range`
 */
export async function setProminence(
  tx: Transaction,
  input: MemoryOperation & { value: number },
): Promise<ProminenceChange | null> {
  requireNumber(input.value, 'value', { min: 0, max: 1 });
  const peak = input.value === 0 ? 0 : Math.max(LEAST_FACTOR, input.value);
  return change(
    tx,
    input,
    { peak: sql`${peak}::float8`, anchor_at: instantOf(input.at), demotion: sql`1` },
    { fading: true },
  );
}

/**
 * Multiplies a memory's demotion by a factor above 0 and below 1. It stays until the memory is confirmed or its prominence is set.
 * @returns null when there is no such memory
 * @throws MemoryRefused `superseded`, `static_profile`; InputError `out_of_range`
 */
export async function demoteMemory(
  tx: Transaction,
  input: MemoryOperation & { factor: number },
): Promise<ProminenceChange | null> {
  if (!(input.factor > 0 && input.factor < 1)) {
    throw new InputError('out_of_range', 'factor', 'factor must be a number above 0 and below 1');
  }
  return change(tx, input, { demotion: demotedBy('f', input.factor) }, { fading: true });
}

/** A row's demotion after one more, as the table takes it. */
export function demotedBy(alias: string, factor: number): SQL {
  const demotion = sql.raw(`${alias}.demotion`);
  return sql`case when ${demotion} = 0 then 0
    else greatest(${LEAST_FACTOR}::float8, ${demotion} * ${factor}::float8) end`;
}

interface Outcome {
  id: string;
  memoryType: string;
  supersededBy: string | null;
  before: number;
  after: number | null;
  nextCrossingAt: number | null;
}

/**
 * One statement: locks the row, computes from what it holds, writes, journals, and moves light's due time to the next crossing. Neither
 * version nor content is touched.
 * @param options.fading the change means nothing to a memory whose prominence is always 1, which is refused then
 */
async function change(
  tx: Transaction,
  input: MemoryOperation,
  assignments: Record<string, SQL>,
  options: { fading?: boolean } = {},
): Promise<ProminenceChange | null> {
  const columns = [...Object.keys(assignments), 'updated_at'];
  const set = Object.entries(assignments).map(([column, value]) => sql`${sql.raw(column)} = ${value}`);
  const refused = options.fading ? sql`('superseded', 'static_profile')` : sql`('superseded')`;
  const [row] = await tx.rows<Outcome>(sql`
    with found as (
      select m.id, m.memory_type, m.superseded_by, m.demotion, m.confirmations, ${prominenceOf(input.at)} as prominence,
        ${imageOf('m', columns)} as image
      from slowwave.memories m where ${owned(input, 'm')} and m.id = ${addressed(input)}
      for no key update
    ), changed as (
      update slowwave.memories m set ${sql.join(set, sql`, `)}, updated_at = ${instantOf(input.at)}
      from found f
      where ${owned(input, 'm')} and m.id = f.id and f.memory_type not in ${refused}
      returning m.id, ${prominenceOf(input.at)} as prominence, ${nextCrossingOf('m', input.at)} as next,
        m.is_latest and m.archived_at is null as alive, f.image as before, ${imageOf('m', columns)} as after
    ), images as (
      select 'memories' as table_name, jsonb_build_object('id', id) as row_key, before, after from changed
    ), ${journalled({ ...input, kind: 'prominence', runId: null })}, woken as (
      ${wakeLightBy(input, input.at, sql`(select next from changed where alive)`)}
    )
    select f.id, f.memory_type as "memoryType", f.superseded_by as "supersededBy", f.prominence as before,
      c.prominence as after, ${msOf('c.next')} as "nextCrossingAt"
    from found f left join changed c using (id)`);
  if (!row) return null;
  if (row.after === null) throw refusalOf(input.id, row);
  return { id: row.id, before: row.before, after: row.after, nextCrossingAt: row.nextCrossingAt };
}

function refusalOf(id: string, row: Outcome): MemoryRefused {
  if (row.memoryType === 'superseded') {
    return new MemoryRefused(
      'superseded',
      id,
      `the memory was superseded by ${row.supersededBy}: change that one, or undo what superseded it`,
    );
  }
  return new MemoryRefused(
    'static_profile',
    id,
    'the memory is part of the static profile, whose prominence is always 1: change its type first',
  );
}
