import { CATEGORIES } from '@slowwave/fusion';
import { expect, test } from 'vitest';
import { good, NOW, read, readOne } from '../../../../test/fixtures/import-lines.ts';
import type { ImportOptions } from './parse.ts';
import { IMPORT_MEMORY_TYPES, lineOf, type MemoryRecord } from './record.ts';

async function memoryOf(fields: Record<string, unknown>, options: ImportOptions = {}): Promise<MemoryRecord> {
  const line = await readOne(fields, options);
  if (!line.ok || line.record.kind !== 'memory') throw new Error(`not a memory: ${JSON.stringify(line)}`);
  return line.record;
}

test('a line with the required fields gets every default', async () => {
  expect(await readOne({})).toEqual({
    ok: true,
    line: 1,
    duplicateOf: null,
    unknown: [],
    record: {
      kind: 'memory',
      tenant: 'default',
      user: 'mara',
      externalId: 'm-1',
      content: good.content,
      category: 'fact',
      memoryType: 'regular',
      importance: 5,
      confidence: 0.8,
      trust: 0.8,
      source: 'import',
      session: null,
      visibility: 'private',
      date: Date.parse('2026-04-12T18:30:00Z'),
      eventDate: null,
      validFrom: null,
      validTo: null,
      expiresAt: null,
      relations: [],
      metadata: {},
    },
  });
});

test('every field of a line arrives, and nulls count as absent', async () => {
  const record = await memoryOf({
    kind: 'memory',
    tenant: 'clinic',
    memoryType: 'static_profile',
    importance: 9,
    confidence: 0.4,
    trust: 0,
    source: 'tool',
    session: 's-1',
    visibility: 'shared',
    eventDate: '1944-06-06',
    validFrom: '2026-01-01',
    validTo: '2026-01-01',
    expiresAt: '2027-01-01',
    relations: [
      { type: 'EXTENDS', target: 'm-0', confidence: 0.7 },
      { type: 'UPDATES', target: 'm-0' },
    ],
    metadata: { tags: ['a'] },
  });
  expect(record).toMatchObject({
    tenant: 'clinic',
    memoryType: 'static_profile',
    importance: 9,
    confidence: 0.4,
    trust: 0,
    source: 'tool',
    session: 's-1',
    visibility: 'shared',
    eventDate: Date.parse('1944-06-06'),
    validFrom: Date.parse('2026-01-01'),
    validTo: Date.parse('2026-01-01'),
    expiresAt: Date.parse('2027-01-01'),
    relations: [
      { type: 'EXTENDS', target: 'm-0', confidence: 0.7 },
      { type: 'UPDATES', target: 'm-0', confidence: 1 },
    ],
    metadata: { tags: ['a'] },
  });
  const nulls = await memoryOf({
    importance: null,
    session: null,
    relations: null,
    metadata: null,
    kind: null,
  });
  expect(nulls).toEqual(await memoryOf({}));
});

test('defaults stand in where a line does not say, and only there', async () => {
  const defaults = {
    tenant: 't',
    user: 'u',
    date: Date.UTC(1971),
    category: 'event',
    importance: 3,
    source: 'tool',
  } as const;
  const [line] = await read('{"content":"x"}', { defaults });
  expect(line).toMatchObject({ ok: true, record: { ...defaults, content: 'x' } });
  expect(await memoryOf({}, { defaults })).toMatchObject({ user: 'mara', category: 'fact', importance: 3 });
});

test('all mistakes of a line are told together, sizes and nearest words named', async () => {
  const line = await readOne({ content: 'y'.repeat(40_000), category: 'Facts', importance: 0 });
  if (line.ok) throw new Error('expected a bad line');
  expect(line.reason.problems.map((problem) => problem.field)).toEqual(['content', 'category', 'importance']);
  expect(line.reason.message).toContain('content has 40,000 characters; the limit is 32,768');
  expect(line.reason.message).toContain(`one of ${CATEGORIES.join(', ')} (did you mean fact?)`);
  expect(line.reason.message).toContain('importance must be a whole number from 1 to 10');
});

test('limits are themselves allowed', async () => {
  const content = '😀'.repeat(32_768);
  expect((await memoryOf({ content, user: '😀'.repeat(200) })).content).toBe(content);
  expect((await memoryOf({ date: '2026-11-16T12:00:00Z' })).date).toBe(NOW + 86_400_000);
  expect(await readOne({ date: '2999-01-01' }, { now: undefined })).toMatchObject({ ok: true });
});

test('fields that are not known are kept, whatever they are called', async () => {
  const text = JSON.stringify({ ...good, mood: 'calm', metadata: { a: 1, import: { earlier: true } } });
  const [line] = await read(text.replace('{', '{"__proto__":{"polluted":true},'));
  if (!line?.ok || line.record.kind !== 'memory') throw new Error('expected a memory');
  expect(line.unknown.sort()).toEqual(['__proto__', 'mood']);
  expect(JSON.parse(JSON.stringify(line.record.metadata))).toEqual(
    JSON.parse('{"a":1,"import":{"earlier":true,"__proto__":{"polluted":true},"mood":"calm"}}'),
  );
  expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  expect((await read(lineOf(line.record)))[0]).toMatchObject({ record: { metadata: line.record.metadata } });
});

test('metadata nested deeper than the call stack is refused, not thrown at', async () => {
  const deep = `${'['.repeat(500_000)}${']'.repeat(500_000)}`;
  const text = JSON.stringify({ ...good, metadata: {} }).replace('{}', `{"a":${deep}}`);
  expect((await read(text))[0]).toMatchObject({ ok: false, reason: { code: 'too_deep' } });
});

test('a number too large for JSON to keep is refused, not stored as null', async () => {
  const text = JSON.stringify({ ...good, metadata: {} }).replace('{}', '{"a":1e999}');
  expect((await read(text))[0]).toMatchObject({ ok: false, reason: { code: 'unsafe_number' } });
});

test('the types that a file may give are those it is told', async () => {
  for (const memoryType of IMPORT_MEMORY_TYPES) {
    expect((await memoryOf({ memoryType })).memoryType).toBe(memoryType);
  }
});
