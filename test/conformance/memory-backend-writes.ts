import { isMemoryError } from '@slowwave/workspace';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { CODE_POINT } from '../fixtures/code-point.ts';
import { type About, code, rejectsAs } from './memory-backend-setup.ts';

export function textStatements({ context }: About): void {
  const texts: [string, string][] = [
    ['nothing', ''],
    ['a line', '# Project Memory\n'],
    ['unicode', '# プロジェクトメモリ\n\n日本語のテスト 🎉 é é'],
    ['CRLF', 'a\r\nb\r\n\r\nc'],
    ['a byte order mark', '\uFEFFtext'],
    ['100,000 characters', 'x'.repeat(100_000)],
  ];
  it.each(texts)('CT-02 what is written is read byte for byte: %s', async (_, text) => {
    const { backend, project } = context();
    const root = await project();
    expect(await backend.write(root, text)).toMatchObject({ success: true, backend: backend.type });
    expect(await backend.read(root)).toMatchObject({ content: text, exists: true, backend: backend.type });
    if (backend.exists) expect(await backend.exists(root)).toBe(true);
  });

  it('CT-02 any text is read as it was written, or refused as UNSUPPORTED', async () => {
    const { backend, project } = context();
    const root = await project();
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: CODE_POINT, maxLength: 200 }), async (text) => {
        try {
          await backend.write(root, text);
        } catch (error) {
          return text.includes('\0') && isMemoryError(error, 'UNSUPPORTED');
        }
        return (await backend.read(root)).content === text;
      }),
      { numRuns: 50 },
    );
  });

  it.each(['a\0b', 'half \uD83C of a character'])('CT-02 text that cannot be stored: %j', async (text) => {
    const { backend, project } = context();
    const root = await project();
    await backend.write(root, 'before');
    await rejectsAs(backend.write(root, text), 'UNSUPPORTED');
    await rejectsAs(backend.writeFile!(root, 'DREAMS.md', text), 'UNSUPPORTED');
    expect((await backend.read(root)).content).toBe('before');
    expect(await backend.read(root)).not.toHaveProperty('degraded');
  });

  it('CT-03 of 20 writers at once one stays, whole, and nothing else', async () => {
    const { backend, project, names } = context();
    const root = await project();
    const texts = Array.from({ length: 20 }, (_, i) => `writer ${i} `.repeat(500 + 37 * i));
    const results = await Promise.allSettled(texts.map((text) => backend.write(root, text)));
    for (const result of results)
      if (result.status === 'rejected') expect(result.reason).toEqual(code('CONFLICT'));
    expect(results.some((result) => result.status === 'fulfilled')).toBe(true);
    expect(texts).toContain((await backend.read(root)).content);
    expect(await names(root)).toEqual(['MEMORY.md']);
  });

  it('CT-03 of 10 additions at once each is there once', async () => {
    const { backend, project } = context();
    if (!backend.append) return;
    const root = await project();
    await backend.writeFile!(root, '2026-04-19.md', '# Notes');
    const notes = Array.from({ length: 10 }, (_, i) => `- note ${i}`);
    await Promise.all(notes.map((note) => backend.append!(root, '2026-04-19.md', note)));
    const { content } = await backend.readFile!(root, '2026-04-19.md');
    expect(content.startsWith('# Notes\n')).toBe(true);
    expect(content.trimEnd().split('\n').slice(1).sort()).toEqual(notes);
  });
}

export function stateStatements({ context }: About): void {
  it('CT-15 two projects of one name never see each other', async () => {
    const { backend, project } = context();
    const [mine, other] = [await project(), await project()];
    expect(mine.split('/').at(-1)).toBe(other.split('/').at(-1));
    await backend.write(mine, 'mine alone');
    await backend.writeFile!(mine, '2026-04-19.md', 'mine alone');
    expect(await backend.read(other)).toMatchObject({ content: '', exists: false });
    if (backend.exists) expect(await backend.exists(other)).toBe(false);
    expect(await backend.list!(other)).toEqual([]);
    expect(await backend.search!(other, { query: 'alone' })).toEqual([]);
    await rejectsAs(backend.get!(other, { path: '2026-04-19.md' }), 'NOT_FOUND');
    await rejectsAs(backend.readFile!(other, 'MEMORY.md'), 'NOT_FOUND');
    await backend.append!(other, 'MEMORY.md', 'of the other');
    expect((await backend.read(mine)).content).toBe('mine alone');
  });

  it('CT-16 a write that expects something else is refused', async () => {
    const { backend, project } = context();
    const root = await project();
    const first = await backend.write(root, 'first', { expectedVersion: null });
    expect(first.version).toBe((await backend.read(root)).version);
    await rejectsAs(backend.write(root, 'x', { expectedVersion: null }), 'CONFLICT');
    await rejectsAs(backend.write(root, 'x', { expectedVersion: '0'.repeat(64) }), 'CONFLICT');
    expect((await backend.read(root)).content).toBe('first');
    const second = await backend.write(root, 'second', { expectedVersion: first.version! });
    await rejectsAs(backend.write(root, 'x', { expectedVersion: first.version! }), 'CONFLICT');
    await backend.writeFile!(root, 'MEMORY.md', 'third', { expectedVersion: second.version! });
    expect((await backend.read(root)).content).toBe('third');
  });

  it('CT-16 of 10 writers that expect the same, one wins', async () => {
    const { backend, project } = context();
    const root = await project();
    const { version } = await backend.write(root, 'start');
    const writes = Array.from({ length: 10 }, (_, i) =>
      backend.write(root, `${i}`, { expectedVersion: version! }),
    );
    const results = await Promise.allSettled(writes);
    expect(results.filter((result) => result.status === 'fulfilled')).toHaveLength(1);
    for (const result of results)
      if (result.status === 'rejected') expect(result.reason).toEqual(code('CONFLICT'));
  });

  it('CT-17 over the quota nothing is written', async () => {
    const { project, limited } = context();
    if (!limited) return;
    const root = await project();
    const backend = await limited(root);
    await backend.write(root, 'small');
    await rejectsAs(backend.write(root, 'x'.repeat(5_000)), 'QUOTA_EXCEEDED');
    await rejectsAs(backend.writeFile!(root, 'DREAMS.md', 'é'.repeat(900)), 'QUOTA_EXCEEDED');
    expect((await backend.read(root)).content).toBe('small');
    await rejectsAs(backend.readFile!(root, 'DREAMS.md'), 'NOT_FOUND');
  });

  it('CT-18 a store that does not answer is told as such', async () => {
    const { project, down } = context();
    if (!down) return;
    const root = await project();
    const backend = await down();
    await rejectsAs(backend.read(root), 'BACKEND_UNAVAILABLE');
    await rejectsAs(backend.write(root, 'x'), 'BACKEND_UNAVAILABLE');
    await rejectsAs(backend.get!(root, { path: 'MEMORY.md' }), 'BACKEND_UNAVAILABLE');
    if (backend.exists) await rejectsAs(backend.exists(root), 'BACKEND_UNAVAILABLE');
  });
}
