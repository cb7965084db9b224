import { sql } from 'drizzle-orm';
import type { Database, Transaction } from '../database.ts';
import { ExportError } from './errors.ts';
import { endLine, headerLine, userEndLine } from './header.ts';
import { kindsHeld } from './held.ts';
import { EXPORT_KINDS, type ExportKind } from './kinds.ts';
import { inSnapshot } from './snapshot.ts';
import { lineOfRow, lineOfUser, type Owner, type Row, type UserRow } from './write-line.ts';

export interface ExportOptions {
  tenant: string;
  /** One user; null for every user of the tenant. */
  user: string | null;
  /** Gets lines without their ends, at most a page of them; the next page is read once this one is taken. */
  write: (lines: readonly string[]) => Promise<void> | void;
  /** Called after every page. */
  onProgress?: (progress: ExportCounts) => void;
  signal?: AbortSignal;
}

export interface ExportCounts {
  users: number;
  memories: number;
  /** All lines, the first and the last included. */
  lines: number;
}

const USERS_PER_PAGE = 200;
/** A page of long rows is handed on in parts, so that what waits to be written stays small. */
const CHARS_PER_PART = 1024 * 1024;

/**
 * Everything of a tenant or of one user as lines of JSON, of one instant: the same data gives the same bytes, in whichever database it
 * stands. Holds one page at a time. Vectors, runs, the journal and what was spent are left out.
 * @throws ExportError `unknown_user`; what `write` throws, and the reason of `signal`
 */
export function exportLines(database: Database, options: ExportOptions): Promise<ExportCounts> {
  const { tenant, user } = options;
  const counts: ExportCounts = { users: 0, memories: 0, lines: 0 };
  const out = createOut(options, counts);
  return inSnapshot(database, tenant, async (tx) => {
    await out.take([headerLine(options)]);
    for (let last = ''; ; ) {
      const page = await usersAfter(tx, tenant, user, last);
      const held =
        page.length === 0
          ? new Map<string, Set<string>>()
          : await kindsHeld(
              tx,
              page.map(({ id }) => id),
            );
      for (const row of page) await exportUser(tx, { tenant, user: row.id }, row, held.get(row.id), out);
      last = page.at(-1)?.id ?? '';
      if (page.length < USERS_PER_PAGE || user !== null) break;
    }
    if (user !== null && counts.users === 0) throw new ExportError('unknown_user', 'there is no such user');
    await out.take([endLine(counts.users)]);
    return counts;
  });
}

type Out = ReturnType<typeof createOut>;

function createOut({ write, onProgress, signal }: ExportOptions, counts: ExportCounts) {
  async function part(lines: string[]): Promise<void> {
    signal?.throwIfAborted();
    counts.lines += lines.length;
    await write(lines);
    onProgress?.({ ...counts });
    // The embedded database never leaves this thread by itself: everything else gets its turn here.
    await new Promise((resolve) => setImmediate(resolve));
  }
  return {
    counts,
    async take(lines: readonly string[]): Promise<void> {
      let held: string[] = [];
      let chars = 0;
      for (const line of lines) {
        held.push(line);
        chars += line.length;
        if (chars < CHARS_PER_PART) continue;
        await part(held);
        held = [];
        chars = 0;
      }
      if (held.length > 0) await part(held);
    },
  };
}

async function usersAfter(
  tx: Transaction,
  tenant: string,
  user: string | null,
  last: string,
): Promise<UserRow[]> {
  const rows = await tx.rows<{ row: UserRow }>(sql`
    select to_jsonb(p) as row from (
      select u.id, u.timezone, u.quiet_start, u.quiet_end, u.mode, u.conflict_policy, u.created_at,
        (select coalesce(jsonb_agg(t.tier order by t.tier collate "C"), '[]') from slowwave.user_tiers t
         where t.tenant = u.tenant and t.user_id = u.id and t.paused) as paused
      from slowwave.users u
      where u.tenant = ${tenant} and (${user}::text is null or u.id = ${user}::text) and u.id collate "C" > ${last}
      order by u.id collate "C" limit ${USERS_PER_PAGE}
    ) p order by p.id collate "C"`);
  return rows.map(({ row }) => row);
}

async function exportUser(
  tx: Transaction,
  owner: Owner,
  row: UserRow,
  held: ReadonlySet<string> | undefined,
  out: Out,
): Promise<void> {
  const before = out.counts.lines;
  out.counts.users++;
  await out.take([lineOfUser(owner.tenant, row)]);
  for (const kind of EXPORT_KINDS) if (held?.has(kind.kind)) await exportKind(tx, kind, owner, out);
  await out.take([userEndLine(owner, out.counts.lines - before)]);
}

/** One table of one user, through a cursor: sorted once, however many pages it has. */
async function exportKind(tx: Transaction, kind: ExportKind, owner: Owner, out: Out): Promise<void> {
  const columns = kind.columns.map(({ column }) => `t.${column}`).join(', ');
  // Texts by their bytes: two databases need not agree on the order of letters.
  const order = kind.key.map(({ column, text }) => `p.${column}${text ? ' collate "C"' : ''}`);
  await tx.rows(sql`
    declare exported no scroll cursor for
    select to_jsonb(p) as row from (
      select ${sql.raw(columns)} from ${sql.raw(`slowwave.${kind.table}`)} t
      where t.tenant = ${owner.tenant} and t.user_id = ${owner.user}${kind.only === null ? sql`` : sql.raw(` and ${kind.only}`)}
    ) p${sql.raw(order.length === 0 ? '' : ` order by ${order.join(', ')}`)}`);
  for (let size = kind.page; size === kind.page; ) {
    const page = await tx.rows<{ row: Row }>(sql.raw(`fetch ${kind.page} from exported`));
    size = page.length;
    if (kind.kind === 'memory') out.counts.memories += size;
    await out.take(page.map(({ row }) => lineOfRow(kind, owner, row)));
  }
  await tx.rows(sql.raw('close exported'));
}
