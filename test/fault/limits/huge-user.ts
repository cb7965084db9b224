import {
  type Database,
  ensureUsers,
  insertMemories,
  insertRelations,
  type NewMemory,
  storeEmbeddings,
} from '@slowwave/db';
import type { Embedder } from '@slowwave/fusion';
import { sql } from 'drizzle-orm';
import { DAY, newMemory } from '../../fixtures/memories.ts';

/** Memories about one thing. They share enough words to be neighbours; the first ones are also linked one by one. */
const OF_ONE_TOPIC = 8;
const LINKED = 4;
const PAGE = 2_000;
/** Neighbours on either side; together as many as are kept of a memory. */
const REACH = 32;
/** Cosines of memories of one topic, near enough to be compared word by word, and of two topics. */
const NEAR = 0.92;
const FAR = 0.6;

const SYLLABLES = 'ba ce di fo gu ha je ki lo mu na pe ri so tu va we xi yo zu'.split(' ');

/** A word for each number, none of them known to any language. */
function wordOf(number: number): string {
  let rest = number + SYLLABLES.length ** 3;
  let word = '';
  for (; rest > 0; rest = Math.floor(rest / SYLLABLES.length)) word += SYLLABLES[rest % SYLLABLES.length];
  return word;
}

/** The words of a memory: a sentence about its topic, which repeats, and one of its own. */
function textOf(index: number): string {
  const topic = Math.floor(index / OF_ONE_TOPIC);
  const shared = [0, 1, 2, 3].map((k) => wordOf(topic * 4 + k));
  const own = [0, 1].map((k) => wordOf(4_000_000 + index * 2 + k));
  return `The ${shared.join(' ')} was seen. With it was ${own.join(' and ')}.`;
}

export interface HugeUser {
  tenant: string;
  user: string;
  memories: number;
  /** The last ones have no vectors yet, as if they had been written just now. */
  fresh: number;
}

/**
 * Gives a user this many dormant memories, some in chains of relations, with vectors and as many neighbours as are ever kept: what the
 * product itself would have stored over years. Nothing is due.
 */
export async function seedHugeUser(database: Database, of: HugeUser, embedder: Embedder): Promise<void> {
  const { tenant, user } = of;
  const at = Date.now();
  await database.withTenant(tenant, async (tx) => {
    await ensureUsers(tx, [{ tenant, user }], at);
    await tx.rows(sql`
      update slowwave.user_tiers set due_at = 'infinity' where tenant = ${tenant} and user_id = ${user}`);
  });
  for (let from = 0; from < of.memories; from += PAGE) {
    const indexes = Array.from({ length: Math.min(PAGE, of.memories - from) }, (_, i) => from + i);
    const memories: NewMemory[] = indexes.map((index) =>
      newMemory(user, `m${index}`, textOf(index), { documentDate: at - 90 * DAY + index }),
    );
    const relations = indexes
      .filter((index) => index % OF_ONE_TOPIC > 0 && index % OF_ONE_TOPIC < LINKED)
      .map((index) => ({
        user,
        sourceExternalId: `m${index - 1}`,
        targetExternalId: `m${index}`,
        relationType: 'EXTENDS' as const,
        confidence: 0.9,
      }));
    await database.withTenant(tenant, async (tx) => {
      await insertMemories(tx, { tenant, memories, at });
      await insertRelations(tx, { tenant, relations, at });
    });
  }
  await storeVectors(database, of, embedder);
}

/** The vectors of all but the fresh ones, and the neighbours of each. */
async function storeVectors(database: Database, of: HugeUser, { model, embed }: Embedder): Promise<void> {
  const { tenant, user } = of;
  const at = Date.now();
  const rows = await database.withTenant(tenant, (tx) =>
    tx.rows<{ id: string; content: string; contentHash: string }>(sql`
      select id, content, content_hash as "contentHash" from slowwave.memories
      where tenant = ${tenant} and user_id = ${user} order by substr(external_id, 2)::int`),
  );
  const embedded = rows.slice(0, of.memories - of.fresh);
  for (let from = 0; from < embedded.length; from += PAGE) {
    const page = embedded.slice(from, from + PAGE);
    const made = await embed(page.map(({ content }) => content));
    const embeddings = page.map(({ id, contentHash }, i) => ({ id, contentHash, vector: made[i]! }));
    await database.withTenant(tenant, (tx) => storeEmbeddings(tx, { tenant, user, model, at, embeddings }));
  }
  for (let from = 0; from < embedded.length; from += PAGE) {
    const near = embedded.slice(from, from + PAGE).flatMap(({ id }, i) => nearOf(embedded, from + i, id));
    await database.withTenant(tenant, (tx) =>
      tx.rows(sql`
        insert into slowwave.neighbours (tenant, user_id, model, memory_id, neighbour_id, cosine)
        select ${tenant}, ${user}, ${model}, a, b, c from jsonb_to_recordset(${JSON.stringify(near)}::jsonb) as n(a uuid, b uuid, c real)`),
    );
  }
}

function nearOf(all: readonly { id: string }[], place: number, id: string) {
  const first = Math.max(0, place - REACH);
  return all.slice(first, place + REACH + 1).flatMap((other, i) => {
    const isSame = Math.floor((first + i) / OF_ONE_TOPIC) === Math.floor(place / OF_ONE_TOPIC);
    return other.id === id ? [] : [{ a: id, b: other.id, c: isSame ? NEAR : FAR }];
  });
}
