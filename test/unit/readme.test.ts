import { readFileSync } from 'node:fs';
import { SETTINGS } from '@slowwave/config';
import { expect, it } from 'vitest';

const read = (name: string) => readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8');
const rowsOf = (page: string) => page.split('\n').filter((line) => /^\| `[A-Z_]+` \|/.test(line));

it('the page of settings has every setting, and README.md eight of them in the same words', () => {
  const all = rowsOf(read('docs/settings.md'));
  expect(all.map((row) => row.split('`')[1])).toEqual(SETTINGS.map(({ name }) => name));
  const first = rowsOf(read('README.md'));
  expect(new Set(first).size).toBe(8);
  expect(all).toEqual(expect.arrayContaining(first));
});

it('what a night costs is said in README.md with figures that the page about cost has too', () => {
  const section = /### What a night costs\n([\s\S]*?)\n## /.exec(read('README.md'))![1]!;
  const figures = section.replace(/`[^`]*`/g, '').match(/\$?\d[\d.,]*\d/g) ?? [];
  expect(figures).toHaveLength(7);
  const page = read('docs/how-to/models-and-cost.md');
  expect(figures.filter((figure) => !page.includes(figure))).toEqual([]);
});
