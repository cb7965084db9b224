import { sql } from 'drizzle-orm';
import type { Transaction } from '../database.ts';
import { DatabaseError } from '../errors.ts';

/** A vector as pgvector reads it. */
export function vectorText(vector: Float32Array): string {
  return `[${vector.join(',')}]`;
}

/** The length that all vectors of one answer share; 0 for none. @throws DatabaseError `wrong_dimensions` */
export function requireOneLength(model: string, vectors: readonly Float32Array[]): number {
  const dimensions = vectors[0]?.length ?? 0;
  const odd = vectors.find((vector) => vector.length !== dimensions);
  if (!odd) return dimensions;
  throw new DatabaseError(
    'wrong_dimensions',
    `the embedding model ${model} gave vectors of ${dimensions} and of ${odd.length} dimensions in one answer`,
  );
}

/** Notes how long a model's vectors are, or compares with what was noted. @throws DatabaseError `wrong_dimensions` */
export async function agreeOnDimensions(tx: Transaction, model: string, dimensions: number): Promise<void> {
  await tx.rows(sql`
    insert into slowwave.embedding_models (model, dimensions) values (${model}, ${dimensions}) on conflict do nothing`);
  const [known] = await tx.rows<{ dimensions: number }>(
    sql`select dimensions from slowwave.embedding_models where model = ${model}`,
  );
  if (known && known.dimensions !== dimensions) {
    throw new DatabaseError(
      'wrong_dimensions',
      `the embedding model ${model} gave vectors of ${dimensions} dimensions, but ${known.dimensions} are stored under that name: with SLOWWAVE_EMBEDDING_DIMENSIONS=${dimensions} memories are embedded anew, and the vectors stored until now stand apart`,
    );
  }
}

/**
 * Insists that vectors have one length, and that of their model.
 * @throws DatabaseError `wrong_dimensions`
 */
export async function requireDimensions(
  tx: Transaction,
  model: string,
  vectors: readonly Float32Array[],
): Promise<void> {
  await agreeOnDimensions(tx, model, requireOneLength(model, vectors));
}
