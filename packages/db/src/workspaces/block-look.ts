import { sql } from 'drizzle-orm';
import type { Transaction } from '../database.ts';
import { owned } from '../fusions/scope.ts';
import { contentHashOf } from '../ids.ts';
import { blockMarks, blockNameOf } from './block-marks.ts';
import type { NewBlock } from './block-types.ts';
import { inWorkspace, type WorkspaceKey } from './key.ts';
import type { BlockState } from './ledger.ts';

/** What is known of a block before it is imported. */
export interface BlockLook {
  forgotten: boolean;
  /** Of its own row in the ledger; null when it has none. */
  state: BlockState | null;
  memoryId: string | null;
  /** The memory of its row was archived, and is latest all the same. */
  shelved: boolean;
  /** A latest memory that says the same; of a block in the notes of a day, one that was said on that day. */
  known: string | null;
  /** The same of a memory that notes of this workspace became, archived since its text went from where it stood. */
  aside: string | null;
  /** Its name is another memory's already. */
  named: boolean;
  /** The memory of the block whose place it takes; null when that has none. */
  replaced: string | null;
}

/** Looks at blocks of one file, in the order in which they are given; one statement. */
export function lookAtBlocks(
  tx: Transaction,
  key: WorkspaceKey,
  path: string,
  blocks: readonly NewBlock[],
): Promise<BlockLook[]> {
  const given = blocks.map((block, position) => {
    const contentHash = contentHashOf(block.content);
    const { blockHash, occurrence, replaces, day } = block;
    return {
      position,
      blockHash,
      occurrence,
      contentHash,
      name: blockNameOf(key.workspace, blockHash, day?.date),
      marks: blockMarks(key, { workspace: key.workspace, blockHash, contentHash }),
      replacedHash: replaces?.blockHash ?? null,
      replacedOccurrence: replaces?.occurrence ?? null,
      dayFrom: day?.from ?? null,
      dayTo: day?.to ?? null,
    };
  });
  const onItsDay = sql`(g."dayFrom" is null
    or k.document_date >= to_timestamp(g."dayFrom" / 1000) and k.document_date < to_timestamp((g."dayTo" + 1) / 1000))`;
  return tx.rows<BlockLook>(sql`
    with given as materialized (
      select * from jsonb_to_recordset(${JSON.stringify(given)}::jsonb) as r(position integer, "blockHash" text, occurrence integer,
        "contentHash" text, name text, marks jsonb, "replacedHash" text, "replacedOccurrence" integer, "dayFrom" float8, "dayTo" float8)
    )
    select
      exists (
        select 1 from slowwave.tombstones t
        where ${owned(key, 't')} and t.memory_id = any(array(select jsonb_array_elements_text(g.marks)::uuid)))
      or exists (
        select 1 from slowwave.import_blocks f
        where ${inWorkspace(key, 'f')} and f.block_hash = g."blockHash" and f.state = 'forgotten') as forgotten,
      b.state, b.memory_id as "memoryId", coalesce(m.is_latest and m.archived_at is not null, false) as shelved,
      (select k.id from slowwave.memories k
        where ${owned(key, 'k')} and k.content_hash = g."contentHash" and k.is_latest and k.archived_at is null
          and (k.workspace is null or k.workspace = ${key.workspace})
          and ${onItsDay} /* guard: block-day */
        order by k.created_at, k.id limit 1) as known,
      (select k.id from slowwave.memories k
        where ${owned(key, 'k')} and k.content_hash = g."contentHash" and k.is_latest and k.archived_at is not null
          and k.workspace = ${key.workspace} and k.learned_from = 'import' and k.external_id like 'block:%'
          and ${onItsDay}
        order by k.created_at, k.id limit 1) as aside,
      exists (select 1 from slowwave.memories n where ${owned(key, 'n')} and n.external_id = g.name)
      or exists (select 1 from slowwave.cold_memories n where ${owned(key, 'n')} and n.memory->>'external_id' = g.name) as named,
      (select p.memory_id from slowwave.import_blocks p
        where ${inWorkspace(key, 'p')} and p.path = ${path} and p.block_hash = g."replacedHash"
          and p.occurrence = g."replacedOccurrence" and p.state in ('imported', 'known')) as replaced
    from given g
    left join slowwave.import_blocks b on ${inWorkspace(key, 'b')} and b.path = ${path} and b.block_hash = g."blockHash"
      and b.occurrence = g.occurrence
    left join slowwave.memories m on ${owned(key, 'm')} and m.id = b.memory_id
    order by g.position`);
}
