import { describe, expect, it } from 'vitest';
import { searchHomes } from './home-search.ts';

const ID = '01890000-0000-7000-8000-00000000000';
const lineOf = (text: string, n: number): string => `- ${text} <!-- slowwave:${ID}${n} -->`;
const home = (n: number, line: number, prominence: number) => ({
  memoryId: `${ID}${n}`,
  path: 'MEMORY.md',
  line,
  prominence,
});
/** Far enough apart to be regions of their own. */
const far = Array.from({ length: 20 }, (_, i) => `filler ${i}`);
const content = [
  lineOf('needle faded', 1),
  ...far,
  lineOf('needle bright', 2),
  ...far,
  'a needle of mine',
].join('\n');
const documents = [{ name: 'MEMORY.md', content }];
const homes = [home(1, 1, 0.2), home(2, 22, 0.9)];
const search = (query: string, recalled: { memoryId: string; score: number }[] = [], found = homes) =>
  searchHomes(documents, found, recalled, { query, limit: 20 }, 'postgres');

describe('search on home lines', () => {
  it('puts memories that come to mind readily first, and plain lines after them', () => {
    const hits = search('needle');
    expect(hits.map(({ snippet }) => /bright|faded|mine/.exec(snippet)?.[0])).toEqual([
      'bright',
      'faded',
      'mine',
    ]);
    expect(
      hits.every(({ path, backend }) => path === '.fusion/memory/MEMORY.md' && backend === 'postgres'),
    ).toBe(true);
  });

  it('never puts prominence before more of the words', () => {
    expect(search('needle mine')[0]?.snippet).toContain('of mine');
  });

  it('finds what was recalled by meaning on its line, once', () => {
    const recalled = [{ memoryId: `${ID}2`, score: 0.8 }];
    const [hit, ...others] = search('sewing', recalled);
    expect(others).toEqual([]);
    expect(hit).toMatchObject({ lineStart: 22, lineEnd: 22, snippet: lineOf('needle bright', 2) });
    expect(
      search('needle', recalled).filter(({ lineStart, lineEnd }) => lineStart <= 22 && lineEnd >= 22),
    ).toHaveLength(1);
  });

  it('follows a line that moved, and gives no line to a memory whose line is gone', () => {
    const recalled = [
      { memoryId: `${ID}2`, score: 0.8 },
      { memoryId: `${ID}3`, score: 0.9 },
    ];
    const hits = search('sewing', recalled, [home(2, 3, 0.9), home(3, 4, 0.9)]);
    expect(hits.map(({ lineStart }) => lineStart)).toEqual([22]);
  });
});
