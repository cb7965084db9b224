import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CODE_POINT } from '../../../test/fixtures/code-point.ts';
import { InputError } from './input-error.ts';
import { CURSOR_CHARS_MAX, type CursorShape, decodeCursor, encodeCursor, pageOf } from './paging.ts';

const NIGHTS = {
  list: 'nights',
  key: { at: 'instant', id: 'uuid', name: 'text', weight: 'number' },
} as const;
const KEY = { at: 1_700_000_000_000, id: '0199d0aa-0000-7000-8000-000000000001', name: 'Ana', weight: 0.5 };
const ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

const made = (...values: unknown[]) => Buffer.from(JSON.stringify(values)).toString('base64url');
const refused = (cursor: string, shape: CursorShape = NIGHTS) => {
  try {
    decodeCursor(shape, cursor);
  } catch (error) {
    return error;
  }
  return null;
};

describe('a cursor', () => {
  it('gives back the key it was made of', () => {
    expect(decodeCursor(NIGHTS, encodeCursor(NIGHTS, KEY))).toEqual(KEY);
    expect(encodeCursor(NIGHTS, KEY)).toMatch(/^[\w-]+$/);
    expect(decodeCursor(NIGHTS, undefined)).toBeNull();
  });

  it('carries the longest ids', () => {
    const shape = { list: 'users', key: { tenant: 'text', user: 'text' } } as const;
    const key = { tenant: '🐕'.repeat(200), user: '"'.repeat(200) };
    const cursor = encodeCursor(shape, key);
    expect(cursor.length).toBeLessThanOrEqual(CURSOR_CHARS_MAX);
    expect(decodeCursor(shape, cursor)).toEqual(key);
  });

  it.each([
    ['nothing', ''],
    ['no base64', '*'],
    ['no JSON', Buffer.from('night').toString('base64url')],
    ['no list', made().replace(made(), Buffer.from('{"v":1}').toString('base64url'))],
    ['another version', made(2, 'nights', KEY.at, KEY.id, KEY.name, KEY.weight)],
    ['another list', made(1, 'days', KEY.at, KEY.id, KEY.name, KEY.weight)],
    ['too few values', made(1, 'nights', KEY.at, KEY.id, KEY.name)],
    ['too many values', made(1, 'nights', KEY.at, KEY.id, KEY.name, KEY.weight, 1)],
    ['an instant outside of all calendars', made(1, 'nights', 1e300, KEY.id, KEY.name, KEY.weight)],
    ['a text for an instant', made(1, 'nights', '1', KEY.id, KEY.name, KEY.weight)],
    ['no uuid', made(1, 'nights', KEY.at, 'x', KEY.name, KEY.weight)],
    ['another spelling of a uuid', made(1, 'nights', KEY.at, KEY.id.toUpperCase(), KEY.name, KEY.weight)],
    ['a text that no column holds', made(1, 'nights', KEY.at, KEY.id, 'a\0', KEY.weight)],
    ['half a character', made(1, 'nights', KEY.at, KEY.id, '\ud83d', KEY.weight)],
    ['null', made(1, 'nights', KEY.at, KEY.id, KEY.name, null)],
    ['padding', `${Buffer.from(JSON.stringify([1, 'nights'])).toString('base64')}=`],
    ['spaces in the JSON', Buffer.from('[1, "nights"]').toString('base64url')],
    ['more than any list makes', 'A'.repeat(CURSOR_CHARS_MAX + 1)],
  ])('is not %s', (_what, cursor) => {
    const error = refused(cursor);
    expect(error).toBeInstanceOf(InputError);
    expect(error).toMatchObject({ code: 'not_allowed', field: 'cursor' });
    expect((error as InputError).message).toBe('cursor must be the nextCursor of the page before');
  });

  it('is never made of what it could not be read from', () => {
    expect(() => encodeCursor(NIGHTS, { ...KEY, at: Number.NaN })).toThrow(InputError);
    expect(() => encodeCursor(NIGHTS, { ...KEY, at: Number.POSITIVE_INFINITY })).toThrow(InputError);
  });

  it('holds for every key, and for nothing but cursors', () => {
    const keys = fc.record({
      at: fc.integer({ min: 0, max: 253_402_300_799_999 }),
      id: fc.uuid().filter((id) => ID.test(id)),
      name: fc.string({ unit: CODE_POINT, maxLength: 200 }).filter((name) => !name.includes('\0')),
      // JSON knows one zero.
      weight: fc.double({ noNaN: true, noDefaultInfinity: true }).map((weight) => weight + 0),
    });
    fc.assert(
      fc.property(keys, (key) => {
        expect(decodeCursor(NIGHTS, encodeCursor(NIGHTS, key))).toEqual(key);
      }),
      { numRuns: 500 },
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.base64String(),
          fc.json().map((json) => made(json)),
        ),
        (text) => {
          expect(refused(text)).toBeInstanceOf(InputError);
        },
      ),
      { numRuns: 500 },
    );
  });

  it('is of its list alone', () => {
    const other = { ...NIGHTS, list: 'days' };
    expect(refused(encodeCursor(NIGHTS, KEY), other)).toBeInstanceOf(InputError);
  });
});

describe('a page', () => {
  const shape = { list: 'numbers', key: { weight: 'number' } } as const;
  const keyOf = (weight: number) => ({ weight });

  it('ends with a cursor while there is more', () => {
    expect(pageOf(shape, [1, 2, 3], 2, keyOf)).toEqual({
      rows: [1, 2],
      nextCursor: encodeCursor(shape, { weight: 2 }),
    });
  });

  it('is the last one otherwise', () => {
    expect(pageOf(shape, [1, 2], 2, keyOf)).toEqual({ rows: [1, 2], nextCursor: null });
    expect(pageOf(shape, [], 2, keyOf)).toEqual({ rows: [], nextCursor: null });
  });
});
