/**
 * A deep tier as one writes it first: prominence is stored and rewritten row by row, vectors come through the column type of the query
 * builder, relations are asked for memory by memory, all pairs are compared in plain JavaScript, and fusions are written row by row.
 */
import { randomUUID } from 'node:crypto';
import type { Database } from '@slowwave/db';
import { type DecayParams, type LLMProvider, prominenceAt } from '@slowwave/fusion';
import { eq } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/node-postgres';
import { pgSchema, text, uuid, vector } from 'drizzle-orm/pg-core';
import type pg from 'pg';

/** Tables in a schema of their own, with the keys and indexes that such a service has. */
export async function createPlainTables(database: Database, dimensions: number): Promise<void> {
  const { rows } = await database.pool!.query<{ schema: string }>(
    `select n.nspname as schema from pg_type t join pg_namespace n on n.oid = t.typnamespace where typname = 'vector'`,
  );
  await database.pool!.query(`
    create schema plain;
    create table plain.memories (id uuid primary key, user_id text not null, content text not null, category text not null,
      memory_type text not null, importance int not null, confirmations int not null, peak float8 not null,
      anchor_at timestamptz not null, demotion float8 not null, prominence float8 not null default 1,
      is_latest boolean not null default true, superseded_by uuid);
    create index on plain.memories (user_id);
    create table plain.embeddings (memory_id uuid primary key, user_id text not null, vector ${rows[0]!.schema}.vector(${dimensions}));
    create index on plain.embeddings (user_id);
    create table plain.relations (id uuid primary key, source_id uuid not null, target_id uuid not null, kind text not null,
      confidence float8 not null);
    create index on plain.relations (source_id);
    create index on plain.relations (target_id)`);
}

/** The same users, memories, vectors and relations as the product has. */
export async function copyToPlain(database: Database, tenant: string): Promise<void> {
  for (const copy of [
    `insert into plain.memories select id, user_id, content, category, memory_type, importance, confirmations, peak, anchor_at,
       demotion from slowwave.memories where tenant = $1`,
    `insert into plain.embeddings select memory_id, user_id, vector from slowwave.embeddings where tenant = $1`,
    `insert into plain.relations select gen_random_uuid(), source_id, target_id, relation_type, confidence
       from slowwave.relations where tenant = $1`,
  ]) {
    await database.pool!.query(copy, [tenant]);
  }
  await database.pool!.query('analyze');
}

interface PlainMemory {
  id: string;
  content: string;
  category: DecayParams['category'];
  memory_type: DecayParams['memoryType'];
  importance: number;
  confirmations: number;
  peak: number;
  anchor_at: Date;
  demotion: number;
}

/** Computes and writes what time did to each memory. @returns those that are dormant */
async function decay(client: pg.PoolClient, user: string, at: number): Promise<PlainMemory[]> {
  const { rows } = await client.query<PlainMemory>(
    'select * from plain.memories where user_id = $1 and is_latest',
    [user],
  );
  const dormant: PlainMemory[] = [];
  for (const row of rows) {
    const { memory_type: memoryType, anchor_at, ...rest } = row;
    const prominence = prominenceAt({ ...rest, memoryType, anchorAt: anchor_at.getTime() }, at);
    await client.query('update plain.memories set prominence = $2 where id = $1', [row.id, prominence]);
    if (prominence >= 0.1 && prominence < 0.5 && memoryType === 'regular') dormant.push(row);
  }
  return dormant;
}

function cosine(a: readonly number[], b: readonly number[]): number {
  let [dot, squaresA, squaresB] = [0, 0, 0];
  for (let i = 0; i < a.length; i += 1) {
    dot += a[i]! * b[i]!;
    squaresA += a[i]! * a[i]!;
    squaresB += b[i]! * b[i]!;
  }
  return squaresA === 0 || squaresB === 0 ? 0 : dot / (Math.sqrt(squaresA) * Math.sqrt(squaresB));
}

async function vectorsOf(client: pg.PoolClient, user: string, dimensions: number) {
  const embeddings = pgSchema('plain').table('embeddings', {
    memoryId: uuid('memory_id').primaryKey(),
    userId: text('user_id').notNull(),
    vector: vector('vector', { dimensions }),
  });
  const rows = await drizzle(client).select().from(embeddings).where(eq(embeddings.userId, user));
  return new Map(rows.map(({ memoryId, vector }) => [memoryId, vector!]));
}

/** Groups of memories that are related or alike, of three and more, the largest first. */
async function cluster(
  client: pg.PoolClient,
  memories: readonly PlainMemory[],
  of: { user: string; dimensions: number; threshold: number },
): Promise<PlainMemory[][]> {
  const vectors = await vectorsOf(client, of.user, of.dimensions);
  const parents = new Map(memories.map(({ id }) => [id, id]));
  const root = (id: string): string => {
    let at = id;
    while (parents.get(at) !== at) at = parents.get(at)!;
    return at;
  };
  const join = (a: string, b: string): void => {
    if (parents.has(a) && parents.has(b)) parents.set(root(a), root(b));
  };
  for (const { id } of memories) {
    const { rows } = await client.query<{ source_id: string; target_id: string }>(
      'select source_id, target_id from plain.relations where source_id = $1 or target_id = $1',
      [id],
    );
    for (const { source_id, target_id } of rows) join(source_id, target_id);
  }
  for (const [i, a] of memories.entries()) {
    for (const b of memories.slice(i + 1)) {
      if (cosine(vectors.get(a.id)!, vectors.get(b.id)!) >= of.threshold) join(a.id, b.id);
    }
  }
  const groups = new Map<string, PlainMemory[]>();
  for (const memory of memories) {
    const group = groups.get(root(memory.id));
    if (group) group.push(memory);
    else groups.set(root(memory.id), [memory]);
  }
  return [...groups.values()].filter(({ length }) => length >= 3).sort((a, b) => b.length - a.length);
}

/** One transaction a fusion, a statement a row. */
async function write(
  client: pg.PoolClient,
  fused: { user: string; at: number; sources: readonly PlainMemory[]; summary: string; vector: Float32Array },
): Promise<void> {
  const { user, at, sources, summary, vector: direction } = fused;
  const id = randomUUID();
  await client.query('begin');
  await client.query(
    `insert into plain.memories (id, user_id, content, category, memory_type, importance, confirmations, peak, anchor_at, demotion)
     values ($1, $2, $3, $4, 'derived', $5, 0, 0.6, $6, 1)`,
    [
      id,
      user,
      summary,
      sources[0]!.category,
      Math.max(...sources.map((one) => one.importance)),
      new Date(at),
    ],
  );
  await client.query('insert into plain.embeddings values ($1, $2, $3)', [
    id,
    user,
    `[${direction.join(',')}]`,
  ]);
  for (const source of sources) {
    await client.query(
      `update plain.memories set is_latest = false, memory_type = 'superseded', superseded_by = $2 where id = $1`,
      [source.id, id],
    );
    await client.query(`insert into plain.relations values ($1, $2, $3, 'DERIVES', 0.95)`, [
      randomUUID(),
      id,
      source.id,
    ]);
  }
  await client.query('commit');
}

/** The deep tier of one user. @returns the contents of the sources of each derived memory */
export async function plainDeep(
  database: Database,
  job: {
    user: string;
    at: number;
    provider: LLMProvider;
    dimensions: number;
    threshold: number;
    embed: (texts: string[]) => Promise<Float32Array[]>;
    ask: (texts: readonly string[]) => Parameters<LLMProvider['complete']>[0];
  },
): Promise<string[][]> {
  const client = await database.pool!.connect();
  try {
    const dormant = await decay(client, job.user, job.at);
    const clusters = await cluster(client, dormant, job);
    for (const sources of clusters) {
      const response = await job.provider.complete(job.ask(sources.map(({ content }) => content)));
      const { summary } = JSON.parse(response.content[0]!.text!) as { summary: string };
      const [direction] = await job.embed([summary]);
      await write(client, { user: job.user, at: job.at, sources, summary, vector: direction! });
    }
    return clusters.map((sources) => sources.map(({ content }) => content));
  } finally {
    client.release();
  }
}
