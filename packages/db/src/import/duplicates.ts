import { createHash } from 'node:crypto';
import type { Problem } from './problems.ts';
import { type ImportRecord, lineOf } from './record.ts';

/** Half of a SHA-256 as a string of 16 characters, one byte each: small, and a million of them do not collide. */
const digestOf = (text: string): string =>
  createHash('sha256').update(text, 'utf8').digest().subarray(0, 16).toString('latin1');

function keyOf(record: ImportRecord): string {
  const { kind, tenant, user } = record;
  // A question has no id: another one about the same is another question.
  const own = kind === 'memory' ? record.externalId : kind === 'question' ? lineOf(record) : null;
  return JSON.stringify([kind, tenant, user, own]);
}

export type SeenBefore = { duplicateOf: number | null } | { problem: Problem };

/**
 * Remembers what stood on which line. The same record again is a duplicate; another record under the same id is a
 * mistake of the file, since taking either one would lose the other.
 * @param placeOf how messages call a place
 */
export function createDuplicates(
  placeOf: (line: number) => string = (line) => `line ${line}`,
): (record: ImportRecord, line: number) => SeenBefore {
  const seen = new Map<string, { line: number; digest: string }>();
  return (record, line) => {
    const key = digestOf(keyOf(record));
    const digest = digestOf(lineOf(record));
    const first = seen.get(key);
    if (!first) {
      seen.set(key, { line, digest });
      return { duplicateOf: null };
    }
    if (first.digest === digest) return { duplicateOf: first.line };
    const problem: Problem =
      record.kind === 'user'
        ? {
            code: 'user_reused',
            field: 'user',
            message: `${placeOf(first.line)} says something else of this user`,
          }
        : {
            code: 'id_reused',
            field: 'id',
            message: `id stands on ${placeOf(first.line)} already, with other values; expected one for each memory`,
          };
    return { problem };
  };
}
