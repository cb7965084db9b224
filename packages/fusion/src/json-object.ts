/** An answer longer than this is not looked at. In UTF-16 units. */
const MAX_CHARS = 524_288;
/** Openings of an object that are tried. */
const OPENINGS_MAX = 100;

/** Why there is no JSON object in a text. */
export type JsonProblem = 'empty' | 'too_long' | 'not_json' | 'ambiguous';

export type FoundObject = { ok: true; value: Record<string, unknown> } | { ok: false; problem: JsonProblem };

/**
 * Finds the JSON object of a model's answer, whatever stands around it: prose, braces in prose, a code fence, the object once more.
 * @param keys names of which the object that is looked for has at least one
 * @returns the object that has one of these names, else the one that begins with the first brace; `ambiguous` where several have, and they
 * are not the same: one of them may be a draft, or quoted from a source
 */
export function findJsonObject(text: string, keys: readonly string[]): FoundObject {
  if (text.trim() === '') return { ok: false, problem: 'empty' };
  if (text.length > MAX_CHARS) return { ok: false, problem: 'too_long' };
  let first: Record<string, unknown> | null = null;
  let found: Record<string, unknown> | null = null;
  let from = text.indexOf('{');
  for (let tries = 0; from !== -1 && tries < OPENINGS_MAX; tries++) {
    const end = endOfObject(text, from);
    const value = end === -1 ? null : parseObject(text.slice(from, end));
    if (value && keys.some((key) => Object.hasOwn(value, key))) {
      if (found && JSON.stringify(found) !== JSON.stringify(value))
        return { ok: false, problem: 'ambiguous' };
      found = value;
    }
    // Objects inside of one that does not end are no answers.
    if (tries === 0) first = value;
    from = text.indexOf('{', value ? end : from + 1);
  }
  const value = found ?? first;
  return value ? { ok: true, value } : { ok: false, problem: 'not_json' };
}

/** Just behind the brace that closes the one at `from`; -1 without one. Braces in strings do not count. */
function endOfObject(text: string, from: number): number {
  let depth = 0;
  let isString = false;
  for (let index = from; index < text.length; index++) {
    const char = text[index];
    if (isString) {
      if (char === '\\') index += 1;
      else if (char === '"') isString = false;
    } else if (char === '"') isString = true;
    else if (char === '{') depth += 1;
    else if (char === '}') {
      depth -= 1;
      if (depth === 0) return index + 1;
    }
  }
  return -1;
}

function parseObject(text: string): Record<string, unknown> | null {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return null;
  }
}
