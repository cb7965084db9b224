import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type ProcessFixture, ROOT, startProcess } from '../fixtures/processes.ts';
import { until } from '../fixtures/wait.ts';

/** A tarball that was made before; absent, one is made here. */
const { SLOWWAVE_TEST_TARBALL: given } = process.env;
const TOKEN = 'operator-token-of-the-tarball';
/** Each command is a process. */
const LIMIT_MS = 300_000;
vi.setConfig({ testTimeout: 2 * LIMIT_MS, hookTimeout: 2 * LIMIT_MS });

const folder = await mkdtemp(path.join(tmpdir(), 'slowwave pack '));
const app = path.join(folder, 'app');
const installed = path.join(app, 'node_modules', 'slowwave');
const settings = {
  SLOWWAVE_DATA_DIR: path.join(folder, 'data'),
  SLOWWAVE_HTTP_PORT: '0',
  SLOWWAVE_MODEL_PROVIDER: 'offline',
  SLOWWAVE_OPERATOR_TOKEN: TOKEN,
};

const start = (args: string[]): ProcessFixture =>
  startProcess(path.join(app, 'node_modules', '.bin', 'slowwave'), settings, args, app);

async function run(...args: string[]): Promise<{ code: number | null; output: string }> {
  const started = start(args);
  return { code: await started.exitCode(), output: started.output() };
}

const json = async (file: string): Promise<Record<string, unknown>> =>
  JSON.parse(await readFile(file, 'utf8'));

/** @returns the path of a new tarball */
async function pack(): Promise<string> {
  const packing = startProcess('scripts/pack.mjs', {}, ['--built', folder]);
  expect({ code: await packing.exitCode(), output: packing.output() }).toMatchObject({
    code: 0,
    output: expect.stringMatching(/^\S.*\bslowwave-\d+\.\d+\.\d+\.tgz \d+\.\d MB\n$/),
  });
  return path.join(folder, (await readdir(folder)).find((name) => name.endsWith('.tgz'))!);
}

describe('the tarball', () => {
  beforeAll(async () => {
    const tarball = given ?? (await pack());
    await mkdir(app);
    // npm gets neither a network nor the cache of an earlier installation.
    const offline = ['--offline', '--cache', path.join(folder, 'cache')];
    const args = ['install', ...offline, '--no-audit', '--no-fund', '--no-update-notifier', tarball];
    const env = { PATH: process.env.PATH ?? '', HOME: path.join(folder, 'home') };
    await promisify(execFile)('npm', args, { cwd: app, env, timeout: LIMIT_MS });
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('npm install: offline with an empty cache, gives one package without scripts and with all licenses', async () => {
    expect((await readdir(path.join(app, 'node_modules'))).filter((name) => !name.startsWith('.'))).toEqual([
      'slowwave',
    ]);
    const manifest = await json(path.join(installed, 'package.json'));
    const { version, engines } = await json(path.join(ROOT, 'package.json'));
    expect(manifest).toMatchObject({ name: 'slowwave', version, engines, license: 'MIT', type: 'module' });
    expect(Object.keys(manifest)).not.toContain('scripts');
    expect(Object.keys(manifest)).not.toContain('devDependencies');
    const notices = await readFile(path.join(installed, 'THIRD-PARTY-NOTICES'), 'utf8');
    for (const name of ['fastify', 'bullmq', '@electric-sql/pglite', 'drizzle-orm'])
      expect(notices).toMatch(new RegExp(`^${name} \\d+\\.\\d+\\.\\d+ \\((?:MIT|Apache-2.0)\\)$`, 'm'));
  });

  it('its files: name no package registry and no folder of the build', async () => {
    const entries = await readdir(installed, { recursive: true, withFileTypes: true });
    const files = entries
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => `${parentPath}/${name}`);
    expect(files.length).toBeGreaterThan(100);
    const found: string[] = [];
    for (const file of files) {
      const text = await readFile(file, 'latin1');
      const isFound = text.includes(ROOT) || text.includes('slowwave-pack-');
      if (isFound || /\bregistry\.[a-z0-9-]+\.[a-z]{2,}\b/i.test(text)) found.push(file);
    }
    expect(found).toEqual([]);
  });

  it('its documents: link to files that are in the tarball', async () => {
    const names = await readdir(installed, { recursive: true });
    const documents = names.filter((name) => name.endsWith('.md') && !name.includes('node_modules'));
    expect(documents.length).toBeGreaterThan(20);
    const dead: string[] = [];
    for (const name of documents) {
      const text = await readFile(path.join(installed, name), 'utf8');
      for (const [, link] of text.matchAll(/\]\((?!\w+:|#)([^)\s#]+)/g)) {
        const target = path.join(path.dirname(name), link!);
        if (!names.includes(target)) dead.push(`${name}: ${link}`);
      }
    }
    expect(dead).toEqual([]);
  });

  it('slowwave --version and doctor: print the version, and no failure', async () => {
    const { version } = await json(path.join(installed, 'package.json'));
    expect(await run('--version')).toEqual({ code: 0, output: `${version}\n` });
    const { code, output } = await run('doctor');
    expect(output).toMatch(/^(?:everything is well|0 failures, \d+ warnings?)$/m);
    expect(code).toBe(0);
  });

  it('slowwave import, start, consolidate: work on a new data folder, and SIGTERM ends the service', async () => {
    const examples = path.join(installed, 'examples', 'notes.txt');
    const imported = await run('import', examples, '--user', 'lena');
    expect(imported).toMatchObject({ code: 0, output: expect.stringContaining('8 memories new') });
    const service = start(['start']);
    try {
      const address = () => /running at (http:\/\/127\.0\.0\.1:\d+)/.exec(service.output())?.[1];
      await until('the service', () => address() !== undefined || service.exited(), LIMIT_MS);
      const url = address();
      expect(url, service.output()).toBeDefined();
      const consolidated = await run('consolidate', '--user', 'lena', '--wait');
      expect(consolidated.output).toMatch(/^run [0-9a-f-]{36}: completed$/m);
      expect(consolidated.output).toContain('decay: done  total 8');
      await expectPages(url!);
    } finally {
      expect(await service.stop()).toBe(0);
    }
    expect(service.output()).toContain('stopped');
  });

  it('the thread that compares memories: starts from its own file', async () => {
    const file = path.join(installed, 'apps', 'worker', 'dist', 'nearest', 'thread.js');
    const thread = new Worker(file, { workerData: { dimensions: 2, limit: 1, floor: 0.4 }, execArgv: [] });
    try {
      const answer = new Promise((resolve, reject) => thread.once('message', resolve).once('error', reject));
      thread.postMessage({ ask: 'queries', vectors: Float32Array.of(1, 0, 0, 1) });
      expect(await answer).toBeNull();
    } finally {
      await thread.terminate();
    }
  });
});

/** Expects answers of the API, and of the pages whose files are in the tarball. */
async function expectPages(url: string): Promise<void> {
  const user = await fetch(`${url}/v1/users/lena`, { headers: { authorization: `Bearer ${TOKEN}` } });
  expect(await user.json()).toMatchObject({ user: 'lena' });
  const signedIn = await fetch(`${url}/login`, {
    method: 'POST',
    body: new URLSearchParams({ token: TOKEN }),
    redirect: 'manual',
  });
  const cookie = signedIn.headers.get('set-cookie')?.split(';')[0] ?? '';
  for (const page of ['/dashboard', '/board']) {
    const shown = await fetch(`${url}${page}`, { headers: { cookie } });
    const text = await shown.text();
    const base = /<base href="([^"]+)"/.exec(text)?.[1] ?? '';
    const script = /<script[^>]* src="([^"]+)"/.exec(text)?.[1];
    expect(script, text).toBeDefined();
    const loaded = await fetch(new URL(script!, new URL(base, shown.url)), { headers: { cookie } });
    expect(loaded.status, loaded.url).toBe(200);
    expect(loaded.headers.get('content-type')).toContain('javascript');
  }
}
