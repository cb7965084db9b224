import { expect, test } from 'vitest';
import { CANARY, read, readOne } from '../../../../test/fixtures/import-lines.ts';
import { userOfLine } from '../export/restore-user.ts';
import { lineOf, type UserRecord } from './record.ts';

const wrong: [what: string, fields: Record<string, unknown>, code: string, field: string | null][] = [
  ['missing content', { content: undefined }, 'missing', 'content'],
  ['null content', { content: null }, 'missing', 'content'],
  ['content that is not text', { content: 7 }, 'wrong_type', 'content'],
  ['blank content', { content: ' \n\t\u00a0' }, 'empty', 'content'],
  ['a memory of 1 MB', { content: 'x'.repeat(1024 * 1024) }, 'too_long', 'content'],
  ['content one character too long', { content: '😀'.repeat(32_769) }, 'too_long', 'content'],
  ['NUL in content', { content: `a\u0000${CANARY}` }, 'nul', 'content'],
  ['half a surrogate pair in content', { content: `a\ud83d${CANARY}` }, 'lone_surrogate', 'content'],
  ['no user', { user: undefined }, 'missing', 'user'],
  ['an empty user', { user: '' }, 'empty', 'user'],
  ['a user with a line break', { user: `a\n${CANARY}` }, 'control_character', 'user'],
  ['a user name of 201 characters', { user: 'u'.repeat(201) }, 'too_long', 'user'],
  ['a tenant that is not text', { tenant: 1 }, 'wrong_type', 'tenant'],
  ['an id of 201 characters', { id: 'é'.repeat(201) }, 'too_long', 'id'],
  ['an id with a control character', { id: 'a\u0007' }, 'control_character', 'id'],
  ['an id with half a surrogate pair', { id: '\udc00' }, 'lone_surrogate', 'id'],
  ['the user ..', { user: '..' }, 'not_allowed', 'user'],
  ['the tenant .', { tenant: '.' }, 'not_allowed', 'tenant'],
  ['the id ..', { id: '..' }, 'not_allowed', 'id'],
  ['an id that is a number', { id: 17 }, 'wrong_type', 'id'],
  ['a session with NUL', { session: 'a\u0000' }, 'nul', 'session'],
  ['an unknown category', { category: CANARY }, 'not_allowed', 'category'],
  ['no category', { category: undefined }, 'missing', 'category'],
  ['a derived memory', { memoryType: 'derived' }, 'not_allowed', 'memoryType'],
  ['a superseded memory', { memoryType: 'superseded' }, 'not_allowed', 'memoryType'],
  ['an unknown source', { source: 'model' }, 'not_allowed', 'source'],
  ['an unknown visibility', { visibility: 'public' }, 'not_allowed', 'visibility'],
  ['importance 0', { importance: 0 }, 'out_of_range', 'importance'],
  ['importance 11', { importance: 11 }, 'out_of_range', 'importance'],
  ['importance 5.5', { importance: 5.5 }, 'out_of_range', 'importance'],
  ['importance as text', { importance: '5' }, 'wrong_type', 'importance'],
  ['confidence above 1', { confidence: 1.01 }, 'out_of_range', 'confidence'],
  ['negative trust', { trust: -0.01 }, 'out_of_range', 'trust'],
  ['no date', { date: undefined }, 'missing', 'date'],
  ['30 February', { date: '2026-02-30' }, 'invalid_date', 'date'],
  ['a date in words', { date: CANARY }, 'invalid_date', 'date'],
  ['a date as a number', { date: 1_790_000_000_000 }, 'wrong_type', 'date'],
  ['the year 1', { date: '0001-01-01T00:00:00Z' }, 'early_date', 'date'],
  ['a date before 1971', { date: '1970-12-31T23:59:59.999Z' }, 'early_date', 'date'],
  ['a date more than a day ahead', { date: '2026-11-16T12:00:00.001Z' }, 'future_date', 'date'],
  ['an impossible event date', { eventDate: '2026-13-01' }, 'invalid_date', 'eventDate'],
  [
    'validity that ends before it begins',
    { validFrom: '2026-02-02', validTo: '2026-02-01' },
    'out_of_range',
    'validTo',
  ],
  ['an impossible expiry', { expiresAt: '2026-01-01T24:00:00Z' }, 'invalid_date', 'expiresAt'],
  ['relations that are no list', { relations: {} }, 'wrong_type', 'relations'],
  ['a relation that is no object', { relations: ['m-0'] }, 'wrong_type', 'relations[0]'],
  ['a relation without a target', { relations: [{ type: 'EXTENDS' }] }, 'missing', 'relations[0].target'],
  ['a relation without a type', { relations: [{ target: 'm-0' }] }, 'missing', 'relations[0].type'],
  [
    'a relation of an unknown type',
    { relations: [{ type: 'EXTEND', target: 'a' }] },
    'not_allowed',
    'relations[0].type',
  ],
  [
    'a claimed lineage',
    { relations: [{ type: 'DERIVES', target: 'a' }] },
    'not_allowed',
    'relations[0].type',
  ],
  [
    'a relation with an odd confidence',
    { relations: [{ type: 'EXTENDS', target: 'a', confidence: 2 }] },
    'out_of_range',
    'relations[0].confidence',
  ],
  [
    'a relation with another field',
    { relations: [{ type: 'EXTENDS', target: 'a', [CANARY]: 1 }] },
    'unknown_field',
    'relations[0]',
  ],
  [
    'a relation to itself',
    { relations: [{ type: 'EXTENDS', target: 'm-1' }] },
    'self_relation',
    'relations[0]',
  ],
  [
    'a relation given twice',
    {
      relations: [
        { type: 'EXTENDS', target: 'a' },
        { type: 'EXTENDS', target: 'a', confidence: 0.5 },
      ],
    },
    'duplicate_relation',
    'relations[1]',
  ],
  [
    '65 relations',
    { relations: Array.from({ length: 65 }, (_, i) => ({ type: 'EXTENDS', target: `${i}` })) },
    'too_many',
    'relations',
  ],
  ['metadata that is a list', { metadata: [CANARY] }, 'wrong_type', 'metadata'],
  ['metadata with NUL in a name', { metadata: { a: { 'b\u0000': 1 } } }, 'nul', 'metadata'],
  ['metadata with half a surrogate pair', { metadata: { a: ['\ud800'] } }, 'lone_surrogate', 'metadata'],
  ['metadata with a rounded number', { metadata: { a: 2 ** 53 } }, 'unsafe_number', 'metadata'],
  ['metadata of 300 KB', { metadata: { a: 'x'.repeat(300_000) } }, 'too_long', 'metadata'],
  [
    'a field in the place of an earlier one',
    { mood: 1, metadata: { import: { mood: 2 } } },
    'metadata_conflict',
    'metadata',
  ],
  [
    'a field beside metadata.import in other use',
    { mood: 1, metadata: { import: 'x' } },
    'metadata_conflict',
    'metadata',
  ],
  ['an unknown kind', { kind: CANARY }, 'not_allowed', 'kind'],
];

test.each(wrong)('%s is refused', async (_what, fields, code, field) => {
  const line = await readOne(fields);
  expect(line).toMatchObject({ ok: false, line: 1, reason: { code, field, problems: [{ code, field }] } });
  expect(JSON.stringify(line)).not.toContain(CANARY);
});

const wrongUsers: [what: string, fields: Record<string, unknown>, code: string, field: string | null][] = [
  ['a zone that does not exist', { timezone: 'Europe/Hamburg' }, 'invalid_zone', 'timezone'],
  ['a zone that is an offset', { timezone: '+02:00' }, 'invalid_zone', 'timezone'],
  ['a time that does not exist', { quietStart: '24:00', quietEnd: '05:00' }, 'out_of_range', 'quietStart'],
  ['a time as a number', { quietStart: 120, quietEnd: '05:00' }, 'out_of_range', 'quietStart'],
  ['quiet hours without an end', { quietStart: '02:00' }, 'missing', 'quietStart'],
  ['a field that is not known', { [CANARY]: 1 }, 'unknown_field', null],
  ['no name', { user: undefined }, 'missing', 'user'],
  ['the name .', { user: '.' }, 'not_allowed', 'user'],
];

test.each(wrongUsers)('of a user, %s is refused', async (_what, fields, code, field) => {
  const [line] = await read(JSON.stringify({ kind: 'user', user: 'mara', ...fields }));
  expect(line).toMatchObject({ ok: false, reason: { code, field } });
  expect(JSON.stringify(line)).not.toContain(CANARY);
});

test('userOfLine: the user .. of an export, is refused', () => {
  const line = { kind: 'user', tenant: 't', user: '..', state: {} };
  expect(() => userOfLine({ tenant: 't', user: '..' }, line)).toThrow('user must not be');
});

test('a user line gives zone and quiet hours, in minutes after midnight', async () => {
  const [line, bare] = await read(
    '{"kind":"user","user":"mara","timezone":"Europe/Berlin","quietStart":"23:30","quietEnd":"05:00"}\n' +
      '{"kind":"user","user":"kenji"}',
  );
  const mara: UserRecord = {
    kind: 'user',
    tenant: 'default',
    user: 'mara',
    timezone: 'Europe/Berlin',
    quietStart: 1410,
    quietEnd: 300,
  };
  expect(line).toMatchObject({ ok: true, record: mara });
  expect(bare).toMatchObject({ ok: true, record: { timezone: null, quietStart: null, quietEnd: null } });
  expect((await read(lineOf(mara)))[0]).toMatchObject({ record: mara });
});
