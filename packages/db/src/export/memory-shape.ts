import type { ExportColumn } from './columns.ts';
import { MEMORY_KIND } from './kinds.ts';

/** Where a line of an ordinary import calls a column by another name. */
const SAID: Readonly<Record<string, string>> = {
  external_id: 'id',
  content: 'content',
  category: 'category',
  memory_type: 'memoryType',
  importance: 'importance',
  confidence: 'confidence',
  trust: 'trust',
  origin: 'source',
  session: 'session',
  visibility: 'visibility',
  document_date: 'date',
  event_date: 'eventDate',
  valid_from: 'validFrom',
  valid_to: 'validTo',
  expires_at: 'expiresAt',
  metadata: 'metadata',
};

/** What any import file may say of a memory, under the names that it uses. */
export const SAID_COLUMNS: readonly ExportColumn[] = MEMORY_KIND.columns.flatMap((column) => {
  const field = SAID[column.column];
  return field === undefined ? [] : [{ ...column, field }];
});

/** What only an export says: it stands together under `state`. */
export const STATE_COLUMNS: readonly ExportColumn[] = MEMORY_KIND.columns.filter(
  ({ column }) => SAID[column] === undefined,
);
