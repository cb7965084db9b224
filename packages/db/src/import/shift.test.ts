import { expect, test } from 'vitest';
import { parseImport } from './parse.ts';
import type { ImportRecord } from './record.ts';
import { daysUntil, shiftDates } from './shift.ts';

const DAY = 86_400_000;

async function recordsOf(...lines: object[]): Promise<ImportRecord[]> {
  const records: ImportRecord[] = [];
  for await (const line of parseImport(lines.map((line) => JSON.stringify(line)).join('\n'))) {
    if (line.ok) records.push(line.record);
  }
  return records;
}

test('every time of a memory moves by the same days, and nothing else', async () => {
  const [memory, user] = await recordsOf(
    {
      user: 'u',
      content: 'x',
      category: 'fact',
      date: '2026-11-14T20:00:00Z',
      eventDate: '2026-11-13',
      validFrom: '2026-11-01',
      validTo: '2026-12-01',
      expiresAt: '2027-01-01',
    },
    { kind: 'user', user: 'u', timezone: 'UTC' },
  );
  const [shifted, sameUser] = shiftDates([memory!, user!], 10 * DAY);
  expect(shifted).toEqual({
    ...memory,
    date: Date.parse('2026-11-24T20:00:00Z'),
    eventDate: Date.parse('2026-11-23'),
    validFrom: Date.parse('2026-11-11'),
    validTo: Date.parse('2026-12-11'),
    expiresAt: Date.parse('2027-01-11'),
  });
  expect(sameUser).toEqual(user);
  expect(shiftDates(shiftDates([memory!], -3 * DAY), 3 * DAY)).toEqual([memory]);
});

test('times that a memory does not have stay absent', async () => {
  const [memory] = await recordsOf({ user: 'u', content: 'x', category: 'fact', date: '2026-11-14' });
  expect(shiftDates([memory!], DAY)[0]).toMatchObject({ eventDate: null, validTo: null, expiresAt: null });
});

test.each([1, DAY / 2, Number.NaN, Number.POSITIVE_INFINITY])('a shift by %s ms is refused', (delta) => {
  expect(() => shiftDates([], delta)).toThrow(expect.objectContaining({ code: 'invalid_shift' }));
});

test('the newest memory comes to lie within the last day, never ahead', () => {
  const newest = Date.parse('2026-11-14T20:00:00Z');
  const at = (now: string) => (newest + daysUntil(newest, Date.parse(now))) as number;
  expect(at('2027-03-02T21:00:00Z')).toBe(Date.parse('2027-03-02T20:00:00Z'));
  expect(at('2027-03-02T19:00:00Z')).toBe(Date.parse('2027-03-01T20:00:00Z'));
  expect(at('2026-01-01T20:00:00Z')).toBe(Date.parse('2026-01-01T20:00:00Z'));
});
