import { posix } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ALLOWED, cyclesOf, type Manifest, violationsOf } from './import-rules.ts';
import { manifests, repositoryFiles, workspaceSources } from './repository-files.ts';
import { importsOf, maskSource } from './source-scan.ts';

const sources = workspaceSources();

describe('the imports of the repository', () => {
  it('follow the table', () => {
    expect(sources.length).toBeGreaterThan(10);
    expect(violationsOf(sources, manifests())).toEqual([]);
  });

  it('hold no circle', () => {
    expect(cyclesOf(sources)).toEqual([]);
  });

  /** What is loaded with a file, without what is loaded only when it is needed. */
  function loadedWith(first: string): { files: string[]; packages: string[] } {
    const texts = new Map(sources.map(({ path, text }) => [path, text]));
    const files = [first];
    const packages = new Set<string>();
    for (const file of files) {
      for (const { specifier, typeOnly, dynamic } of importsOf(texts.get(file)!)) {
        if (specifier === null || typeOnly || dynamic) continue;
        if (!specifier.startsWith('.')) packages.add(specifier);
        else {
          const target = posix.join(posix.dirname(file), specifier);
          if (!files.includes(target)) files.push(target);
        }
      }
    }
    return { files, packages: [...packages].sort() };
  }

  it('of the command line, load no service, database, queue or model before a command is called', () => {
    const { files, packages } = loadedWith('apps/standalone/src/main.ts');
    expect(files.length).toBeGreaterThan(20);
    expect(packages.filter((name) => name.startsWith('@slowwave/'))).toEqual([
      '@slowwave/config',
      '@slowwave/db/vocabulary',
      '@slowwave/fusion/vocabulary',
      '@slowwave/worker/logger',
    ]);
    for (const [name, outside] of [
      ['db', ['drizzle-orm/errors']],
      ['fusion', []],
    ] as const) {
      const words = loadedWith(`packages/${name}/src/vocabulary.ts`);
      expect(words.packages).toEqual(outside);
      expect(words.files.length).toBeLessThan(20);
    }
  });

  it('of a worker and a producer, load nothing before signals are heard, and only the configuration until it is read', () => {
    const ownOf = (file: string) => loadedWith(file).packages.filter((name) => name.startsWith('@slowwave/'));
    for (const app of ['worker', 'producer']) expect(ownOf(`apps/${app}/src/main.ts`)).toEqual([]);
    expect(ownOf('apps/producer/src/serve.ts')).toEqual(['@slowwave/config']);
  });

  it('inside fusion, lead from the step down to the nouns and never back', () => {
    const base = new Set(['memory.ts', 'ports.ts'].map((name) => `packages/fusion/src/${name}`));
    const wrong = sources
      .filter(({ path }) => path.startsWith('packages/fusion/') && !path.endsWith('.test.ts'))
      .flatMap(({ path, text }) =>
        importsOf(text)
          .map(({ specifier }) => specifier ?? '')
          .filter((specifier) => {
            if (base.has(path)) return !['./memory.ts', './ports.ts'].includes(specifier);
            return /(?:^|\/)index\.ts$/.test(specifier);
          })
          .map((specifier) => `${path} imports ${specifier}`),
      );
    expect(wrong).toEqual([]);
  });

  it('replace no module in tests', () => {
    const word = ['vi', 'mock('].join('.');
    const tests = sources.filter(({ path }) => path.endsWith('.test.ts'));
    expect(tests.filter(({ text }) => maskSource(text).includes(word)).map(({ path }) => path)).toEqual([]);
  });

  it('know every workspace folder', () => {
    const folders = repositoryFiles()
      .filter((path) => /^(?:packages|apps)\/[^/]+\/package\.json$/.test(path))
      .map((path) => path.replace('/package.json', ''));
    expect(folders.filter((folder) => !ALLOWED[folder])).toEqual([]);
  });
});

const MANIFESTS: Manifest[] = [
  { folder: '.', name: 'root', dependencies: ['vitest'] },
  { folder: 'packages/fusion', name: '@slowwave/fusion', dependencies: [] },
  { folder: 'packages/config', name: '@slowwave/config', dependencies: ['zod'] },
  {
    folder: 'packages/db',
    name: '@slowwave/db',
    dependencies: ['@slowwave/fusion', 'pg', '@slowwave/models'],
  },
  { folder: 'packages/models', name: '@slowwave/models', dependencies: ['@slowwave/fusion'] },
  { folder: 'packages/queue', name: '@slowwave/queue', dependencies: ['bullmq'] },
  {
    folder: 'apps/worker',
    name: '@slowwave/worker',
    dependencies: ['@slowwave/db', '@slowwave/producer', 'bullmq'],
  },
  { folder: 'apps/producer', name: '@slowwave/producer', dependencies: [] },
  { folder: 'apps/standalone', name: '@slowwave/standalone', dependencies: ['@slowwave/worker'] },
];

const judge = (path: string, text: string): string[] => violationsOf([{ path, text }], MANIFESTS);

describe('the guard catches', () => {
  it.each([
    ['packages/fusion/src/a.ts', "import pg from 'pg';"],
    ['packages/fusion/src/a.ts', "import { hash } from 'node:crypto';"],
    ['packages/fusion/src/a.ts', "import type { Db } from '@slowwave/db';"],
    ['packages/fusion/src/a.ts', 'const now = Date.now();'],
    ['packages/fusion/src/a.ts', 'const now = new Date();'],
    ['packages/fusion/src/a.ts', 'const now = new Date;'],
    ['packages/fusion/src/a.ts', 'const now = Date();'],
    ['packages/fusion/src/a.ts', `const text = \`\${Math.random()}\`;`],
    ['packages/fusion/src/a.ts', 'setTimeout(() => {}, 1);'],
    ['packages/fusion/src/a.ts', 'const id = crypto.randomUUID();'],
    ['packages/fusion/src/a.ts', 'const at = performance.now();'],
    ['packages/fusion/src/a.ts', 'const { env } = process;'],
    ['packages/fusion/src/a.ts', 'const where = import.meta.url;'],
    ['packages/config/src/a.ts', "import { readFileSync } from 'node:fs';"],
    ['packages/config/src/a.ts', "import { z } from 'zod';"],
    ['packages/db/src/a.ts', "import { complete } from '@slowwave/models';"],
    ['packages/db/src/a.ts', "import Redis from 'ioredis';"],
    ['packages/db/src/a.ts', "import fs from 'fs';"],
    ['packages/db/src/a.ts', "import { a } from '../../fusion/src/memory.ts';"],
    ['packages/db/src/a.ts', "import { a } from './memory.js';"],
    ['packages/db/src/a.ts', "export * from '@slowwave/queue';"],
    ['packages/db/src/a.ts', "const m = await import('@slowwave/queue');"],
    ['packages/db/src/a.ts', 'const m = await import(name);'],
    ['packages/db/src/a.ts', 'const m = late ? import(name(1)) : null;'],
    ['packages/db/src/a.ts', "const m = require('left-pad');"],
    ['packages/db/src/a.ts', 'const url = process.env.DATABASE_URL;'],
    ['packages/db/src/a.ts', "const url = process['env'].DATABASE_URL;"],
    ['apps/worker/src/a.ts', "import { api } from '@slowwave/producer';"],
    ['apps/worker/src/loop.ts', 'const url = process.env.DATABASE_URL;'],
    ['apps/worker/src/a.ts', "import { Worker } from 'bullmq';\nnew Worker('q', work);"],
    ['apps/worker/src/a.ts', "const q = new Queue<Payload>('q');"],
    ['packages/extra/src/a.ts', 'export const a = 1;'],
  ])('%s with %s', (path, text) => {
    expect(judge(path, text)).toHaveLength(1);
  });

  it('a circle, through re-exports and types too', () => {
    const files = [
      { path: 'packages/db/src/a.ts', text: "import { b } from './b.ts';" },
      { path: 'packages/db/src/b.ts', text: "export * from './sub/c.ts';" },
      { path: 'packages/db/src/sub/c.ts', text: "import type { A } from '../a.ts';" },
      { path: 'packages/db/src/d.ts', text: "import { a } from './a.ts';" },
    ];
    expect(cyclesOf(files)).toEqual([files.slice(0, 3).map(({ path }) => path)]);
    expect(cyclesOf(files.slice(0, 2))).toEqual([]);
  });
});

describe('the guard lets pass', () => {
  it.each([
    ['packages/fusion/src/a.ts', "// import pg from 'pg'; Date.now()\nexport const a = 'Math.random()';"],
    ['packages/fusion/src/a.ts', `const at = new Date(instant); const text = \`process.env \${at}\`;`],
    ['packages/fusion/src/a.ts', 'const step = { process: 1 }; export const b = step.process;'],
    [
      'packages/fusion/src/a.test.ts',
      "import { it } from 'vitest';\nimport { readFileSync } from 'node:fs';",
    ],
    ['packages/db/src/a.ts', "import pg from 'pg';\nimport { b } from './b.ts';\nimport fs from 'node:fs';"],
    ['packages/db/src/a.test.ts', "import { fake } from '../../../test/fakes/model.ts';"],
    ['packages/db/src/a.ts', 'interface Port { a: 1;\n import(file: (f: File) => void): Promise<void>; }'],
    ['packages/db/src/a.ts', 'const port = { a,\n async import(file: File) { return file; } };'],
    ['apps/worker/src/main.ts', 'run(process.env);'],
    ['apps/worker/src/a.ts', "import { Worker } from 'node:worker_threads';\nnew Worker(url);"],
    ['apps/standalone/src/a.ts', "import { work } from '@slowwave/worker';"],
    ['packages/queue/src/a.ts', "import { Queue } from 'bullmq';\nnew Queue('q');"],
  ])('%s with %s', (path, text) => {
    expect(judge(path, text)).toEqual([]);
  });
});

describe('the scanner', () => {
  it('finds every form of import', () => {
    const source = [
      "import 'a';",
      "import b from 'b';",
      "import * as c from 'c';",
      'import d, { type D, e as f } from "d";',
      "import type { E } from 'e';",
      "import type from 'type-default';",
      "export * from 'f';",
      "export * as g from 'g';",
      'export {\n  h, // from "nowhere"\n  i,\n} from\n  "h";',
      "export type { I } from 'i';",
      "const j = await import('j');",
      "type K = import('k').K;",
      'const l = import(`l`);',
      "export const m = 'not';",
      "export default 'not';",
      'const text = "import x from \'not\'";',
      '/* import y from "not" */',
      "const pattern = /import z from 'not'/;",
      "thing.import('not');",
      `const n = \`\${await import('n')} import('not')\`;`,
    ].join('\n');
    const found = importsOf(source);
    expect(found.map(({ specifier }) => specifier)).toEqual([
      'a',
      'b',
      'c',
      'd',
      'e',
      'type-default',
      'f',
      'g',
      'h',
      'i',
      'j',
      'k',
      'l',
      'n',
    ]);
    expect(found.filter(({ typeOnly }) => typeOnly).map(({ specifier }) => specifier)).toEqual(['e', 'i']);
    expect(found.find(({ specifier }) => specifier === 'i')?.line).toBe(14);
  });

  it('keeps positions, and is not led astray by quotes in patterns, nested templates and division', () => {
    const source = `const a = /['"\`/]\\//g; const b = x / y / z; const c = \`a\${\`b\${{ d: '}' }.d}\`}\`; Date.now(); // '`;
    const masked = maskSource(source);
    expect(masked).toHaveLength(source.length);
    expect(masked.indexOf('Date.now()')).toBe(source.indexOf('Date.now()'));
    expect(masked).toContain('x / y / z');
    expect(masked).not.toContain("'}'");
  });
});
