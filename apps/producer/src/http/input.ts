import type { z } from 'zod';
import { Problem } from './problem.ts';

const DETAIL_MAX = 500;

/**
 * Reads what a client gave. All mistakes are told together.
 * @throws Problem 400 `invalid_request`, naming fields and expected forms, never the given values
 */
export function parseInput<T>(schema: z.ZodType<T>, value: unknown, where: 'body' | 'query' | 'path'): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const told = result.error.issues.map((issue) => {
    if (issue.code === 'unrecognized_keys') return 'fields that are not known here';
    const missing = issue.code === 'invalid_type' && issue.path.length === 0;
    return missing ? 'an object is expected' : `${issue.path.join('.')}: ${issue.message}`;
  });
  const detail = `the ${where} is not as expected: ${told.join('; ')}`;
  throw new Problem(400, 'invalid_request', detail.slice(0, DETAIL_MAX));
}
