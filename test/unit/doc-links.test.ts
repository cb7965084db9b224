import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const LINK = /!?\[[^\]]*\]\(([^)\s]+)\)/g;

function pagesIn(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name));
}

const PAGES = [
  'README.md',
  'CONTRIBUTING.md',
  'examples/README.md',
  'packages/client/README.md',
  ...pagesIn('docs'),
];

/** The names that headings of a page can be linked by. */
const anchorsOf = (text: string): string[] =>
  [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
    heading!
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );

it.each(PAGES)('every link of %s leads somewhere', (page) => {
  const text = readFileSync(join(ROOT, page), 'utf8').replace(/```[\s\S]*?```/g, '');
  const broken = [...text.matchAll(LINK)]
    .map(([, target]) => target!)
    .filter((target) => !/^(?:https?:|mailto:)/.test(target))
    .filter((target) => {
      const [path = '', anchor] = target.split('#');
      const file = path === '' ? join(ROOT, page) : resolve(ROOT, dirname(page), path);
      if (!existsSync(file)) return true;
      return anchor !== undefined && !anchorsOf(readFileSync(file, 'utf8')).includes(anchor);
    });
  expect(broken).toEqual([]);
});

it('the index of the documentation names every page', () => {
  const index = readFileSync(join(ROOT, 'docs/README.md'), 'utf8');
  const missing = pagesIn('docs')
    .map((page) => page.replace(/^docs[\\/]/, '').replaceAll('\\', '/'))
    .filter((page) => page !== 'README.md' && !index.includes(`(${page})`));
  expect(missing).toEqual([]);
});
