import { InputError } from './input-error.ts';

/**
 * What a page of a list ends with: a list's own name, and the columns it is sorted by in their order. An instant is in epoch ms, of
 * a column that is never written finer than that; a number is a float8.
 */
export interface CursorShape {
  list: string;
  key: Readonly<Record<string, CursorKind>>;
}

export type CursorKind = 'instant' | 'number' | 'text' | 'uuid';

/** The sort key of one row, by the names of its shape. */
export type CursorKey<S extends CursorShape> = {
  [Field in keyof S['key']]: S['key'][Field] extends 'instant' | 'number' ? number : string;
};

/** One page of a list, and where the next one begins: null on the last. */
export interface ListPage<Row> {
  rows: Row[];
  nextCursor: string | null;
}

/** Two ids of the greatest length, of characters of four bytes each. */
export const CURSOR_CHARS_MAX = 3_000;
/** Grows when a cursor of before would be read wrongly. */
const VERSION = 1;

const FIRST_MS = Date.parse('0001-01-01T00:00:00Z');
const LAST_MS = Date.parse('9999-12-31T23:59:59.999Z');
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const CHECKS: Readonly<Record<CursorKind, (value: unknown) => boolean>> = {
  instant: (value) => typeof value === 'number' && value >= FIRST_MS && value <= LAST_MS,
  number: (value) => typeof value === 'number' && Number.isFinite(value),
  // What no text column can hold or be compared with.
  text: (value) => typeof value === 'string' && !value.includes('\0') && !/\p{Cs}/u.test(value),
  uuid: (value) => typeof value === 'string' && UUID.test(value),
};

/** The cursor behind a row. @throws InputError when the key is not of the shape */
export function encodeCursor<const S extends CursorShape>(shape: S, key: CursorKey<S>): string {
  const values = Object.keys(shape.key).map((field) => (key as Record<string, unknown>)[field]);
  if (!fits(shape, values)) throw notACursor();
  return Buffer.from(JSON.stringify([VERSION, shape.list, ...values])).toString('base64url');
}

/**
 * The sort key of the row that a page ended with. Only what encodeCursor makes of the same shape is read: a cursor of another list,
 * or one that somebody wrote, would begin a page anywhere.
 * @returns null for the first page, which has none
 * @throws InputError `not_allowed`
 */
export function decodeCursor<const S extends CursorShape>(
  shape: S,
  cursor: string | undefined,
): CursorKey<S> | null {
  if (cursor === undefined) return null;
  if (cursor.length > CURSOR_CHARS_MAX) throw notACursor();
  const [version, list, ...values] = listIn(cursor);
  if (version !== VERSION || list !== shape.list || !fits(shape, values)) throw notACursor();
  const key = Object.fromEntries(
    Object.keys(shape.key).map((field, at) => [field, values[at]]),
  ) as CursorKey<S>;
  // The same key has one cursor only.
  if (encodeCursor(shape, key) !== cursor) throw notACursor();
  return key;
}

/**
 * Cuts the rows of a statement that asked for one more than fits on the page.
 * @param rows at most limit + 1
 * @param keyOf the sort key of a row
 */
export function pageOf<Row, const S extends CursorShape>(
  shape: S,
  rows: readonly Row[],
  limit: number,
  keyOf: (row: Row) => CursorKey<S>,
): ListPage<Row> {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const more = rows.length > limit && last !== undefined;
  return { rows: shown, nextCursor: more ? encodeCursor(shape, keyOf(last)) : null };
}

function fits(shape: CursorShape, values: readonly unknown[]): boolean {
  const kinds = Object.values(shape.key);
  return values.length === kinds.length && kinds.every((kind, at) => CHECKS[kind](values[at]));
}

/** Garbage is an empty list. */
function listIn(cursor: string): unknown[] {
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}

function notACursor(): InputError {
  return new InputError('not_allowed', 'cursor', 'cursor must be the nextCursor of the page before');
}
