import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseIsoDate } from './dates.ts';

test.each([
  ['2026-04-12', '2026-04-12T00:00:00.000Z'],
  ['2026-04-12T18:30', '2026-04-12T18:30:00.000Z'],
  ['2026-04-12 18:30:05', '2026-04-12T18:30:05.000Z'],
  ['2026-04-12T18:30:05.1239Z', '2026-04-12T18:30:05.123Z'],
  ['2026-04-12T18:30:05+02:00', '2026-04-12T16:30:05.000Z'],
  ['2026-04-12t18:30:05-0530', '2026-04-13T00:00:05.000Z'],
  ['2024-02-29', '2024-02-29T00:00:00.000Z'],
  ['0044-03-15', '0044-03-15T00:00:00.000Z'],
])('%s is %s', (text, iso) => {
  expect(parseIsoDate(text)).toEqual({ ok: true, ms: Date.parse(iso) });
});

test.each([
  '2026-02-30',
  '2025-02-29',
  '2026-04-31',
  '2026-00-10',
  '2026-13-01',
  '2026-01-00',
  '2026-01-01T24:00:00Z',
  '2026-01-01T10:60:00Z',
  '2026-01-01T10:00:60Z',
  '2026-01-01T10:00:00+24:00',
  '0000-06-01',
  '0001-01-01T00:00:00+01:00',
])('%s does not exist', (text) => {
  expect(parseIsoDate(text)).toEqual({ ok: false, why: 'impossible' });
});

test.each([
  '',
  'yesterday',
  '2026',
  '2026-4-12',
  '12.04.2026',
  '2026-04-12T18',
  '2026-04-12Z',
  ' 2026-04-12',
  '1790000000',
])('"%s" is not a date', (text) => {
  expect(parseIsoDate(text)).toEqual({ ok: false, why: 'unparseable' });
});

test('every instant of the years 1 to 9999 is read back from its ISO form', () => {
  const min = Date.parse('0001-01-01T00:00:00Z');
  const max = Date.parse('9999-12-31T23:59:59.999Z');
  fc.assert(
    fc.property(fc.integer({ min, max }), (ms) => {
      expect(parseIsoDate(new Date(ms).toISOString())).toEqual({ ok: true, ms });
    }),
  );
});
