import type { PairLabel } from '@slowwave/fusion';
import { type ConflictSide, validToOf } from '@slowwave/fusion';
import { type SQL, sql } from 'drizzle-orm';
import type { Transaction } from '../database.ts';
import { owned } from '../fusions/scope.ts';
import { staled } from '../fusions/stale.ts';
import { newId } from '../ids.ts';
import { instantOf } from '../instants.ts';
import { imageOf } from '../journal.ts';
import { lightDueAfterWrite } from '../scheduling/settings.ts';
import { conflictFound } from '../webhooks/conflict-found.ts';
import { enqueueEvents } from '../webhooks/events.ts';
import type { ConflictSettler, Owner } from './columns.ts';

/** How sure it is that the winner updates the loser. */
const UPDATES_CONFIDENCE = 0.95;

/** What becomes of one conflict that was locked and is unresolved. */
export type Settlement = {
  id: string;
  /** A model's label, when this is what it led to. */
  label?: PairLabel & { model: string };
} & (
  | { status: 'open'; type: 'contradictory' | 'ambiguous'; accuser: string | null }
  | {
      status: 'resolved';
      by: ConflictSettler;
      resolution: string;
      /** One takes the other's place; `ends`: the loser counts as true only until the winner began. */
      outcome?: { winner: ConflictSide; loser: ConflictSide; ends: boolean };
      /** Id of the change set, for what is kept in the journal even when no memory changes; without one, only what changes a memory is. */
      changeSet?: string;
    }
);

export interface SettleInput extends Owner {
  /** Epoch ms. */
  at: number;
  runId: string | null;
  /** Which person, as the caller named them. */
  actor: string | null;
  settlements: readonly Settlement[];
}

const CONFLICT_IMAGE = ['status', 'resolution', 'resolved_by', 'resolved_at', 'winner', 'actor'];
const MEMORY_IMAGE = [
  'is_latest',
  'memory_type',
  'prior_type',
  'superseded_by',
  'valid_to',
  'version',
  'updated_at',
];

const GIVEN =
  sql.raw(`(id uuid, status text, type text, slot text, description text, confidence float8, model text, accuser uuid,
  winner uuid, loser uuid, "validTo" float8, resolution text, "by" text, "changeSet" uuid)`);

/**
 * Writes what becomes of conflicts, in one statement whatever their number: their rows; the losers, which are superseded by the winners,
 * with a relation UPDATES; one change set for each that changes a memory; fusions that worked on what changed become stale; and light comes
 * by. The rows must have been locked with `lockPairs`, and each memory may lose once at most. Those that wait for a person from now on are
 * told to whoever asked to be told.
 * @returns how many memories were superseded
 */
export async function settleConflicts(tx: Transaction, input: SettleInput): Promise<number> {
  if (input.settlements.length === 0) return 0;
  const at = instantOf(input.at);
  const given = JSON.stringify(input.settlements.map((settlement) => payloadOf(settlement, input.at)));
  const [row] = await tx.rows<{ superseded: number; journalled: number }>(sql`
    with given as materialized (
      select * from jsonb_to_recordset(${given}::jsonb) as r${GIVEN}
    ), losers as (
      select m.id, g.winner, g."validTo", g."changeSet", ${imageOf('m', MEMORY_IMAGE)} as image
      from slowwave.memories m join given g on g.loser = m.id where ${owned(input, 'm')} and m.is_latest
    ), superseded as (
      update slowwave.memories m set is_latest = false, prior_type = m.memory_type, memory_type = 'superseded',
        superseded_by = l.winner, valid_to = coalesce(to_timestamp(l."validTo" / 1000), m.valid_to), version = m.version + 1,
        updated_at = ${at}
      from losers l where ${owned(input, 'm')} and m.id = l.id
      returning m.id, l."changeSet", l.image as before, ${imageOf('m', MEMORY_IMAGE)} as after
    ), linked as (
      insert into slowwave.relations (tenant, user_id, source_id, target_id, relation_type, confidence, created_at)
      select ${input.tenant}, ${input.user}, l.winner, l.id, 'UPDATES', ${UPDATES_CONFIDENCE}, ${at} from losers l
      on conflict do nothing
      returning source_id, target_id, to_jsonb(relations) as image
    ), asked as (
      select c.id, ${imageOf('c', CONFLICT_IMAGE)} as image from slowwave.conflicts c join given g using (id)
      where ${owned(input, 'c')}
    ), settled as (
      update slowwave.conflicts c set status = g.status, type = coalesce(g.type, c.type), slot = coalesce(g.slot, c.slot),
        description = coalesce(g.description, c.description), confidence = coalesce(g.confidence, c.confidence),
        model = coalesce(g.model, c.model), accuser = case when g.status = 'open' then g.accuser else c.accuser end,
        winner = g.winner, resolution = g.resolution, resolved_by = g."by",
        resolved_at = case when g.status = 'resolved' then ${at} end,
        actor = case when g.status = 'resolved' then ${input.actor}::text end
      from given g where ${owned(input, 'c')} and c.id = g.id
      returning c.id, g."changeSet", ${imageOf('c', CONFLICT_IMAGE)} as after
    ), ${journal(input, at)}, ${staleFusions(input)}, woken as (
      update slowwave.user_tiers set due_at = ${lightDueAfterWrite(input.at)}
      where ${owned(input)} and tier = 'light' and exists (select 1 from superseded)
    )
    select (select count(*)::int from superseded) as superseded, (select count(*)::int from journalled) as journalled`);
  const { tenant, user, runId } = input;
  const events = input.settlements.flatMap((one) =>
    one.status === 'open' ? [conflictFound({ id: one.id, type: one.type, runId })] : [],
  );
  await enqueueEvents(tx, { tenant, user, at: input.at, events });
  return row!.superseded;
}

/** The part of the statement that writes one change set for each settlement that has one, with the images of what it changed. */
function journal(input: SettleInput, at: SQL): SQL {
  return sql`opened as (
      insert into slowwave.change_sets (tenant, user_id, id, run_id, kind, actor, created_at)
      select ${input.tenant}, ${input.user}, g."changeSet", ${input.runId}::uuid, 'conflict', ${input.actor}, ${at}
      from given g where g."changeSet" is not null
      returning id
    ), images as (
      select 0 as part, s."changeSet", 'memories' as table_name, jsonb_build_object('id', s.id) as row_key, s.before, s.after
      from superseded s
      union all
      select 1, l."changeSet", 'relations',
        jsonb_build_object('source_id', r.source_id, 'target_id', r.target_id, 'relation_type', 'UPDATES'), null, r.image
      from linked r join losers l on l.id = r.target_id
      union all
      select 2, s."changeSet", 'conflicts', jsonb_build_object('id', s.id), a.image, s.after
      from settled s join asked a using (id) where s."changeSet" is not null
    ), journalled as (
      insert into slowwave.changes (tenant, user_id, change_set_id, position, table_name, row_key, before, after)
      select ${input.tenant}, ${input.user}, o.id, row_number() over (partition by o.id order by i.part, i.row_key), i.table_name,
        i.row_key, i.before, i.after
      from images i join opened o on o.id = i."changeSet"
      returning 1
    )`;
}

/**
 * The part of the statement that takes changed memories away from fusions under way: what was superseded from all of them, and what stays
 * out of fusion from now on from those that would supersede it.
 */
function staleFusions(input: SettleInput): SQL {
  return sql`barred as (
      select c.id from given g cross join lateral (
        select unnest(case when g.accuser is null then array[a_id, b_id] else array[g.accuser] end) as id
        from slowwave.conflicts k where ${owned(input, 'k')} and k.id = g.id
      ) c where g.status = 'open'
    ), hit as (
      select s.fusion_key as key from slowwave.fusion_sources s join slowwave.fusions f
        on f.tenant = s.tenant and f.user_id = s.user_id and f.key = s.fusion_key
      where ${owned(input, 's')} and s.live and (
        s.memory_id = any(array(select id from superseded))
        or (s.memory_id = any(array(select id from barred)) and (
          f.status <> 'review' or f.kind = 'merge' or f.proposal -> 'coveredIds' @> to_jsonb(s.memory_id::text))))
    ), ${staled(input, sql`f.key = any(array(select key from hit))`)}`;
}

function payloadOf(settlement: Settlement, at: number): Record<string, unknown> {
  const { id, status, label } = settlement;
  const said = label && {
    type: label.type,
    slot: label.slot,
    description: label.description,
    confidence: label.confidence,
    model: label.model,
  };
  if (settlement.status === 'open') {
    const { type, accuser } = settlement;
    return { ...said, id, status, type, accuser };
  }
  const { outcome, by, resolution, changeSet } = settlement;
  return {
    ...said,
    id,
    status,
    by,
    resolution,
    winner: outcome?.winner.id,
    loser: outcome?.loser.id,
    validTo: outcome?.ends ? validToOf(outcome.loser, outcome.winner) : undefined,
    changeSet: changeSet ?? (outcome ? newId(at) : undefined),
  };
}
