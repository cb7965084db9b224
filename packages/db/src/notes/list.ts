import type { Note, NoteSource, Origin } from '@slowwave/fusion';
import { sql } from 'drizzle-orm';
import type { Transaction } from '../database.ts';
import { owned } from '../fusions/scope.ts';
import { requireNumber } from '../input-error.ts';
import { msOf } from '../instants.ts';

interface NoteRow {
  id: string;
  content: string;
  origin: Origin;
  importance: number;
  confidence: number;
  version: number;
  metadata: Record<string, unknown>;
  createdAt: number;
  updatedAt: number;
  vector: number[] | null;
}

const LIMIT_MAX = 10_000;

/** What a memory's origin is called among notes. */
const SOURCES: Record<Origin, NoteSource> = {
  user: 'told',
  assistant: 'inferred',
  tool: 'experience',
  import: 'told',
};

/** Latest memories as notes, newest first; without a vector where the model has not embedded them in their present words. */
export async function listNotes(
  tx: Transaction,
  input: { tenant: string; user: string; embeddingModel: string; limit: number; id?: string },
): Promise<Note[]> {
  requireNumber(input.limit, 'limit', { min: 1, max: LIMIT_MAX, whole: true });
  const rows = await tx.rows<NoteRow>(sql`
    select m.id, m.content, m.origin, m.importance, m.confidence, m.version, m.metadata,
      ${msOf('m.created_at')} as "createdAt", ${msOf('m.updated_at')} as "updatedAt",
      coalesce(e.vector, e.long_vector)::real[] as vector
    from slowwave.memories m
    left join slowwave.embeddings e on e.tenant = m.tenant and e.user_id = m.user_id and e.memory_id = m.id
      and e.model = ${input.embeddingModel} and e.content_hash = m.content_hash
    where ${owned(input, 'm')} and m.is_latest and m.archived_at is null
      and (${input.id ?? null}::uuid is null or m.id = ${input.id ?? null}::uuid)
    order by m.created_at desc, m.id
    limit ${input.limit}`);
  return rows.map((row) => noteOf(row, input.user));
}

function noteOf(row: NoteRow, user: string): Note {
  const { id, content, confidence, version, metadata } = row;
  return {
    id,
    content,
    embedding: Float32Array.from(row.vector ?? []),
    tags: textsOf(metadata.tags),
    links: textsOf(metadata.links),
    context: typeof metadata.context === 'string' ? metadata.context : '',
    keywords: textsOf(metadata.keywords),
    created_at: new Date(row.createdAt).toISOString(),
    updated_at: new Date(row.updatedAt).toISOString(),
    created_by: typeof metadata.createdBy === 'string' ? metadata.createdBy : row.origin,
    user_id: user,
    source: SOURCES[row.origin],
    importance: row.importance / 10,
    confidence,
    version,
  };
}

function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}
