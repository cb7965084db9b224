import { z } from 'zod';
import { idField, ownerFields } from '../fields.ts';

const YES_NO = 'expected true or false';
const VERSION = 'expected the version that was read, or null for nothing';

export const textField = z.string({ error: 'expected text' });
export const yesNoField = z.boolean({ error: YES_NO });
export const workspacePath = z.object({ workspace: idField.describe('The name of a workspace.') });
/** Which workspace a request to the routes of the memory contract is about. */
export const workspaceKeyFields = { ...ownerFields, workspace: idField };
export const workspaceKeyQuery = z.strictObject(workspaceKeyFields);
export const byFields = {
  by: idField.optional().describe('Who does it, for the log. Left out: the name of the token.'),
};

/** A whole number in an address. */
export function wholeNumber(min: number, max: number) {
  const told = `expected a whole number from ${min} to ${max}`;
  return z.coerce.number({ error: told }).int(told).min(min, told).max(max, told);
}

/** What is written in place of what stands there. */
export const writeBody = z
  .strictObject({
    content: textField,
    expectedVersion: z
      .string({ error: VERSION })
      .nullable()
      .optional()
      .describe('The version that was read; null: nothing stands there yet; left out: the last writer wins.'),
    expectedSha256: z
      .string({ error: VERSION })
      .nullable()
      .optional()
      .describe('Another name of expectedVersion.'),
    ...byFields,
  })
  .refine(({ expectedVersion: a, expectedSha256: b }) => a === undefined || b === undefined || a === b, {
    path: ['expectedVersion'],
    error: 'expectedVersion and expectedSha256 say two things',
  });

export const versionField = z.string().describe('SHA-256 of the document in UTF-8, hexadecimal.');
export const backendField = z.string().describe('The type of the backend that answered.');

/** What a write answers. */
export const writtenSchema = z
  .strictObject({ success: z.boolean(), backend: z.string(), version: versionField.optional() })
  .meta({ id: 'Written', description: 'What stands there now.' });

/** Refusals of whatever reads documents of a workspace. */
export const READ_REFUSALS = {
  400: ['UNSUPPORTED'],
  404: ['unknown_workspace', 'NOT_FOUND'],
  503: ['BACKEND_UNAVAILABLE'],
} as const;

/** Refusals of whatever writes them. */
export const WRITE_REFUSALS = {
  ...READ_REFUSALS,
  409: ['READ_ONLY', 'CONFLICT', 'busy'],
  413: ['QUOTA_EXCEEDED', 'body_too_large'],
} as const;

/** A document of the greatest length, as JSON that escapes each of its characters. Bytes. */
export const DOCUMENT_BODY_MAX_BYTES = 34 * 1024 * 1024;
