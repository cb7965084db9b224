import { initialPeak, type NewNote, type Note, type Origin } from '@slowwave/fusion';
import { sql } from 'drizzle-orm';
import { uuidArray } from '../arrays.ts';
import type { Transaction } from '../database.ts';
import { owned } from '../fusions/scope.ts';
import { contentHashOf, newId, stableId } from '../ids.ts';
import { InputError, requireCount, requireNumber, requireText } from '../input-error.ts';
import { instantOf, msOf } from '../instants.ts';
import { journalled } from '../journal.ts';
import { uuidOrNull } from '../memories/addressed.ts';
import { storeEmbeddings } from '../memories/embeddings.ts';
import { lightDueAfterWrite } from '../scheduling/settings.ts';
import { listNotes } from './list.ts';

const CONTENT_CHARS_MAX = 100_000;
const LINKS_MAX = 1_000;
const LABELS_MAX = 100;
const LABEL_CHARS_MAX = 200;
/** As sure of its lineage as a fusion is. */
const LINK_CONFIDENCE = 0.95;

interface Source {
  id: string;
  origin: Origin;
  trust: number;
  confidence: number;
  visibility: string;
  importance: number;
  documentDate: number;
}

interface CreateInput {
  tenant: string;
  user: string;
  embeddingModel: string;
  note: NewNote;
  /** Epoch ms. */
  at: number;
}

/**
 * Writes a note as a derived memory with its lineage, its vector and its journal; nothing is superseded. What it is made of bounds it:
 * trust and confidence are at most the least of its sources, the visibility is the strictest, and its origin is theirs when they
 * share one, else the assistant's. The same note of the same sources again is the same memory.
 * @throws InputError for texts that cannot be stored and for links to memories that are not there
 */
export async function createNote(tx: Transaction, input: CreateInput): Promise<Note> {
  const { note, embeddingModel: model } = input;
  check(note);
  const sources = await lockSources(tx, input);
  const hash = contentHashOf(note.content);
  const id = idOf(input, sources, hash);
  await insert(tx, input, { id, hash, sources });
  if (note.embedding.length > 0) {
    await storeEmbeddings(tx, {
      ...input,
      model,
      embeddings: [{ id, contentHash: hash, vector: note.embedding }],
    });
  }
  const [created] = await listNotes(tx, { ...input, limit: 1, id });
  return created!;
}

function idOf(input: CreateInput, sources: Source[], hash: string): string {
  const { tenant, user, at } = input;
  if (sources.length === 0) return newId(at);
  const newest = Math.max(...sources.map(({ documentDate }) => documentDate));
  return stableId(newest, tenant, user, 'note', hash, ...sources.map((source) => source.id));
}

/** The linked memories, in order of their ids; none of them can be forgotten until we are done. */
async function lockSources(tx: Transaction, input: CreateInput): Promise<Source[]> {
  const links = [...new Set(input.note.links ?? [])];
  const ids = links.flatMap((link) => uuidOrNull(link)?.toLowerCase() ?? []);
  const sources =
    ids.length === 0
      ? []
      : await tx.rows<Source>(sql`
          select m.id, m.origin, m.trust, m.confidence, m.visibility, m.importance, ${msOf('m.document_date')} as "documentDate"
          from slowwave.memories m where ${owned(input, 'm')} and m.id = any(${uuidArray(ids)})
          order by m.id for key share`);
  if (sources.length !== links.length)
    throw new InputError('not_allowed', 'links', 'links must be ids of memories of this user');
  return sources;
}

async function insert(
  tx: Transaction,
  input: CreateInput,
  made: { id: string; hash: string; sources: Source[] },
): Promise<void> {
  const { note } = input;
  const { sources, id } = made;
  const at = instantOf(input.at);
  const origins = new Set(sources.map(({ origin }) => origin));
  // Several hands, or nobody's words but the model's: the assistant answers for it.
  const origin = origins.size === 1 ? sources[0]!.origin : 'assistant';
  const least = (values: number[], otherwise: number): number => Math.min(otherwise, ...values);
  const importance = Math.max(1, Math.min(10, Math.round((note.importance ?? 0.5) * 10)));
  const metadata = {
    tags: note.tags,
    links: sources.map((source) => source.id),
    sourceIds: sources.map((source) => source.id),
    context: note.context ?? '',
    keywords: note.keywords ?? [],
    createdBy: note.created_by ?? '',
  };
  await tx.rows(sql`
    with made as (
      insert into slowwave.memories (tenant, user_id, id, visibility, content, content_hash, category, memory_type, importance,
        confidence, trust, origin, learned_from, document_date, peak, anchor_at, metadata, created_at, updated_at)
      values (${input.tenant}, ${input.user}, ${id}::uuid,
        ${sources.every(({ visibility }) => visibility === 'shared') && sources.length > 0 ? 'shared' : 'private'},
        ${note.content}, ${made.hash}, 'insight', 'derived', ${importance},
        ${least(
          sources.map(({ confidence }) => confidence),
          note.confidence ?? 0.8,
        )},
        ${least(
          sources.map(({ trust }) => trust),
          0.8,
        )}, ${origin}, 'consolidation', ${at},
        ${initialPeak(importance)}::float8, ${at}, ${JSON.stringify(metadata)}::jsonb, ${at}, ${at})
      on conflict do nothing
      returning id, to_jsonb(memories) - 'words' as image
    ), linked as (
      insert into slowwave.relations (tenant, user_id, source_id, target_id, relation_type, confidence, created_at)
      select ${input.tenant}, ${input.user}, made.id, source, 'DERIVES', ${LINK_CONFIDENCE}, ${at}
      from made cross join unnest(${uuidArray(sources.map((source) => source.id))}) as source
      returning source_id, target_id, to_jsonb(relations) as image
    ), images as (
      select 'memories' as table_name, jsonb_build_object('id', id) as row_key, null::jsonb as before, image as after from made
      union all
      select 'relations', jsonb_build_object('source_id', source_id, 'target_id', target_id, 'relation_type', 'DERIVES'), null, image
      from linked
    ), ${journalled({ ...input, kind: 'consolidate', runId: null })}, woken as (
      update slowwave.user_tiers set due_at = ${lightDueAfterWrite(input.at)}
      where ${owned(input)} and tier = 'light' and exists (select 1 from made)
    )
    select 1`);
}

function check(note: NewNote): void {
  requireText(note.content, 'content', CONTENT_CHARS_MAX);
  requireText(note.context || null, 'context', CONTENT_CHARS_MAX);
  requireCount(note.links ?? [], 'links', LINKS_MAX);
  for (const field of ['tags', 'keywords'] as const) {
    requireCount(note[field] ?? [], field, LABELS_MAX);
    for (const label of note[field] ?? []) requireText(label, field, LABEL_CHARS_MAX);
  }
  requireNumber(note.importance ?? 0, 'importance', { min: 0, max: 1 });
  requireNumber(note.confidence ?? 0, 'confidence', { min: 0, max: 1 });
}
