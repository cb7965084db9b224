import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { About } from './memory-backend-setup.ts';

const LONG = `${'word '.repeat(300)}needle ${'word '.repeat(300)}`;

export function searchStatements({ context }: About): void {
  /** Searches, and holds every hit against what `get` returns for it. */
  async function search(root: string, query: string, limit?: number) {
    const { backend } = context();
    const hits = await backend.search!(root, { query, limit });
    for (const hit of hits) {
      const lineCount = hit.lineEnd - hit.lineStart + 1;
      expect(lineCount).toBeGreaterThan(0);
      const window = await backend.get!(root, { path: hit.path, startLine: hit.lineStart, lineCount });
      expect(window.content).toContain(hit.snippet);
      expect(window.endLine).toBe(hit.lineEnd);
      expect(Array.from(hit.snippet).length).toBeLessThanOrEqual(700);
      expect(hit).toMatchObject({ path: window.path, backend: backend.type });
    }
    return hits;
  }

  it('CT-10 the limit is from 1 to 20, and 5 when it is none', async () => {
    const { backend, project } = context();
    const root = await project();
    for (let day = 1; day <= 25; day++) {
      await backend.writeFile!(root, `2026-03-${String(day).padStart(2, '0')}.md`, 'the word needle');
    }
    expect(await search(root, 'needle', 0)).toHaveLength(1);
    expect(await search(root, 'needle', 999)).toHaveLength(20);
    expect(await search(root, 'needle', Number.NaN)).toHaveLength(5);
    expect(await search(root, 'needle')).toHaveLength(5);
  });

  it('CT-10 each region is found once, with the place that matched', async () => {
    const { backend, project } = context();
    const root = await project();
    const lines = Array.from({ length: 60 }, (_, i) => `filler ${i}`);
    for (const i of [9, 10, 40]) lines[i] = `needle number ${i}`;
    lines[50] = LONG;
    await backend.write(root, lines.join('\n'));
    const hits = (await search(root, 'needle', 20)).sort((a, b) => a.lineStart - b.lineStart);
    for (const hit of hits) expect(hit.snippet).toContain('needle');
    for (const i of [9, 10, 40, 50]) {
      expect(hits.filter((hit) => hit.lineStart <= i + 1 && hit.lineEnd >= i + 1)).toHaveLength(1);
    }
    for (const [i, hit] of hits.slice(1).entries()) expect(hit.lineStart).toBeGreaterThan(hits[i]!.lineEnd);
  });

  it('CT-10 what holds more of the words comes first', async () => {
    const { backend, project } = context();
    const root = await project();
    await backend.write(root, 'alpha alone');
    await backend.writeFile!(root, '2026-03-01.md', 'alpha and beta');
    expect((await search(root, 'alpha beta'))[0]?.path).toBe('.fusion/memory/2026-03-01.md');
  });

  it.each([
    ['日本語', '# メモ\n\nこれは日本語のテストです'],
    ['café', 'Meet at the CAFÉ on Monday'],
    ['cafe', 'Meet at the café on Monday'],
    ['Übergrößen', 'die übergrößen sind da'],
    ['привет', 'он сказал Привет миру'],
    ['한국어', '이것은 한국어 문장입니다'],
  ])('CT-10 words of any language: %s', async (query, text) => {
    const { backend, project } = context();
    const root = await project();
    await backend.write(root, text);
    expect((await search(root, query)).length).toBe(1);
  });

  it('CT-10 a query without words finds nothing', async () => {
    const { backend, project } = context();
    const root = await project();
    await backend.write(root, 'a ? ! -- text');
    for (const query of ['', ' ', '?!', '--', 'a', '\0']) expect(await search(root, query)).toEqual([]);
  });

  it('CT-10 whatever is asked of whatever text, hits are lines that are there', async () => {
    const { backend, project } = context();
    const root = await project();
    const word = fc.constantFrom(
      'needle',
      'NEEDLE',
      'ﬁne',
      '日本',
      'é',
      'é',
      '🎉',
      'İx',
      '\r',
      ' ',
      '\t',
      '\n',
      '\n\n',
      'x'.repeat(900),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(word, { maxLength: 60 }), word, async (words, query) => {
        await backend.write(root, words.join(''));
        await search(root, query, 20);
      }),
      { numRuns: 30 },
    );
  });
}
