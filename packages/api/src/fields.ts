import { CATEGORIES, TIERS } from '@slowwave/fusion';
import { z } from 'zod';

// As long as a job can carry, in code points, and of the same characters.
const ID_MAX = 200;
const ID = /^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}]+$/u;

/** A tenant's or user's id. */
export const idField = z
  .string({ error: 'expected text' })
  .min(1, 'expected 1 to 200 characters')
  .max(2 * ID_MAX, 'expected 1 to 200 characters')
  .refine((id) => [...id].length <= ID_MAX, 'expected 1 to 200 characters')
  .regex(ID, 'expected no control characters and no line breaks');

/** Left out: the caller's own tenant, or "default" for a caller who is bound to none. */
export const tenantField = idField.optional();

export const tierField = z.enum(TIERS, { error: `expected one of ${TIERS.join(', ')}` });
export const categoryField = z.enum(CATEGORIES, { error: `expected one of ${CATEGORIES.join(', ')}` });

/** Whose request it is, in an address. */
export const ownerFields = { tenant: tenantField, user: idField };
/** Who asks for it, for whoever reads the journal later. */
export const actorField = idField.default('operator');

const INSTANT = 'expected an instant in epoch milliseconds';
/** Epoch milliseconds. */
export const instantField = z.number({ error: INSTANT });

export const uuidField = (what: string) => z.uuid(`expected the id of a ${what}`);

const KEY = 'expected the key of a fusion, 64 hexadecimal digits';
export const fusionKeyField = z.string({ error: KEY }).regex(/^[0-9a-f]{64}$/, KEY);

const CURSOR = 'expected the nextCursor of the page before';
// Two ids of the greatest length, of characters of four bytes each.
const CURSOR_MAX = 3_000;

/** Fields of every list: how many at most, and where the page before ended. @param max greatest limit */
export function pageFields(max: number, standard = Math.min(50, max)) {
  const limit = `expected a whole number from 1 to ${max}`;
  return {
    limit: z.coerce.number({ error: limit }).int(limit).min(1, limit).max(max, limit).default(standard),
    cursor: z
      .string({ error: CURSOR })
      .max(CURSOR_MAX, CURSOR)
      .regex(/^[\w-]+$/, CURSOR)
      .optional(),
  };
}

/** Of the last page null. */
export const nextCursorField = z
  .string()
  .nullable()
  .describe('Give it as cursor for the next page; null on the last one.');

/** Errors of all routes, as RFC 9457 has them. */
export const problemSchema = z
  .looseObject({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    code: z.string(),
    detail: z.string(),
  })
  .describe(
    'What was wrong, and what to do. The code is for programs, the detail for people; neither quotes a memory.',
  );
