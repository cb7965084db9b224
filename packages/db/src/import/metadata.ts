import { checkText } from './fields.ts';
import { grouped, METADATA_BYTES, METADATA_DEPTH } from './limits.ts';
import type { Report } from './problems.ts';

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Answers whether a JSON value can be stored and read back as the same value. Walks with a list of its own, since a line
 * can nest deeper than the call stack.
 */
function isStorable(root: unknown, report: Report): boolean {
  const waiting: { value: unknown; depth: number }[] = [{ value: root, depth: 0 }];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { value, depth } = next;
    if (typeof value === 'string' && !checkText(value, 'metadata', report)) return false;
    if (typeof value === 'number' && !isExact(value)) {
      const message = 'metadata holds a number too large to be kept exactly; write it as a string';
      report('unsafe_number', 'metadata', message);
      return false;
    }
    if (typeof value !== 'object' || value === null) continue;
    if (depth === METADATA_DEPTH) {
      report('too_deep', 'metadata', `metadata is nested more than ${METADATA_DEPTH} levels deep`);
      return false;
    }
    for (const [key, inner] of Object.entries(value)) {
      if (!Array.isArray(value) && !checkText(key, 'metadata', report)) return false;
      waiting.push({ value: inner, depth: depth + 1 });
    }
  }
  return true;
}

/** Whole numbers beyond 2^53 were rounded when the line was read, and 1e999 became infinite. */
function isExact(value: number): boolean {
  return Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value));
}

/**
 * The line's metadata with its unknown fields under `import`, beside what an earlier import has put there. Null when it
 * cannot be stored as it is: nothing of it is ever dropped or changed to make it fit.
 */
export function metadataOf(
  given: unknown,
  unknown: readonly (readonly [string, unknown])[],
  report: Report,
): Record<string, unknown> | null {
  if (given !== null && !isObject(given)) {
    report('wrong_type', 'metadata', 'metadata must be an object');
    return null;
  }
  const earlier = given && Object.hasOwn(given, 'import') ? given.import : {};
  const clash = isObject(earlier) ? unknown.some(([field]) => Object.hasOwn(earlier, field)) : true;
  if (unknown.length > 0 && clash) {
    const message = 'metadata.import already holds something in the place of a field that is not known';
    report('metadata_conflict', 'metadata', message);
    return null;
  }
  // Object.fromEntries makes own fields of every name, "__proto__" included.
  const kept =
    unknown.length === 0
      ? (given ?? {})
      : Object.fromEntries([
          ...Object.entries(given ?? {}).filter(([field]) => field !== 'import'),
          ['import', Object.fromEntries([...Object.entries(earlier as object), ...unknown])],
        ]);
  if (!isStorable(kept, report)) return null;
  const bytes = Buffer.byteLength(JSON.stringify(kept));
  if (bytes <= METADATA_BYTES) return kept;
  report(
    'too_long',
    'metadata',
    `metadata has ${grouped(bytes)} bytes; the limit is ${grouped(METADATA_BYTES)}`,
  );
  return null;
}
