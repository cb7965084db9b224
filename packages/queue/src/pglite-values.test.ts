import type { PGlite } from '@electric-sql/pglite';
import type { PgPool } from 'bullmq';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openWithoutVectors } from '../../../test/fixtures/in-memory.ts';
import { createPglitePool } from './pglite-pool.ts';

let db: PGlite;
let pool: PgPool;

beforeAll(async () => {
  db = await openWithoutVectors();
  await db.exec('CREATE TABLE item (id int PRIMARY KEY, note text)');
  pool = createPglitePool(db);
});

afterAll(() => db.close());

describe('values', () => {
  it.each([
    ['SELECT 9007199254740993::int8 AS v', '9007199254740993'],
    ['SELECT 5::int8 AS v', '5'],
    ["SELECT '{1,NULL,-3}'::int8[] AS v", ['1', null, '-3']],
    [
      "SELECT '{{1,2},{3,4}}'::int8[] AS v",
      [
        ['1', '2'],
        ['3', '4'],
      ],
    ],
    ['SELECT 5::int4 AS v', 5],
    ['SELECT 0.5::float8 AS v', 0.5],
    ['SELECT 1.50::numeric AS v', '1.50'],
    ['SELECT true AS v', true],
    ['SELECT NULL::int8 AS v', null],
    [`SELECT '{"a":[1,null,"ü"]}'::jsonb AS v`, { a: [1, null, 'ü'] }],
    [`SELECT '[1]'::json AS v`, [1]],
    ["SELECT '\\x00ff10'::bytea AS v", Buffer.from([0, 255, 16])],
    ["SELECT '2026-03-29 01:30:00.123+00'::timestamptz AS v", new Date('2026-03-29T01:30:00.123Z')],
    ["SELECT 'infinity'::timestamptz AS v", Infinity],
    ["SELECT '2026-02-03'::date AS v", new Date(2026, 1, 3)],
    [`SELECT '{a,"b c",NULL}'::text[] AS v`, ['a', 'b c', null]],
  ])('%s', async (text, expected) => {
    expect((await pool.query(text)).rows).toEqual([{ v: expected }]);
    expect((await pool.query(`${text} WHERE $1`, [true])).rows).toEqual([{ v: expected }]);
  });

  it('takes parameters as node-postgres does', async () => {
    const at = new Date('2026-07-01T10:20:30.456Z');
    const { rows } = await pool.query(
      `SELECT $1::timestamptz AS at, $2::bytea AS bytes, $3::text[] AS words, $4::jsonb AS object, $5::int8 AS big,
              $6::text AS missing, $7::int8 AS number, $8::boolean AS flag, $9::jsonb AS text, $10::int4[] AS ids`,
      [
        at,
        Buffer.from('äb'),
        ['a', 'b"\\c', null, 'NULL', '{}', ''],
        { deep: { list: [1, 'x'] } },
        '9007199254740993',
        undefined,
        12,
        'true',
        JSON.stringify([1, 2]),
        [3, 4],
      ],
    );
    expect(rows).toEqual([
      {
        at,
        bytes: Buffer.from('äb'),
        words: ['a', 'b"\\c', null, 'NULL', '{}', ''],
        object: { deep: { list: [1, 'x'] } },
        big: '9007199254740993',
        missing: null,
        number: '12',
        flag: true,
        text: [1, 2],
        ids: [3, 4],
      },
    ]);
  });

  it('gives back any text, list and object that went in', async () => {
    const text = fc.string({ unit: 'grapheme' }).map((value) => value.replaceAll('\u0000', ''));
    await fc.assert(
      fc.asyncProperty(
        text,
        fc.array(fc.option(text)),
        fc.dictionary(text, fc.option(text)),
        async (a, b, c) => {
          const { rows } = await pool.query('SELECT $1::text AS a, $2::text[] AS b, $3::jsonb AS c', [
            a,
            b,
            c,
          ]);
          expect(rows).toEqual([{ a, b, c: { ...c } }]);
        },
      ),
      { numRuns: 50 },
    );
  });

  it('counts rows where the command has a count', async () => {
    expect(await pool.query('INSERT INTO item VALUES (1), (2)')).toMatchObject({ rowCount: 2 });
    expect(await pool.query('UPDATE item SET note = $1 WHERE id < 3', ['n'])).toMatchObject({ rowCount: 2 });
    expect(await pool.query('SELECT * FROM item WHERE id < 3')).toMatchObject({ rowCount: 2 });
    expect(await pool.query('CREATE TEMP TABLE scratch ()')).toMatchObject({ rowCount: null, rows: [] });
  });

  it('runs many statements in one text and returns the last result', async () => {
    const text = "INSERT INTO item VALUES (11, 'a;b'); SELECT 1 AS n; SELECT 2 AS n";
    expect(await pool.query(text)).toMatchObject({ rows: [{ n: 2 }], rowCount: 1 });
    expect(await pool.query(text.replace('11,', '19,'), [])).toMatchObject({ rows: [{ n: 2 }] });
    const { rows } = await pool.query('SELECT id FROM item WHERE id IN (11, 19) ORDER BY id');
    expect(rows).toEqual([{ id: 11 }, { id: 19 }]);
  });

  it('keeps code and detail of an error and drops its parameters', async () => {
    const error: unknown = await pool.query('SELECT $1::int4', ['CANARY']).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: '22P02' });
    expect(Object.keys(error as object)).not.toEqual(expect.arrayContaining(['params', 'query']));
  });
});
