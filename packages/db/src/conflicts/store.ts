import {
  accuserOf,
  CONFLICT_TYPES,
  type ConflictType,
  type MemoryConflict,
  type Standing,
} from '@slowwave/fusion';
import { sql } from 'drizzle-orm';
import { uuidArray } from '../arrays.ts';
import type { Database, Transaction } from '../database.ts';
import { owned } from '../fusions/scope.ts';
import { newId } from '../ids.ts';
import { InputError, requireCount, requireNumber, requireText, requireWord } from '../input-error.ts';
import { instantOf, msOf } from '../instants.ts';
import { uuidOrNull } from '../memories/addressed.ts';
import { conflictFound } from '../webhooks/conflict-found.ts';
import { enqueueEvents } from '../webhooks/events.ts';
import type { Owner } from './columns.ts';
import { ConflictRefused } from './errors.ts';
import { lockPairs } from './lock.ts';
import { requireUuid } from './require-uuid.ts';
import { RESOLUTION_CHARS_MAX } from './resolve.ts';
import { settleConflicts } from './settle.ts';

const SAVED_MAX = 1_000;
const LISTED_MAX = 1_000;
const DESCRIPTION_CHARS_MAX = 2_000;

/** The conflicts of one user, for those who consolidate notes themselves. The ids of notes are those of memories. */
export interface ConflictStore {
  /**
   * Stores conflicts, all or none. Saving the same id again updates it; what was settled here stays settled. A pair that is known under
   * another id, with the contents that both have now, keeps that id.
   * @throws ConflictRefused `unknown_memory`: a note that is not there, or somebody else's; InputError
   */
  saveConflicts(conflicts: MemoryConflict[]): Promise<void>;
  /** The newest first; at most 1,000. @throws InputError */
  getConflicts(options?: { resolved?: boolean; limit?: number }): Promise<MemoryConflict[]>;
  /**
   * Marks a conflict as settled; no memory changes. Journalled, so that it can be taken back.
   * @returns false when there is none of that id that is not settled yet
   * @throws InputError
   */
  resolveConflict(conflictId: string, resolution: string): Promise<boolean>;
}

/** @param of.now epoch ms */
export function createConflictStore(
  database: Database,
  of: Owner & { now: () => number; actor?: string },
): ConflictStore {
  const { tenant, user } = of;
  return {
    async saveConflicts(conflicts) {
      requireCount(conflicts, 'conflicts', SAVED_MAX);
      conflicts.forEach(check);
      if (conflicts.length === 0) return;
      await database.withTenant(tenant, (tx) => save(tx, { tenant, user, at: of.now() }, conflicts));
    },
    async getConflicts({ resolved, limit = LISTED_MAX } = {}) {
      requireNumber(limit, 'limit', { min: 1, max: LISTED_MAX, whole: true });
      return database.withTenant(tenant, (tx) => list(tx, of, { resolved, limit }));
    },
    async resolveConflict(conflictId, resolution) {
      requireText(resolution, 'resolution', RESOLUTION_CHARS_MAX);
      if (uuidOrNull(conflictId) === null) return false;
      return database.withTenant(tenant, async (tx) => {
        const pair = (await lockPairs(tx, of, [conflictId])).get(conflictId.toLowerCase());
        if (!pair || pair.status === 'resolved') return false;
        const at = of.now();
        await settleConflicts(tx, {
          tenant,
          user,
          at,
          runId: null,
          actor: of.actor ?? null,
          settlements: [{ id: pair.id, status: 'resolved', by: 'person', resolution, changeSet: newId(at) }],
        });
        return true;
      });
    },
  };
}

function check(conflict: MemoryConflict, i: number): void {
  const field = (name: string): string => `conflicts[${i}].${name}`;
  requireUuid(conflict.id, field('id'));
  requireUuid(conflict.noteIdA, field('noteIdA'));
  requireUuid(conflict.noteIdB, field('noteIdB'));
  if (conflict.noteIdA.toLowerCase() === conflict.noteIdB.toLowerCase())
    throw new InputError('not_allowed', field('noteIdB'), 'a note cannot disagree with itself');
  requireWord(conflict.type, field('type'), CONFLICT_TYPES);
  if (conflict.description !== '')
    requireText(conflict.description, field('description'), DESCRIPTION_CHARS_MAX);
  if (conflict.resolution !== undefined && conflict.resolution !== '')
    requireText(conflict.resolution, field('resolution'), RESOLUTION_CHARS_MAX);
  if (Number.isNaN(Date.parse(conflict.detectedAt)))
    throw new InputError(
      'invalid_time',
      field('detectedAt'),
      `${field('detectedAt')} must be an ISO 8601 instant`,
    );
}

/** The columns of one conflict; a pair in any order becomes one in the order of ids. */
function rowOf(conflict: MemoryConflict, standing: ReadonlyMap<string, Standing>) {
  const { id, type, description, resolved, resolution } = conflict;
  const [a, b] = [conflict.noteIdA.toLowerCase(), conflict.noteIdB.toLowerCase()].sort() as [string, string];
  const waits = type === 'contradictory' || type === 'ambiguous';
  const status = resolved ? 'resolved' : waits ? 'open' : 'reported';
  return {
    id: id.toLowerCase(),
    a,
    b,
    type,
    description,
    status,
    detectedAt: Date.parse(conflict.detectedAt),
    resolution: resolved ? (resolution ?? '') : null,
    by: resolved ? (waits ? 'person' : 'code') : null,
    accuser: status === 'open' ? accuserOf({ a: standing.get(a)!, b: standing.get(b)! }) : null,
  };
}

async function save(tx: Transaction, of: Owner & { at: number }, conflicts: MemoryConflict[]): Promise<void> {
  const ids = [...new Set(conflicts.flatMap(({ noteIdA, noteIdB }) => [noteIdA, noteIdB]))];
  // Locked, so that two who save the same pair wait for each other and nobody edits what is compared.
  const found = await tx.rows<Standing>(sql`
    select id, trust, origin from slowwave.memories m where ${owned(of, 'm')} and m.id = any(${uuidArray(ids)})
    order by id
    for no key update`);
  const standing = new Map(found.map((row) => [row.id, row]));
  const unknown = ids.filter((id) => !standing.has(id.toLowerCase()));
  if (unknown.length > 0)
    throw new ConflictRefused(
      'unknown_memory',
      unknown,
      'a conflict names a memory that this user does not have',
    );
  // Of a pair, or an id, that is given twice the last counts.
  const rows = conflicts.map((conflict, position) => ({ ...rowOf(conflict, standing), position }));
  const written = await tx.rows<{ id: string; type: ConflictType; opened: boolean }>(sql`
    with given as (
      select distinct on (g.a, g.b) g.*, a.content_hash as a_hash, b.content_hash as b_hash
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as g(id uuid, a uuid, b uuid, type text, description text,
        status text, "detectedAt" float8, resolution text, "by" text, accuser uuid, position integer)
      join slowwave.memories a on ${owned(of, 'a')} and a.id = g.a
      join slowwave.memories b on ${owned(of, 'b')} and b.id = g.b
      order by g.a, g.b, g.position desc
    ), placed as (
      select distinct on (row_id) * from (
        select g.*, coalesce((
          select c.id from slowwave.conflicts c
          where ${owned(of, 'c')} and c.a_id = g.a and c.b_id = g.b and c.a_hash = g.a_hash and c.b_hash = g.b_hash), g.id) as row_id
        from given g) p
      order by row_id, position desc
    )
    insert into slowwave.conflicts (tenant, user_id, id, a_id, b_id, a_hash, b_hash, status, type, source, description, accuser,
      resolution, resolved_by, resolved_at, detected_at)
    select ${of.tenant}, ${of.user}, row_id, a, b, a_hash, b_hash, status, type, 'consolidate', description, accuser, resolution,
      "by", case when status = 'resolved' then ${instantOf(of.at)} end, to_timestamp("detectedAt" / 1000)
    from placed
    order by a, b
    on conflict (tenant, user_id, id) do update set a_id = excluded.a_id, b_id = excluded.b_id, a_hash = excluded.a_hash,
      b_hash = excluded.b_hash, status = excluded.status, type = excluded.type, description = excluded.description,
      accuser = excluded.accuser, resolution = excluded.resolution, resolved_by = excluded.resolved_by,
      resolved_at = excluded.resolved_at
    where conflicts.status <> 'resolved' or conflicts.resolved_by = 'gone'
    -- Inserted, not updated: a conflict is found once.
    returning id, type, status = 'open' and xmax = 0 as opened`);
  const events = written
    .filter(({ opened }) => opened)
    .map(({ id, type }) => conflictFound({ id, type, runId: null }));
  await enqueueEvents(tx, { tenant: of.tenant, user: of.user, at: of.at, events });
}

interface StoredConflict {
  id: string;
  a: string;
  b: string;
  type: ConflictType | null;
  description: string | null;
  resolved: boolean;
  resolution: string | null;
  detectedAt: number;
}

async function list(
  tx: Transaction,
  of: Owner,
  options: { resolved: boolean | undefined; limit: number },
): Promise<MemoryConflict[]> {
  const { resolved } = options;
  const which = resolved === undefined ? sql`true` : sql`(c.status = 'resolved') = ${resolved}`;
  const rows = await tx.rows<StoredConflict>(sql`
    select c.id, c.a_id as a, c.b_id as b, c.type, c.description, c.status = 'resolved' as resolved, c.resolution,
      ${msOf('c.detected_at')} as "detectedAt"
    from slowwave.conflicts c where ${owned(of, 'c')} and ${which}
    order by c.detected_at desc, c.id
    limit ${options.limit}`);
  return rows.map(conflictOf);
}

/** One that nobody has labelled yet is shown as what it is to whoever asks: unclear. */
function conflictOf(row: StoredConflict): MemoryConflict {
  const conflict: MemoryConflict = {
    id: row.id,
    noteIdA: row.a,
    noteIdB: row.b,
    type: row.type ?? 'ambiguous',
    description: row.description ?? '',
    resolved: row.resolved,
    detectedAt: new Date(row.detectedAt).toISOString(),
  };
  return row.resolved && row.resolution !== null ? { ...conflict, resolution: row.resolution } : conflict;
}
