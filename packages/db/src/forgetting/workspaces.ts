import { sql } from 'drizzle-orm';
import { nameArray, uuidArray } from '../arrays.ts';
import type { Transaction } from '../database.ts';
import { owned } from '../fusions/scope.ts';
import { contentHashOf } from '../ids.ts';
import { instantOf } from '../instants.ts';
import { blockMarks } from '../workspaces/block-marks.ts';
import { wholeText } from '../workspaces/key.ts';
import { cutForgotten, WRITTEN_BY_US } from './document-cut.ts';
import type { Plan } from './plan.ts';
import type { Owner } from './reach.ts';
import { mayContain } from './said.ts';
import type { DocumentMention, RemovedFromWorkspaces } from './types.ts';

/** Who changed a document, as its row says. */
const BY = 'forgetting';

/**
 * Lets the ledger say of the blocks that became what is forgotten nothing but that; marks stay so that no file brings it back, and no
 * document is its home any more. To be called while the memories are there.
 */
async function forgetBlocks(
  tx: Transaction,
  of: Owner & { at: number },
  { reach }: Plan,
): Promise<{ blocks: number; lines: number }> {
  const ids = uuidArray([...reach.why.keys()]);
  const at = instantOf(of.at);
  const blocks = await tx.rows<{ workspace: string; blockHash: string; contentHash: string | null }>(sql`
    select b.workspace, b.block_hash as "blockHash", coalesce(m.content_hash, c.memory->>'content_hash') as "contentHash"
    from slowwave.import_blocks b
    left join slowwave.memories m on ${owned(of, 'm')} and m.id = b.memory_id
    left join slowwave.cold_memories c on ${owned(of, 'c')} and c.id = b.memory_id
    where ${owned(of, 'b')} and b.memory_id = any(${ids})`);
  const lines = await tx.rows(
    sql`delete from slowwave.projected_lines where ${owned(of)} and memory_id = any(${ids}) returning 1`,
  );
  if (blocks.length === 0) return { blocks: 0, lines: lines.length };
  const marks = new Set(blocks.flatMap((block) => blockMarks(of, block)));
  await tx.rows(sql`
    insert into slowwave.tombstones (tenant, user_id, memory_id, forgotten_at)
    select ${of.tenant}, ${of.user}, id, ${at} from unnest(${uuidArray([...marks])}) as id
    on conflict do nothing`);
  await tx.rows(sql`
    update slowwave.import_blocks set state = 'forgotten', memory_id = null, replaced_by = null, changed_at = ${at}
    where ${owned(of)} and memory_id = any(${ids})`);
  return { blocks: blocks.length, lines: lines.length };
}

interface Named {
  workspace: string;
  path: string;
}

/** Whether a text may hold something of what is forgotten, or was written by us. */
function mayConcern(alias: string, plan: Plan) {
  return sql`(${sql.raw(alias)}.path = any(${nameArray(WRITTEN_BY_US)}) or strpos(${sql.raw(alias)}.content, '<!-- slowwave:') > 0
    or ${mayContain(`${alias}.content`, plan.matcher.anchors)} or ${mayContain(`${alias}.path`, plan.matcher.anchors)})`;
}

/** Takes our own lines about what is forgotten out of the documents. @returns also those in which somebody's own words still say it */
async function cutDocuments(
  tx: Transaction,
  of: Owner & { at: number },
  plan: Plan,
): Promise<{ documents: number; mentioned: DocumentMention[] }> {
  const found = await tx.rows<Named>(sql`
    select d.workspace, d.path from slowwave.documents d where ${owned(of, 'd')} and ${mayConcern('d', plan)}
    order by d.workspace, d.path`);
  const forgotten = { ids: plan.reach.why, matcher: plan.matcher };
  const mentioned: DocumentMention[] = [];
  let documents = 0;
  // One at a time: a document may be long.
  for (const { workspace, path } of found) {
    const here = sql`${owned(of)} and workspace = ${workspace} and path = ${path}`;
    const [row] = await tx.rows<{ content: string }>(
      sql`select ${wholeText('content')} as content from slowwave.documents where ${here} for update`,
    );
    if (!row) continue;
    const left = cutForgotten(path, row.content, forgotten);
    const isSaid = left !== null && (plan.matcher.contains(left) || plan.matcher.contains(path));
    if (isSaid) mentioned.push({ workspace, path });
    if (left === row.content) continue;
    documents++;
    if (left === null) await tx.rows(sql`delete from slowwave.documents where ${here}`);
    else {
      await tx.rows(sql`
        update slowwave.documents set content = ${left}, sha256 = ${contentHashOf(left)},
          bytes = ${Buffer.byteLength(left, 'utf8')}::bigint, version = version + 1, updated_at = ${instantOf(of.at)}, updated_by = ${BY}
        where ${here}`);
    }
  }
  return { documents, mentioned };
}

/**
 * Empties earlier contents that hold what is forgotten, and removes those whose path says it. They cannot be brought back: no hash says any
 * more what took their place.
 */
async function emptyVersions(tx: Transaction, of: Owner, plan: Plan): Promise<number> {
  const found = await tx.rows<Named & { id: string }>(sql`
    select v.workspace, v.path, v.id from slowwave.document_versions v
    where ${owned(of, 'v')} and ${mayConcern('v', plan)}`);
  const forgotten = { ids: plan.reach.why, matcher: plan.matcher };
  let emptied = 0;
  for (const { workspace, path, id } of found) {
    const here = sql`${owned(of)} and workspace = ${workspace} and path = ${path} and id = ${id}::uuid`;
    if (plan.matcher.contains(path)) {
      emptied++;
      await tx.rows(sql`delete from slowwave.document_versions where ${here}`);
      continue;
    }
    const [row] = await tx.rows<{ content: string }>(sql`
      select ${wholeText('content')} as content from slowwave.document_versions where ${here} and content is not null`);
    if (!row) continue;
    if (cutForgotten(path, row.content, forgotten) === row.content && !plan.matcher.contains(row.content))
      continue;
    emptied++;
    await tx.rows(sql`update slowwave.document_versions set content = '', sha256_after = null where ${here}`);
  }
  return emptied;
}

/** Forgets in the workspaces of the user. The user and the workspaces must be locked. */
export async function forgetInWorkspaces(
  tx: Transaction,
  of: Owner & { at: number },
  plan: Plan,
): Promise<{ removed: RemovedFromWorkspaces; mentioned: DocumentMention[] }> {
  const { blocks, lines } = await forgetBlocks(tx, of, plan);
  const { documents, mentioned } = await cutDocuments(tx, of, plan);
  const versions = await emptyVersions(tx, of, plan);
  return { removed: { blocks, lines, documents, versions }, mentioned };
}
