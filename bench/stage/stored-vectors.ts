import { type Database, ensureUsers, insertMemories, storeEmbeddings } from '@slowwave/db';
import type { Embedder } from '@slowwave/fusion';
import { createLook, DEFAULT_LIMITS, type StepContext } from '@slowwave/worker';
import { sql } from 'drizzle-orm';
import { newMemory } from '../../test/fixtures/memories.ts';
import { clusteredVectors } from './clustered-vectors.ts';

export const TENANT = 'vectors';
export const MODEL = 'bench';
const AT = Date.UTC(2026, 5, 15, 12);
const PAGE = 1_000;
/** Vectors of one statement: so few that no statement runs into its time limit on a busy machine. */
const STORED = 200;
const NEVER = new AbortController().signal;

/** The vector of each memory, by what the memory says. */
export type Vectors = Map<string, Float32Array>;

/** Vectors for memories `from` up to but not including `to`. Those of one page have clusters among them. */
export function makeVectors(
  random: () => number,
  of: { from: number; to: number; dimensions: number },
): Vectors {
  const vectors: Vectors = new Map();
  for (let from = of.from; from < of.to; from += PAGE) {
    const made = clusteredVectors(random, Math.min(PAGE, of.to - from), of.dimensions);
    for (const [i, vector] of made.entries()) vectors.set(`memory ${from + i}`, vector);
  }
  return vectors;
}

/** As makeVectors, a good deal sooner: vectors that have nothing to do with each other. */
export function plainVectors(
  random: () => number,
  of: { from: number; to: number; dimensions: number },
): Vectors {
  const vectors: Vectors = new Map();
  for (let memory = of.from; memory < of.to; memory += 1) {
    const vector = new Float32Array(of.dimensions);
    for (let i = 0; i < of.dimensions; i += 1) vector[i] = random() - 0.5;
    vectors.set(`memory ${memory}`, vector);
  }
  return vectors;
}

/** Answers at once, from what was made before. */
export function embedderOf(vectors: Vectors, dimensions: number): Embedder {
  return {
    name: MODEL,
    model: MODEL,
    dimensions,
    threshold: 0.75,
    embed: async (texts) => texts.map((text) => vectors.get(text)!),
  };
}

/** Writes memories without vectors. */
export async function writeMemories(
  database: Database,
  user: string,
  contents: readonly string[],
): Promise<void> {
  await database.withTenant(TENANT, async (tx) => {
    await ensureUsers(tx, [{ tenant: TENANT, user }], AT);
    for (let from = 0; from < contents.length; from += PAGE) {
      const memories = contents
        .slice(from, from + PAGE)
        .map((content) => newMemory(user, content, content, { documentDate: AT }));
      await insertMemories(tx, { tenant: TENANT, memories, at: AT });
    }
  });
  await database.asOwner((tx) => tx.rows(sql`analyze slowwave.memories`));
}

/** Writes memories with their vectors, without neighbours. @returns the contents in the order of the memories' ids */
export async function writeVectors(database: Database, user: string, vectors: Vectors): Promise<string[]> {
  await writeMemories(database, user, [...vectors.keys()]);
  const names = `{${[...vectors.keys()].map((name) => `"${name}"`).join(',')}}`;
  const rows = await database.withTenant(TENANT, (tx) =>
    tx.rows<{ id: string; content: string; contentHash: string }>(sql`
      select id, content, content_hash as "contentHash" from slowwave.memories
      where tenant = ${TENANT} and user_id = ${user} and external_id = any(${names}::text[])
      order by id`),
  );
  for (let from = 0; from < rows.length; from += STORED) {
    const embeddings = rows
      .slice(from, from + STORED)
      .map(({ id, content, contentHash }) => ({ id, contentHash, vector: vectors.get(content)! }));
    await database.withTenant(TENANT, (tx) =>
      storeEmbeddings(tx, { tenant: TENANT, user, model: MODEL, at: AT, embeddings }),
    );
  }
  // Outside of a transaction, which only a server lets us be.
  if (database.pool) await database.pool.query('vacuum (analyze) slowwave.embeddings');
  else await database.asOwner((tx) => tx.rows(sql`analyze slowwave.embeddings`));
  return rows.map(({ content }) => content);
}

/** What the embedding step reads of its context. */
export function embedContext(database: Database, user: string, embedder: Embedder): StepContext {
  const of = { tenant: TENANT, user, tier: 'light' as const, at: AT, lastSuccessAt: null };
  const look = createLook(database, { ...of, embedder, limits: DEFAULT_LIMITS }, []);
  return {
    ...of,
    database,
    embedder,
    limits: DEFAULT_LIMITS,
    look,
    runId: '',
    signal: NEVER,
    stopping: NEVER,
    write: (work) => database.withTenant(TENANT, work).finally(() => look.changed()),
  } as StepContext;
}
