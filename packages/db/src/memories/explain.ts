import {
  type Band,
  bandOf,
  CROSSING_THRESHOLDS,
  DAY_MS,
  type DecayParams,
  floorOf,
  type LearnedFrom,
  type Origin,
  prominenceAt,
  rateOf,
  stabilityOf,
} from '@slowwave/fusion';
import { sql } from 'drizzle-orm';
import type { Transaction } from '../database.ts';
import { owned } from '../fusions/scope.ts';
import { msOf } from '../instants.ts';
import type { ChangeKind } from '../journal.ts';
import { saidFromMs, saidToMs } from '../recall/filter.ts';
import { locateMemory } from './locate.ts';

/** Change sets listed at most, the newest; and relatives listed at most in each direction. */
const HISTORY_LIMIT = 200;
const LINEAGE_LIMIT = 200;

/** The stored instant at which prominence falls below a threshold. */
export interface StoredCrossing {
  threshold: number;
  /** Epoch ms; null when it never happens, and when prominence lay below from the anchor on. */
  at: number | null;
  state: 'past' | 'ahead' | 'never';
}

/** The parameters that an image holds; a change that left one alone does not name it. */
export type ProminenceImage = Partial<
  Pick<DecayParams, 'peak' | 'anchorAt' | 'demotion' | 'confirmations' | 'memoryType'>
>;

/** One change set that touched the memory's row. */
export interface HistoryEntry {
  changeSet: string;
  kind: ChangeKind;
  /** Epoch ms. */
  at: number;
  runId: string | null;
  fusionKey: string | null;
  /** Null: the row did not exist (or was elsewhere) before, or after. */
  before: ProminenceImage | null;
  after: ProminenceImage | null;
}

/** A memory one step away in the lineage. */
export interface Relative {
  id: string;
  externalId: string | null;
  memoryType: DecayParams['memoryType'];
  isLatest: boolean;
}

/** How a memory's prominence came about, and what is ahead of it. Times in epoch ms. */
export interface MemoryExplanation {
  tenant: string;
  user: string;
  id: string;
  externalId: string | null;
  content: string;
  origin: Origin;
  learnedFrom: LearnedFrom;
  version: number;
  isLatest: boolean;
  createdAt: number;
  documentDate: number;
  /** From the oldest to the newest day on which it was said; they differ in derived memories. */
  said: { from: number; to: number };
  /** The instant that everything here is as of. */
  at: number;
  params: DecayParams;
  /** The terms of the formula in decay.ts of @slowwave/fusion: demotion × (floor + (peak − floor) × rate^(max(0, ageDays − 1) / stability)). */
  terms: {
    /** Share kept per day. */
    rate: number;
    stability: number;
    floor: number;
    /** Days since the anchor; below 0 before it. */
    ageDays: number;
    demotion: number;
  };
  prominence: number;
  band: Band;
  /** From the highest threshold to the lowest. */
  crossings: StoredCrossing[];
  nextCrossingAt: number | null;
  /** Newest first. */
  history: HistoryEntry[];
  /** What it was derived from, and what was derived from it. */
  sources: Relative[];
  derived: Relative[];
  supersededBy: string | null;
  recalls: { count: number; lastAt: number | null };
  auditedAt: number | null;
  archivedAt: number | null;
  expiresAt: number | null;
}

interface ExplainInput {
  tenant: string;
  /** Absent: whoever's of the tenant it is. */
  user?: string | undefined;
  /** Our id, or the writer's own. */
  id: string;
  /** Epoch ms. */
  at: number;
}

/**
 * Everything there is to say about one memory's prominence. Reads only.
 * @returns null when there is no such memory
 * @throws MemoryRefused `ambiguous` when several users have a memory of that name and none is given
 */
export async function explainMemory(tx: Transaction, input: ExplainInput): Promise<MemoryExplanation | null> {
  const address = await locateMemory(tx, input);
  if (!address) return null;
  const row = await readMemory(tx, { tenant: input.tenant, ...address });
  if (!row) return null;
  const history = await listHistory(tx, { tenant: input.tenant, ...address });
  return explanationOf(input, row, history);
}

type MemoryRow = Pick<
  MemoryExplanation,
  | 'user'
  | 'id'
  | 'externalId'
  | 'content'
  | 'origin'
  | 'learnedFrom'
  | 'version'
  | 'isLatest'
  | 'createdAt'
  | 'documentDate'
  | 'sources'
  | 'derived'
  | 'supersededBy'
  | 'auditedAt'
  | 'archivedAt'
  | 'expiresAt'
> &
  DecayParams & {
    saidFrom: number;
    saidTo: number;
    accessCount: number;
    lastAccessed: number | null;
    below080: number;
    below050: number;
    below010: number;
    below005: number;
  };

async function readMemory(
  tx: Transaction,
  of: { tenant: string; user: string; id: string },
): Promise<MemoryRow | undefined> {
  const relatives = (from: 'source_id' | 'target_id', to: 'source_id' | 'target_id') => sql`(
    select coalesce(jsonb_agg(to_jsonb(x) order by x.id), '[]') from (
      select o.id, o.external_id as "externalId", o.memory_type as "memoryType", o.is_latest as "isLatest"
      from slowwave.relations r join slowwave.memories o on ${owned(of, 'o')} and o.id = r.${sql.raw(to)}
      where ${owned(of, 'r')} and r.${sql.raw(from)} = m.id and r.relation_type = 'DERIVES'
      order by o.id limit ${LINEAGE_LIMIT}) x)`;
  const [row] = await tx.rows<MemoryRow>(sql`
    select m.user_id as "user", m.id, m.external_id as "externalId", m.content, m.origin, m.learned_from as "learnedFrom", m.version,
      m.is_latest as "isLatest", ${msOf('m.created_at')} as "createdAt", ${msOf('m.document_date')} as "documentDate",
      ${saidFromMs(of)} as "saidFrom", ${saidToMs(of)} as "saidTo", m.category,
      m.memory_type as "memoryType", m.importance, m.confirmations, m.peak, ${msOf('m.anchor_at')} as "anchorAt", m.demotion,
      ${msOf('m.crosses_080_at')} as "below080", ${msOf('m.crosses_050_at')} as "below050",
      ${msOf('m.crosses_010_at')} as "below010", ${msOf('m.crosses_005_at')} as "below005",
      ${relatives('source_id', 'target_id')} as sources, ${relatives('target_id', 'source_id')} as derived,
      m.superseded_by as "supersededBy", m.access_count as "accessCount", ${msOf('m.last_accessed')} as "lastAccessed",
      ${msOf('m.audited_at')} as "auditedAt", ${msOf('m.archived_at')} as "archivedAt", ${msOf('m.expires_at')} as "expiresAt"
    from slowwave.memories m where ${owned(of, 'm')} and m.id = ${of.id}::uuid`);
  return row;
}

/** What the journal says of the memory's row, newest first. Looks through the journal of this one user. */
function listHistory(
  tx: Transaction,
  of: { tenant: string; user: string; id: string },
): Promise<HistoryEntry[]> {
  const image = (name: 'before' | 'after') => {
    const column = sql.raw(`c.${name}`);
    return sql`case when ${column} is not null then jsonb_strip_nulls(jsonb_build_object('peak', ${column}->'peak',
      'anchorAt', round(date_part('epoch', (${column}->>'anchor_at')::timestamptz) * 1000), 'demotion', ${column}->'demotion',
      'confirmations', ${column}->'confirmations', 'memoryType', ${column}->'memory_type')) end`;
  };
  return tx.rows(sql`
    select s.id as "changeSet", s.kind, ${msOf('s.created_at')} as at, s.run_id as "runId", s.fusion_key as "fusionKey",
      ${image('before')} as before, ${image('after')} as after
    from slowwave.changes c
    join slowwave.change_sets s on s.tenant = c.tenant and s.user_id = c.user_id and s.id = c.change_set_id
    where ${owned(of, 'c')} and c.table_name = 'memories' and c.row_key->>'id' = ${of.id}
    order by s.created_at desc, s.id desc, c.position desc
    limit ${HISTORY_LIMIT}`);
}

function crossingOf(threshold: number, stored: number, at: number): StoredCrossing {
  if (stored === Number.POSITIVE_INFINITY) return { threshold, at: null, state: 'never' };
  const state = stored <= at ? 'past' : 'ahead';
  return { threshold, at: Number.isFinite(stored) ? stored : null, state };
}

function explanationOf(input: ExplainInput, row: MemoryRow, history: HistoryEntry[]): MemoryExplanation {
  const { accessCount, lastAccessed, below080, below050, below010, below005, saidFrom, saidTo, ...rest } =
    row;
  const { category, memoryType, importance, confirmations, peak, anchorAt, demotion, ...facts } = rest;
  const params = { category, memoryType, importance, confirmations, peak, anchorAt, demotion };
  const stored = [below080, below050, below010, below005];
  const crossings = CROSSING_THRESHOLDS.map((threshold, i) => crossingOf(threshold, stored[i]!, input.at));
  const ahead = crossings.flatMap(({ state, at }) => (state === 'ahead' && at !== null ? [at] : []));
  const prominence = prominenceAt(params, input.at);
  return {
    tenant: input.tenant,
    ...facts,
    said: { from: saidFrom, to: saidTo },
    at: input.at,
    params,
    terms: {
      rate: rateOf(category, memoryType),
      stability: stabilityOf(confirmations),
      floor: Math.min(floorOf(category, importance), peak),
      ageDays: (input.at - anchorAt) / DAY_MS,
      demotion,
    },
    prominence,
    band: bandOf(prominence),
    crossings,
    nextCrossingAt: ahead.length > 0 ? Math.min(...ahead) : null,
    history,
    recalls: { count: accessCount, lastAt: lastAccessed },
  };
}
