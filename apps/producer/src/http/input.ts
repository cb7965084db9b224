import { TIERS } from '@slowwave/fusion';
import { z } from 'zod';
import { Problem } from './problem.ts';

// As long as a job can carry, in code points, and of the same characters.
const ID_MAX = 200;
const ID = /^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}]+$/u;

/** A tenant's or user's id. */
export const idSchema = z
  .string({ error: 'expected text' })
  .min(1, 'expected 1 to 200 characters')
  .max(2 * ID_MAX, 'expected 1 to 200 characters')
  .refine((id) => [...id].length <= ID_MAX, 'expected 1 to 200 characters')
  .regex(ID, 'expected no control characters and no line breaks');

export const tenantSchema = idSchema.default('default');

export const tierSchema = z.enum(TIERS, { error: `expected one of ${TIERS.join(', ')}` });

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
