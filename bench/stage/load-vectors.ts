import { type Database, readVectors, vectorPageSize } from '@slowwave/db';
import { and, eq } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/node-postgres';
import { pgSchema, text, uuid, vector } from 'drizzle-orm/pg-core';
import { MODEL, TENANT } from './stored-vectors.ts';

/** All vectors of a user as the product reads them, in the order of the memories' ids. */
export async function loadPages(
  database: Database,
  user: string,
  dimensions: number,
): Promise<Float32Array[]> {
  const limit = vectorPageSize(dimensions);
  const pages: Float32Array[] = [];
  for (let after: string | null = null; ; ) {
    const page: Awaited<ReturnType<typeof readVectors>> = await database.withTenant(TENANT, (tx) =>
      readVectors(tx, { tenant: TENANT, user, model: MODEL, after, limit }),
    );
    if (page.ids.length > 0) pages.push(page.vectors);
    if (page.ids.length < limit) return pages;
    after = page.ids.at(-1)!;
  }
}

/** Views of the single vectors of pages. */
export function vectorsOf(pages: readonly Float32Array[], dimensions: number): Float32Array[] {
  return pages.flatMap((page) =>
    Array.from({ length: page.length / dimensions }, (_, i) =>
      page.subarray(i * dimensions, (i + 1) * dimensions),
    ),
  );
}

/** All vectors of a user through a `vector()` column of drizzle, as its documentation shows it. */
export async function loadWithDrizzle(
  database: Database,
  user: string,
  dimensions: number,
): Promise<number[][]> {
  const embeddings = pgSchema('slowwave').table('embeddings', {
    tenant: text('tenant'),
    userId: text('user_id'),
    memoryId: uuid('memory_id'),
    model: text('model'),
    vector: vector('vector', { dimensions }),
  });
  const rows = await drizzle(database.pool!)
    .select({ id: embeddings.memoryId, vector: embeddings.vector })
    .from(embeddings)
    .where(and(eq(embeddings.tenant, TENANT), eq(embeddings.userId, user), eq(embeddings.model, MODEL)))
    .orderBy(embeddings.memoryId);
  return rows.map((row) => row.vector!);
}
