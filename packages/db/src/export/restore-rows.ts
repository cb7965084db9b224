import { sql } from 'drizzle-orm';
import type { Transaction } from '../database.ts';
import { contentHashOf } from '../ids.ts';
import { isObject } from '../import/metadata.ts';
import type { LineProblem } from '../import/summary.ts';
import { EXPORT_KINDS, type ExportKind, MEMORY_KIND } from './kinds.ts';
import { rowOfLine } from './read-line.ts';
import { RestoreRefused } from './refused.ts';
import { placeWorkspace, type RestoreRules, requireContent } from './restore-rules.ts';
import type { Owner, Row } from './write-line.ts';

const KINDS: ReadonlyMap<string, ExportKind> = new Map(EXPORT_KINDS.map((kind) => [kind.kind, kind]));

const ROWS_PER_STATEMENT = 500;
const CHARS_PER_STATEMENT = 1024 * 1024;

/** What the database holds beside what a line says, computed from it. */
const COMPUTED: Readonly<Record<string, (row: Row) => Row>> = {
  memory: (row) => ({ content_hash: contentHashOf(String(row.content)) }),
  summary: (row) => ({ content_hash: contentHashOf(String(row.summary)) }),
  document: ({ content }) => ({
    sha256: contentHashOf(String(content)),
    bytes: Buffer.byteLength(String(content)),
  }),
};

/** A row that was moved away names its owner within: it must be this one, or it would come back as somebody else's. */
function requireOwner(row: Row, { tenant, user }: Owner): void {
  const inner = [row.memory, row.relations, row.fusion_sources].flat();
  if (inner.every((part) => isObject(part) && part.tenant === tenant && part.user_id === user)) return;
  throw new RestoreRefused('wrong_owner', 'the line holds rows of another user than the one it names');
}

/** A line as it was read: its object, its length in characters and its number. */
export interface RestoreLine {
  object: Record<string, unknown>;
  size: number;
  number: number;
}

interface Superseded {
  id: unknown;
  type: unknown;
  prior: unknown;
  by: unknown;
}

/**
 * Gathers the rows of one user and writes them in statements of up to 500 rows. What superseded a memory may stand later in the file:
 * such memories are written as they were before, and superseded once all of them are there.
 */
export function createRows(tx: Transaction, owner: Owner, rules: RestoreRules) {
  const counts: Record<string, number> = {};
  const notes: LineProblem[] = [];
  const superseded: Superseded[] = [];
  let kind: ExportKind = MEMORY_KIND;
  let rows: Row[] = [];
  let chars = 0;

  async function flush(): Promise<void> {
    if (rows.length > 0) await insertRows(tx, kind, owner, rows);
    rows = [];
    chars = 0;
  }

  /** Holds back what only stands once every memory does. */
  function asBefore(row: Row): Row {
    if (row.superseded_by === null) return row;
    superseded.push({ id: row.id, type: row.memory_type, prior: row.prior_type, by: row.superseded_by });
    return { ...row, memory_type: row.prior_type ?? row.memory_type, prior_type: null, superseded_by: null };
  }

  async function supersede(): Promise<void> {
    for (let start = 0; start < superseded.length; start += 5_000) {
      const page = JSON.stringify(superseded.slice(start, start + 5_000));
      await tx.rows(sql`
        update slowwave.memories m set memory_type = p.type, prior_type = p.prior, superseded_by = p.by
        from jsonb_to_recordset(${page}::jsonb) as p(id uuid, type text, prior text, by uuid)
        where m.tenant = ${owner.tenant} and m.user_id = ${owner.user} and m.id = p.id`);
    }
    superseded.length = 0;
  }

  return {
    counts,
    /** What the user of the file has to know of a row that was restored otherwise than its line has it. */
    notes,
    async add(name: string, { object, size, number }: RestoreLine): Promise<void> {
      const next = KINDS.get(name);
      if (!next)
        throw new RestoreRefused(
          'not_allowed',
          'the line is of a kind that an export of this version never has',
        );
      if (next !== kind) {
        await flush();
        // Relations and everything else that points at memories come after them.
        if (kind === MEMORY_KIND) await supersede();
      }
      kind = next;
      let row = rowOfLine(kind, object);
      if (name === 'cold-memory') requireOwner(row, owner);
      requireContent(name, row, rules);
      if (name === 'workspace') {
        const placed = await placeWorkspace(row, rules);
        row = placed.row;
        if (placed.note) notes.push({ line: number, ...placed.note });
      }
      rows.push({ ...(name === 'memory' ? asBefore(row) : row), ...COMPUTED[name]?.(row) });
      counts[name] = (counts[name] ?? 0) + 1;
      chars += size;
      if (rows.length >= ROWS_PER_STATEMENT || chars >= CHARS_PER_STATEMENT) await flush();
    },
    async finish(): Promise<void> {
      await flush();
      await supersede();
    },
  };
}

async function insertRows(
  tx: Transaction,
  kind: ExportKind,
  owner: Owner,
  rows: readonly Row[],
): Promise<void> {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const fill = Object.entries(kind.fill);
  const into = ['tenant', 'user_id', ...columns, ...fill.map(([column]) => column)].join(', ');
  const values = [...columns.map((column) => `r.${column}`), ...fill.map(([, constant]) => constant)].join(
    ', ',
  );
  await tx.rows(sql`
    insert into ${sql.raw(`slowwave.${kind.table} (${into})`)}
    select ${owner.tenant}, ${owner.user}, ${sql.raw(values)}
    from jsonb_populate_recordset(null::${sql.raw(`slowwave.${kind.table}`)}, ${JSON.stringify(rows)}::jsonb) r`);
}
