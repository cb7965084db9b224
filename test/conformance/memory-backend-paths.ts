import { expect, it } from 'vitest';
import { type About, rejectsAs } from './memory-backend-setup.ts';

/** Paths and the document that each means, null for UNSUPPORTED. */
export const PATH_TABLE: readonly [string, string | null][] = [
  ['MEMORY.md', 'MEMORY.md'],
  ['DREAMS.md', 'DREAMS.md'],
  ['2026-04-19.md', '2026-04-19.md'],
  ['2024-02-29.md', '2024-02-29.md'],
  ['memory/MEMORY.md', 'MEMORY.md'],
  ['memory/2026-04-19.md', '2026-04-19.md'],
  ['./MEMORY.md', 'MEMORY.md'],
  ['.//memory//MEMORY.md', 'MEMORY.md'],
  [' MEMORY.md ', 'MEMORY.md'],
  ['.fusion/memory/MEMORY.md', 'MEMORY.md'],
  ['.fusion\\memory\\MEMORY.md', 'MEMORY.md'],
  ['.fusion/memory/DREAMS.md', 'DREAMS.md'],
  ['memory/sub/2026-04-19.md', null],
  ['.fusion/memory/sub/MEMORY.md', null],
  ['.fusion/memory/../memory/MEMORY.md', null],
  ['../MEMORY.md', null],
  ['..\\MEMORY.md', null],
  ['MEMORY.md/..', null],
  ['/etc/passwd', null],
  ['/MEMORY.md', null],
  ['\\MEMORY.md', null],
  ['C:\\x\\MEMORY.md', null],
  ['C:MEMORY.md', null],
  ['memory.md', null],
  ['Memory.md', null],
  ['dreams.md', null],
  ['.fusion/memory.md', null],
  ['.FUSION/memory/MEMORY.md', null],
  ['.fusion/Memory/MEMORY.md', null],
  ['memory-insights.md', null],
  ['memory-audit.md', null],
  ['memory-audit-state.json', null],
  ['foo/2026-04-19.md', null],
  ['foo/MEMORY.md', null],
  ['2026-04-19-extra.md', null],
  ['2026-13-99.md', null],
  ['2026-02-29.md', null],
  ['2026-00-10.md', null],
  ['MEMORY.md.tmp', null],
  ['MEMORY.md/', null],
  ['.fusion/memory/', null],
  ['memory', null],
  ['.', null],
  ['MEMORY.md\0', null],
  ['MEM\0ORY.md', null],
  ['%2e%2e/MEMORY.md', null],
  [`${'a'.repeat(4096)}.md`, null],
  ['ＭEMORY.md', null],
];

export function pathStatements({ context }: About): void {
  it.each(PATH_TABLE)('CT-07 the path %j', async (path, document) => {
    const { backend, project, names } = context();
    const root = await project();
    if (document === null) {
      await rejectsAs(backend.get!(root, { path }), 'UNSUPPORTED');
      await rejectsAs(backend.readFile!(root, path), 'UNSUPPORTED');
      await rejectsAs(backend.writeFile!(root, path, 'x'), 'UNSUPPORTED');
      await rejectsAs(backend.append!(root, path, 'x'), 'UNSUPPORTED');
      expect(await names(root)).toEqual([]);
      return;
    }
    await rejectsAs(backend.get!(root, { path }), 'NOT_FOUND');
    await backend.writeFile!(root, path, 'hello');
    expect(await names(root)).toEqual([document]);
    expect(await backend.get!(root, { path })).toMatchObject({
      path: `.fusion/memory/${document}`,
      content: 'hello',
      backend: backend.type,
    });
  });

  it.each(['', '   ', '\n'])('CT-07 the blank path %j', async (path) => {
    const { backend, project } = context();
    const root = await project();
    await rejectsAs(backend.get!(root, { path }), 'NOT_FOUND');
    await rejectsAs(backend.writeFile!(root, path, 'x'), 'NOT_FOUND');
  });

  it('CT-11 our own reports are neither read, nor listed, nor found', async () => {
    const { backend, project, put } = context();
    const root = await project();
    for (const name of ['memory-insights.md', 'memory-audit.md']) {
      await put(root, name, 'secretword of a report');
      await rejectsAs(backend.get!(root, { path: name }), 'UNSUPPORTED');
      await rejectsAs(backend.get!(root, { path: `.fusion/memory/${name}` }), 'UNSUPPORTED');
    }
    await put(root, 'MEMORY.md', 'plain');
    expect(await backend.search!(root, { query: 'secretword' })).toEqual([]);
    expect((await backend.list!(root)).map((file) => file.path)).toEqual(['.fusion/memory/MEMORY.md']);
  });

  it('CT-11 documents are listed by layer, the newest day first, and listing creates none', async () => {
    const { backend, project, put, names } = context();
    const root = await project();
    for (const name of ['DREAMS.md', '2026-04-18.md', 'MEMORY.md', '2026-04-20.md'])
      await put(root, name, 'né');
    const files = await backend.list!(root);
    expect(files.map(({ path, layer, label, size }) => [path, layer, label, size])).toEqual([
      ['.fusion/memory/MEMORY.md', 'long-term', 'Long-term memory', 3],
      ['.fusion/memory/2026-04-20.md', 'daily', 'Daily notes 2026-04-20', 3],
      ['.fusion/memory/2026-04-18.md', 'daily', 'Daily notes 2026-04-18', 3],
      ['.fusion/memory/DREAMS.md', 'dreams', 'Dreams', 3],
    ]);
    for (const file of files) expect(new Date(file.updatedAt).toISOString()).toBe(file.updatedAt);
    expect(await names(root)).toHaveLength(4);
  });
}

export function windowStatements({ context }: About): void {
  const five = 'one\ntwo\nthree\r\nfour\n';
  const many = Array.from({ length: 500 }, (_, i) => `line ${i + 1}`).join('\n');
  const table: [string, string, object, object][] = [
    ['whole', five, {}, { content: five, startLine: 1, endLine: 5, totalLines: 5 }],
    ['lines', five, { startLine: 2, lineCount: 2 }, { content: 'two\nthree\r', startLine: 2, endLine: 3 }],
    ['fractions', five, { startLine: 2.9, lineCount: 1.5 }, { content: 'two', startLine: 2, endLine: 2 }],
    ['below 1', five, { startLine: -3, lineCount: 0 }, { content: 'one', startLine: 1, endLine: 1 }],
    ['past the end', five, { startLine: 9 }, { content: '', startLine: 9, endLine: 5, totalLines: 5 }],
    ['over the end', five, { startLine: 4, lineCount: 9 }, { content: 'four\n', startLine: 4, endLine: 5 }],
    ['no number', five, { startLine: Number.NaN, lineCount: Number.NaN }, { startLine: 1, endLine: 5 }],
    ['the default', many, {}, { startLine: 1, endLine: 120, totalLines: 500 }],
    ['the most', many, { startLine: 10, lineCount: 9_999 }, { startLine: 10, endLine: 409 }],
    ['without end', many, { lineCount: Number.POSITIVE_INFINITY }, { startLine: 1, endLine: 400 }],
    ['nothing', '', {}, { content: '', startLine: 1, endLine: 1, totalLines: 1 }],
  ];
  it.each(table)('CT-09 windows of lines: %s', async (_, text, options, expected) => {
    const { backend, project } = context();
    const root = await project();
    await backend.write(root, text);
    expect(await backend.get!(root, { path: 'MEMORY.md', ...options })).toMatchObject(expected);
  });
}
