import type {
  LearnedFrom,
  MemoryCategory,
  MemoryType,
  Origin,
  RelationType,
  Visibility,
} from '@slowwave/fusion';
import { sql } from 'drizzle-orm';
import type { Transaction } from '../database.ts';
import { contentHashOf, newId, stableId } from '../ids.ts';

/** A memory as its writer gives it. Times in epoch milliseconds. */
export interface NewMemory {
  user: string;
  /** The writer's own id; the same id again is the same memory. */
  externalId: string | null;
  content: string;
  category: MemoryCategory;
  memoryType: MemoryType;
  importance: number;
  confidence: number;
  trust: number;
  origin: Origin;
  visibility: Visibility;
  workspace: string | null;
  session: string | null;
  learnedFrom: LearnedFrom;
  documentDate: number;
  eventDate: number | null;
  validFrom: number | null;
  validTo: number | null;
  expiresAt: number | null;
  metadata: Record<string, unknown>;
}

export interface InsertResult {
  inserted: number;
  /** External ids that stood there before, with the same content or another one. */
  existing: { user: string; externalId: string; sameContent: boolean }[];
  /** External ids of memories that were forgotten: they are not written again under these. */
  forgotten: { user: string; externalId: string }[];
}

/** Prominence at creation: 0.5 for nothing, 1 for importance 10. */
const peakOf = (importance: number): number => 0.5 + 0.05 * importance;

/** What stays of a forgotten memory's own name, so that it is not written again, on whatever day: a hash. */
export function forgottenMark(tenant: string, user: string, externalId: string): string {
  return stableId(0, tenant, user, 'forgotten', externalId);
}

function rowOf(tenant: string, memory: NewMemory): Record<string, unknown> {
  const { documentDate, externalId } = memory;
  return {
    ...memory,
    id: externalId === null ? newId(documentDate) : stableId(documentDate, tenant, memory.user, externalId),
    mark: externalId === null ? null : forgottenMark(tenant, memory.user, externalId),
    contentHash: contentHashOf(memory.content),
    peak: peakOf(memory.importance),
  };
}

/**
 * Writes a batch of memories of one tenant in one statement; what stands there already is left as it is, and what was forgotten stays
 * so. Prominence counts from the day the memory was said. The users must exist.
 * @param at epoch ms
 */
export async function insertMemories(
  tx: Transaction,
  input: { tenant: string; memories: readonly NewMemory[]; at: number },
): Promise<InsertResult> {
  if (input.memories.length === 0) return { inserted: 0, existing: [], forgotten: [] };
  const payload = JSON.stringify(input.memories.map((memory) => rowOf(input.tenant, memory)));
  const [row] = await tx.rows<InsertResult>(sql`
    with incoming as (
      select * from jsonb_to_recordset(${payload}::jsonb) as r(
        id uuid, mark uuid, "user" text, "externalId" text, content text, "contentHash" text, category text, "memoryType" text,
        importance smallint, confidence float8, trust float8, origin text, visibility text, workspace text, session text,
        "learnedFrom" text, "documentDate" float8, "eventDate" float8, "validFrom" float8, "validTo" float8,
        "expiresAt" float8, metadata jsonb, peak float8)
    ), forgotten as (
      -- With a limit each is looked for by its key; without, all that anybody of the tenant has forgotten would be read at once.
      select i.id, i."user", i."externalId" from incoming i cross join lateral (
        select 1 from slowwave.tombstones t
        where t.tenant = ${input.tenant} and t.user_id = i."user" and t.memory_id in (i.id, i.mark)
        limit 1) mark
    ), inserted as (
      insert into slowwave.memories (
        tenant, user_id, id, external_id, workspace, visibility, content, content_hash, category, memory_type, importance,
        confidence, trust, origin, session, learned_from, document_date, event_date, valid_from, valid_to, peak, anchor_at,
        expires_at, metadata, created_at, updated_at)
      select ${input.tenant}, "user", id, "externalId", workspace, visibility, content, "contentHash", category, "memoryType",
        importance, confidence, trust, origin, session, "learnedFrom", to_timestamp("documentDate" / 1000),
        to_timestamp("eventDate" / 1000), to_timestamp("validFrom" / 1000), to_timestamp("validTo" / 1000), peak,
        to_timestamp("documentDate" / 1000), to_timestamp("expiresAt" / 1000), metadata,
        to_timestamp(least("documentDate", ${input.at}::float8) / 1000), to_timestamp(${input.at}::float8 / 1000)
      from incoming i
      -- What was moved to the cold table is known too: it comes back by restoring it, not by writing it again.
      where not exists (
        select 1 from slowwave.cold_memories c where c.tenant = ${input.tenant} and c.user_id = i."user" and c.id = i.id)
        and i.id not in (select id from forgotten)
      on conflict do nothing
      returning user_id, external_id
    )
    select
      (select count(*)::int from inserted) as inserted,
      (select coalesce(jsonb_agg(jsonb_build_object(
           'user', i."user", 'externalId', i."externalId", 'sameContent', coalesce(m.content_hash, c.memory ->> 'content_hash') = i."contentHash")), '[]')
         from incoming i
         left join slowwave.memories m on m.tenant = ${input.tenant} and m.user_id = i."user" and m.external_id = i."externalId"
         left join slowwave.cold_memories c on c.tenant = ${input.tenant} and c.user_id = i."user" and c.id = i.id
         where (m.id is not null or c.id is not null) and i."externalId" is not null
      ) as existing,
      (select coalesce(jsonb_agg(jsonb_build_object('user', "user", 'externalId', "externalId")), '[]') from forgotten)
        as forgotten`);
  return row!;
}

/** A relation by the writer's own ids. */
export interface NewRelation {
  user: string;
  sourceExternalId: string;
  targetExternalId: string;
  relationType: RelationType;
  confidence: number;
}

/**
 * Writes relations between memories of the same user; one whose ends are not both there is counted, not written.
 * @param at epoch ms
 */
export async function insertRelations(
  tx: Transaction,
  input: { tenant: string; relations: readonly NewRelation[]; at: number },
): Promise<{ inserted: number; unresolved: { user: string; source: string; target: string }[] }> {
  if (input.relations.length === 0) return { inserted: 0, unresolved: [] };
  const [row] = await tx.rows<{
    inserted: number;
    unresolved: { user: string; source: string; target: string }[];
  }>(sql`
    with incoming as (
      select * from jsonb_to_recordset(${JSON.stringify(input.relations)}::jsonb) as r(
        "user" text, "sourceExternalId" text, "targetExternalId" text, "relationType" text, confidence float8)
    ), resolved as (
      select i.*, s.id as source_id, t.id as target_id
      from incoming i
      left join slowwave.memories s
        on s.tenant = ${input.tenant} and s.user_id = i."user" and s.external_id = i."sourceExternalId"
      left join slowwave.memories t
        on t.tenant = ${input.tenant} and t.user_id = i."user" and t.external_id = i."targetExternalId"
    ), inserted as (
      insert into slowwave.relations (tenant, user_id, source_id, target_id, relation_type, confidence, created_at)
      select distinct on ("user", source_id, target_id, "relationType")
        ${input.tenant}, "user", source_id, target_id, "relationType", confidence, to_timestamp(${input.at}::float8 / 1000)
      from resolved where source_id is not null and target_id is not null and source_id <> target_id
      on conflict do nothing
      returning 1
    )
    select
      (select count(*)::int from inserted) as inserted,
      (select coalesce(jsonb_agg(jsonb_build_object('user', "user", 'source', "sourceExternalId", 'target', "targetExternalId")), '[]')
         from resolved where source_id is null or target_id is null) as unresolved`);
  return row!;
}
