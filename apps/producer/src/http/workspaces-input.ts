import { z } from 'zod';
import { idSchema, tenantSchema } from './input.ts';

export const SEARCH_LIMIT_MAX = 20;
export const RUNS_LIMIT_MAX = 200;
const WINDOW_MAX = 400;
/** A document of the greatest length, as JSON that escapes each of its characters. */
export const DOCUMENT_BODY_MAX_BYTES = 34 * 1024 * 1024;

const YES_NO = 'expected true or false';
const VERSION = 'expected the version that was read, or null for nothing';

export const text = z.string({ error: 'expected text' });
export const flag = z.boolean({ error: YES_NO });

export function wholeNumber(min: number, max: number) {
  const told = `expected a whole number from ${min} to ${max}`;
  return z.coerce.number({ error: told }).int(told).min(min, told).max(max, told);
}

export const ownerFields = { tenant: tenantSchema, user: idSchema };
export const ownerQuery = z.strictObject(ownerFields);
export const workspacePath = z.object({ workspace: idSchema });
/** Which workspace a request to the routes of the memory contract is about. */
export const keyFields = { ...ownerFields, workspace: idSchema };
export const keyQuery = z.strictObject(keyFields);
export const byField = { by: idSchema.default('operator') };

/** Two names of one thing: what the writer read before. */
const expectedFields = {
  expectedVersion: z.string({ error: VERSION }).nullable().optional(),
  expectedSha256: z.string({ error: VERSION }).nullable().optional(),
};

export const writeBody = z
  .strictObject({ content: text, ...expectedFields, ...byField })
  .refine(({ expectedVersion: a, expectedSha256: b }) => a === undefined || b === undefined || a === b, {
    path: ['expectedVersion'],
    error: 'expectedVersion and expectedSha256 say two things',
  })
  .transform(({ expectedVersion, expectedSha256, ...rest }) => ({
    ...rest,
    expected: expectedVersion === undefined ? expectedSha256 : expectedVersion,
  }));
export const appendBody = z.strictObject({ content: text.min(1, 'expected some text'), ...byField });

/** `force`: neither the switch nor the least time nor the growth count. */
export const extractBody = z.strictObject({ force: flag.default(false), ...byField });

export const fileQuery = z.strictObject({ ...keyFields, path: text });
export const windowQuery = z.strictObject({
  ...keyFields,
  path: text,
  startLine: wholeNumber(1, Number.MAX_SAFE_INTEGER).optional(),
  lineCount: wholeNumber(1, WINDOW_MAX).optional(),
});
export const searchQuery = z.strictObject({
  ...keyFields,
  query: text.min(1, 'expected some words').max(1_000, 'expected at most 1000 characters'),
  limit: wholeNumber(1, SEARCH_LIMIT_MAX).optional(),
});
