import { sql } from 'drizzle-orm';
import type { Transaction } from '../database.ts';
import { owned } from '../fusions/scope.ts';
import { inWorkspace, type WorkspaceKey } from './key.ts';
import type { BlockKey } from './ledger.ts';

/** A block of a file that stands for a memory, with what that memory says. */
export interface BlockMemory extends BlockKey {
  memoryId: string;
  content: string;
  /** What was kept with the memory. */
  metadata: Record<string, unknown>;
}

/** What the blocks of a file that stand, as far as the ledger knows, say; those whose memory is gone are left out. */
export function readBlockMemories(tx: Transaction, key: WorkspaceKey, path: string): Promise<BlockMemory[]> {
  return tx.rows<BlockMemory>(sql`
    select b.block_hash as "blockHash", b.occurrence, m.id as "memoryId", m.content, m.metadata
    from slowwave.import_blocks b
    join slowwave.memories m on ${owned(key, 'm')} and m.id = b.memory_id
    where ${inWorkspace(key, 'b')} and b.path = ${path} and b.state in ('imported', 'known')
    order by b.block_hash, b.occurrence`);
}
