import type { PgTable } from 'drizzle-orm/pg-core';
import * as schema from '../schema/index.ts';
import { columnsOf, type ExportColumn, keyOf, nameOf } from './columns.ts';

/** One kind of line: which rows it carries and how. */
export interface ExportKind {
  kind: string;
  table: string;
  columns: readonly ExportColumn[];
  key: readonly { column: string; text: boolean }[];
  /** Rows per page: fewer where one row may be large. */
  page: number;
  /** Which rows, beside the user's: a constant condition on the table. */
  only: string | null;
  /** What is written into columns that the export leaves out and the table requires, as SQL constants. */
  fill: Readonly<Record<string, string>>;
}

interface Choice {
  leftOut?: readonly string[];
  page?: number;
  only?: string;
  fill?: Record<string, string>;
}

function kindOf(
  kind: string,
  table: PgTable,
  { leftOut = [], page = 500, only, fill }: Choice = {},
): ExportKind {
  return {
    kind,
    table: nameOf(table),
    columns: columnsOf(table, leftOut),
    key: keyOf(table),
    page,
    only: only ?? null,
    fill: fill ?? {},
  };
}

/** What decided fusions cost and what models answered stays behind with the runs. */
const SPEND = [
  'run_id',
  'fence',
  'attempt',
  'proposal',
  'review_expires_at',
  'output',
  'stop_reason',
  'judge_secret',
  'answer_state',
  'input_tokens',
  'output_tokens',
  'answered_model',
  'error_code',
];
/** Undecided fusions are planned again. */
const DECIDED = "status in ('applied', 'undone', 'rejected', 'forgotten')";

/** Their hash is that of the content: it is computed again, so that a file cannot claim another one. */
const HASHED = ['content_hash'];

export const MEMORY_KIND = kindOf('memory', schema.memories, { leftOut: HASHED, page: 100 });

/** Every kind of line that belongs to a user, in the order in which the tables can be filled again. */
export const EXPORT_KINDS: readonly ExportKind[] = [
  MEMORY_KIND,
  kindOf('relation', schema.relations),
  kindOf('fusion', schema.fusions, { leftOut: SPEND, only: DECIDED, fill: { fence: '0' } }),
  kindOf('fusion-source', schema.fusionSources, {
    only: `exists (select 1 from slowwave.fusions f where f.tenant = t.tenant and f.user_id = t.user_id
      and f.key = t.fusion_key and f.${DECIDED})`,
  }),
  kindOf('cold-memory', schema.coldMemories, { page: 100 }),
  kindOf('conflict', schema.conflicts),
  kindOf('tombstone', schema.tombstones),
  kindOf('verdict', schema.remVerdicts),
  kindOf('goal', schema.goals),
  kindOf('scheduled-item', schema.scheduledItems),
  kindOf('session', schema.sessions),
  kindOf('message', schema.messages, { page: 100 }),
  kindOf('summary', schema.sessionSummaries, { leftOut: HASHED, page: 100 }),
  kindOf('question', schema.recallEvents),
  kindOf('answer', schema.recallHits),
  kindOf('feedback', schema.feedback),
  kindOf('profile', schema.userProfiles),
  kindOf('workspace', schema.workspaces),
  kindOf('document', schema.documents, { leftOut: ['sha256', 'bytes'], page: 4 }),
  kindOf('document-version', schema.documentVersions, { page: 4 }),
  kindOf('import-block', schema.importBlocks),
  kindOf('import-file', schema.importFiles),
  kindOf('projected-line', schema.projectedLines),
];
