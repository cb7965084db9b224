import { sql } from 'drizzle-orm';
import { uuidArray } from '../arrays.ts';
import type { Transaction } from '../database.ts';
import { owned } from '../fusions/scope.ts';
import { instantOf } from '../instants.ts';
import { lightDueAfterWrite } from '../scheduling/settings.ts';
import type { SetPair } from './journal-undo.ts';
import type { Direction } from './targets.ts';

interface LedgerInput {
  tenant: string;
  user: string;
  at: number;
  pairs: readonly SetPair[];
}

/** Notes on the change sets who took them back, or that nobody has any more. */
export async function markSets(tx: Transaction, input: LedgerInput): Promise<void> {
  const pairs = input.pairs.map(({ target, id, kind, root }) => ({ target, id, kind, root: root.id }));
  const ids = uuidArray(pairs.flatMap(({ root, target }) => [root, target]));
  await tx.rows(sql`
    with pairs as materialized (
      select * from jsonb_to_recordset(${JSON.stringify(pairs)}::jsonb) as r(target uuid, id uuid, kind text, root uuid)
    ), earlier as (
      -- A redo of what is undone again no longer holds.
      select s.id, p.id as by from pairs p
      join slowwave.change_sets u on ${owned(input, 'u')} and u.undoes = p.root and u.kind = 'undo'
      join slowwave.change_sets s on ${owned(input, 's')} and s.undoes = u.id and s.kind = 'redo' and s.undone_by is null
      where p.kind = 'undo'
    ), marks as (
      select target as id, id as by from pairs
      union select root, case kind when 'undo' then id end from pairs
      union select id, by from earlier
    )
    update slowwave.change_sets s set undone_by = m.by
    from marks m
    where ${owned(input, 's')} and s.id = m.id and (s.id = any(${ids}) or s.kind = 'redo')`);
}

/**
 * What the ledger says of the fusions: an undone one is not planned again, since its source set is known; a redone one holds its sources
 * again.
 */
export async function markFusions(tx: Transaction, input: LedgerInput): Promise<void> {
  const pairs = input.pairs.filter(({ root }) => root.kind === 'fusion' || root.kind === 'merge');
  const keysOf = (kind: Direction) => {
    const keys = pairs.flatMap(({ root, ...pair }) => (pair.kind === kind ? [root.fusionKey] : []));
    return sql`${`{${keys.filter((key) => key !== null).join(',')}}`}::text[]`;
  };
  if (pairs.length === 0) return;
  const undone = keysOf('undo');
  const redone = keysOf('redo');
  const superseded = sql`
    select c.row_key->>'id' from slowwave.change_sets s
    join slowwave.changes c on ${owned(input, 'c')} and c.change_set_id = s.id
    where ${owned(input, 's')} and s.id = any(${uuidArray(pairs.map(({ target }) => target))}) and s.fusion_key = fs.fusion_key
      and c.table_name = 'memories' and c.after->>'is_latest' = 'true' and c.before->>'is_latest' = 'false'`;
  await tx.rows(sql`
    with marked as (
      update slowwave.fusions f set status = case when f.key = any(${redone}) then 'applied' else 'undone' end, error_code = null,
        updated_at = ${instantOf(input.at)}
      where ${owned(input, 'f')} and (f.key = any(${redone}) or f.key = any(${undone}))
    )
    update slowwave.fusion_sources fs set live = false,
      superseded = fs.fusion_key = any(${redone}) and fs.memory_id::text in (${superseded})
    where ${owned(input, 'fs')} and (fs.fusion_key = any(${redone}) or fs.fusion_key = any(${undone}))`);
}

/** What came back may have no vector, and fades from another height: light looks at it. */
export async function wakeLight(
  tx: Transaction,
  of: { tenant: string; user: string; at: number },
): Promise<void> {
  await tx.rows(sql`
    update slowwave.user_tiers set due_at = ${lightDueAfterWrite(of.at)} where ${owned(of)} and tier = 'light'`);
}
