import { expect, test } from 'vitest';
import { CANARY, good, NOW, read } from '../../../../test/fixtures/import-lines.ts';
import { ImportError } from './errors.ts';
import { type ImportedLine, parseImport } from './parse.ts';

const bytesOf = (...parts: (string | number[])[]): Uint8Array[] =>
  parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Uint8Array.from(part)));

test('what is not an object on one line is refused, with a hint and without its text', async () => {
  const lines = await read(`[{"content":"${CANARY}"}]\n{"content":\n"${CANARY}"\n17\nnull\n${CANARY}\n`, {
    format: 'jsonl',
  });
  expect(lines.map((line) => !line.ok && line.reason.code)).toEqual([
    'not_object',
    'invalid_json',
    'not_object',
    'not_object',
    'not_object',
    'invalid_json',
  ]);
  expect(lines.map((line) => line.line)).toEqual([1, 2, 3, 4, 5, 6]);
  expect(JSON.stringify(lines)).toContain('does not end on its line');
  expect(JSON.stringify(lines)).not.toContain(CANARY);
});

test('the same line again is a duplicate; the same id with anything else is a mistake', async () => {
  const again = { ...good, id: undefined };
  const file = [
    good,
    { ...good },
    { ...good, content: CANARY },
    { ...good, importance: 9 },
    { ...good, user: 'kenji' },
    { ...good, tenant: 'other' },
    again,
    { ...again },
    { kind: 'user', user: 'mara', timezone: 'UTC' },
    { kind: 'user', user: 'mara', timezone: 'UTC' },
    { kind: 'user', user: 'mara', timezone: 'Asia/Tokyo' },
  ];
  const lines = await read(file.map((line) => JSON.stringify(line)).join('\n'));
  expect(lines.map((line) => (line.ok ? line.duplicateOf : line.reason.code))).toEqual([
    null,
    1,
    'id_reused',
    'id_reused',
    null,
    null,
    null,
    7,
    null,
    9,
    'user_reused',
  ]);
  expect(JSON.stringify(lines[2])).toContain('line 1');
});

test('a line without an id is known by what it says, on whatever day it is read', async () => {
  const bare = '{"user":"u","content":"x","category":"fact"}';
  const idOn = async (text: string, date: number) => {
    const [line] = await read(text, { defaults: { date } });
    return line?.ok && line.record.kind === 'memory' ? line.record.externalId : null;
  };
  const [one, two] = [Date.UTC(2026, 0, 1), Date.UTC(2026, 0, 2)];
  const first = await idOn(bare, one);
  expect(first).toMatch(/^line:[0-9a-f]{64}$/);
  expect(await idOn(bare, two)).toBe(first);
  expect(await idOn(bare.replace('fact', 'event'), one)).not.toBe(first);
  expect(await idOn(bare.replace('"x"', '"x "'), one)).not.toBe(first);
  expect(await idOn(bare.replace('}', ',"date":"2026-01-01"}'), one)).not.toBe(first);
});

test('plain text is one memory a line', async () => {
  const lines = await read('\ufeff  Likes tea \r\n\r\n \nDrinks it at 4\nLikes tea\na\u0000b', {
    format: 'text',
    defaults: { user: 'tom' },
  });
  expect(lines.map((line) => line.line)).toEqual([1, 4, 5, 6]);
  expect(lines[0]).toMatchObject({
    ok: true,
    record: { user: 'tom', content: 'Likes tea', category: 'fact', date: NOW },
  });
  expect(lines[2]).toMatchObject({ ok: true, duplicateOf: 1 });
  expect(lines[3]).toMatchObject({ ok: false, reason: { code: 'nul' } });
});

test('parseImport: lines of plain text without a letter or a digit, are no memories', async () => {
  const text = '```\n---\nLikes tea\n***\n…\n茶\n7\n```\n';
  const lines = await read(text, { format: 'text', defaults: { user: 'tom' } });
  expect(lines.map((line) => line.line)).toEqual([3, 6, 7]);
  expect(await read('{}\n---\n', { format: 'jsonl' })).toMatchObject([
    { line: 1, ok: false },
    { line: 2, ok: false },
  ]);
});

test('parseImport: a day in brackets before a line of plain text, is when it was said if it can be', async () => {
  const text = [
    '[2025-03-04] - Rosa prefers mornings.',
    '[2025-09-12]: Rosa has an oven.',
    '[2025-09-13] Rosa has an oven.',
    '[2026-11-16] Nora is ahead.',
    '[2026-11-17] Nora is too far ahead.',
    '[2025-02-30] No such day.',
    '[1969-01-01] Too early.',
    '[unknown] - Rosa never works on Mondays.',
    '[2025-03-04](day.md) is a link.',
    '[2025-03-04]',
  ].join('\n');
  const lines = await read(text, { format: 'text', defaults: { user: 'tom' } });
  expect(
    lines.map((line) =>
      line.ok && line.record.kind === 'memory'
        ? [new Date(line.record.date).toISOString().slice(0, 10), line.record.content]
        : line,
    ),
  ).toEqual([
    ['2025-03-04', 'Rosa prefers mornings.'],
    ['2025-09-12', 'Rosa has an oven.'],
    ['2025-09-13', 'Rosa has an oven.'],
    ['2026-11-16', 'Nora is ahead.'],
    ['2026-11-15', '[2026-11-17] Nora is too far ahead.'],
    ['2026-11-15', '[2025-02-30] No such day.'],
    ['2026-11-15', '[1969-01-01] Too early.'],
    ['2026-11-15', '[unknown] - Rosa never works on Mondays.'],
    ['2026-11-15', '[2025-03-04](day.md) is a link.'],
    ['2026-11-15', '[2025-03-04]'],
  ]);
  expect(lines.every((line) => line.ok && line.duplicateOf === null)).toBe(true);
});

test('plain text needs a user and a date from somewhere', async () => {
  await expect(read('Likes tea')).rejects.toMatchObject({ name: 'ImportError', code: 'user_required' });
  const undated = read('Likes tea', { now: undefined, defaults: { user: 'tom' } });
  await expect(undated).rejects.toMatchObject({ code: 'date_required' });
});

test('wrong defaults are told at once, all together', async () => {
  const defaults = { user: '', tenant: 'a\n', importance: 11, date: Number.NaN, category: 'x', source: 'y' };
  const error = await read('', { defaults: defaults as never }).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(ImportError);
  for (const field of Object.keys(defaults)) expect((error as ImportError).message).toContain(`${field} `);
});

test('parseImport: the user or the tenant . or .. for all lines, is refused at once', async () => {
  for (const name of ['user', 'tenant'])
    for (const value of ['.', '..'])
      await expect(read('x', { defaults: { user: 'tom', [name]: value } })).rejects.toThrow(
        `${name} must not be "." or "..", which no address can hold`,
      );
  expect(await read('x', { format: 'text', defaults: { user: '...' } })).toMatchObject([{ ok: true }]);
});

test('the format follows the file name, else the first line that is not blank', async () => {
  const json = JSON.stringify(good);
  const defaults = { user: 'tom' };
  expect(await read(`\n \n${json}`)).toMatchObject([{ ok: true, record: { content: good.content } }]);
  expect(await read(json, { fileName: 'a.txt', defaults })).toMatchObject([
    { ok: true, record: { content: json } },
  ]);
  expect(await read('hello', { fileName: 'a.jsonl' })).toMatchObject([
    { ok: false, reason: { code: 'invalid_json' } },
  ]);
  expect(await read('[x] hello', { defaults })).toMatchObject([
    { ok: true, record: { content: '[x] hello' } },
  ]);
});

test('bytes: marks, line ends of Windows, broken UTF-8 and a last line without an end', async () => {
  const json = JSON.stringify(good);
  const second = JSON.stringify({ ...good, id: 'm-2', content: 'Grüße 😀' });
  const lines = await read(
    bytesOf(
      [0xef, 0xbb, 0xbf],
      `${json}\r\n`,
      [0x7b, 0xff, 0x7d, 0x0a],
      [0xed, 0xa0, 0x80, 0x0a],
      '\r\n',
      second,
    ),
    { format: 'jsonl' },
  );
  expect(lines.map((line) => (line.ok ? line.line : [line.line, line.reason.code]))).toEqual([
    1,
    [2, 'invalid_utf8'],
    [3, 'invalid_utf8'],
    5,
  ]);
  expect(lines[3]).toMatchObject({ record: { content: 'Grüße 😀' } });
});

test.each([
  ['UTF-16', [0xff, 0xfe, 0x7b, 0x00]],
  ['gzip', [0x1f, 0x8b, 0x08]],
  ['a zip archive', [0x50, 0x4b, 0x03, 0x04]],
])('%s ends with one line that says so', async (_what, head) => {
  const lines = await read(bytesOf(head, [0x0a], 'more\nlines\n'), { format: 'jsonl' });
  expect(lines).toMatchObject([{ ok: false, line: 1, reason: { code: 'not_text' } }]);
});

test('a line above the limit is told with its size and passed over', async () => {
  const json = JSON.stringify(good);
  const limits = { lineBytes: json.length };
  const expected = [
    {
      ok: false,
      line: 1,
      reason: { code: 'line_too_long', message: expect.stringContaining(`${json.length + 1} bytes`) },
    },
    { ok: true, line: 2 },
  ];
  expect(await read(`${json} \n${json}`, { limits })).toMatchObject(expected);
  expect(await read(bytesOf(`${json} `, `\n${json}`), { limits })).toMatchObject(expected);
});

test('a long line that comes in pieces is whole', async () => {
  const content = Array.from({ length: 6000 }, (_, position) => `${position} `).join('');
  const bytes = Buffer.from(JSON.stringify({ ...good, content }));
  const pieces = Array.from({ length: 50 }, (_, part) => bytes.subarray(part * 1000, (part + 1) * 1000));
  expect(await read(pieces)).toMatchObject([{ ok: true, record: { content } }]);
});

test('an endless line is counted, not kept', async () => {
  const piece = Buffer.alloc(1024 * 1024, 0x78);
  function* endless(): Generator<Uint8Array> {
    for (let megabytes = 0; megabytes < 2000; megabytes++) yield piece;
    yield Buffer.from(`\n${JSON.stringify(good)}\n`);
  }
  const before = process.memoryUsage().arrayBuffers;
  const lines = await read(endless(), { format: 'jsonl' });
  expect(lines).toMatchObject([
    {
      ok: false,
      line: 1,
      reason: { code: 'line_too_long', message: expect.stringContaining('2,097,152,000') },
    },
    { ok: true, line: 2 },
  ]);
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(64 * 1024 * 1024);
});

test('a file of too many lines says where it stopped', async () => {
  const text = [1, 2, 3, 4].map((id) => JSON.stringify({ ...good, id: `${id}` })).join('\n');
  const expected = [{ ok: true }, { ok: true }, { ok: false, line: 3, reason: { code: 'too_many_lines' } }];
  const limits = { lines: 2 };
  expect(await read(text, { limits })).toMatchObject(expected);
  expect(await read(bytesOf(`${text}\n`), { limits })).toMatchObject(expected);
  expect(await read(text, { limits: { lines: 4 } })).toHaveLength(4);
  // The last line's end begins no further line.
  expect(await read(bytesOf(`${text}\n`), { limits: { lines: 4 } })).toHaveLength(4);
  expect((await read(bytesOf(text), { limits: { lines: 3 } }))[3]).toMatchObject({ ok: false, line: 4 });
});

test('a stream that breaks off is not taken for the end of the file', async () => {
  async function* broken(): AsyncGenerator<Uint8Array> {
    yield Buffer.from(`${JSON.stringify(good)}\n`);
    throw new Error('disk gone');
  }
  const seen: ImportedLine[] = [];
  const reading = async () => {
    for await (const line of parseImport(broken())) seen.push(line);
  };
  await expect(reading()).rejects.toThrow('disk gone');
  expect(seen).toHaveLength(1);
});
