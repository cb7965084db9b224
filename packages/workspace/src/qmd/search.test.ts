import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type FakeCall, type FakeQmd, fakeQmd } from '../../../../test/fakes/qmd.ts';
import { childScript } from '../../../../test/fixtures/child-script.ts';
import { QmdMemoryBackend } from '../memory-backend.ts';
import { runQmd } from './executor.ts';

let base: string;
let root: string;
let fake: FakeQmd;
beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'slowwave-qmd-test-'));
  root = join(base, 'project');
  fake = await fakeQmd();
  await write(root, 'MEMORY.md', '# Memory\n\n- The queue runs on Valkey\n- Ports are above 7000\n');
});
afterEach(async () => {
  await fake.close();
  await rm(base, { recursive: true, force: true, maxRetries: 5 });
});

/** Writes a document as if it had stood there for long. */
async function write(project: string, name: string, content: string): Promise<void> {
  const folder = join(project, '.fusion', 'memory');
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, name), content);
  await utimes(join(folder, name), 1, 1);
}

function backend(deadlineMs = 60_000, refreshes = false): QmdMemoryBackend {
  return new QmdMemoryBackend({ executor: fake.executor, command: fake.command, deadlineMs, refreshes });
}

/** Without a process per run, where it does not matter how qmd is run. */
function backendHere(): QmdMemoryBackend {
  return new QmdMemoryBackend({ executor: fake.executorHere, command: fake.command, refreshes: false });
}

async function commands(): Promise<string[]> {
  return (await fake.calls()).map((call) =>
    call.args.slice(0, call.args[0] === 'collection' ? 2 : 1).join(' '),
  );
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

describe('search', () => {
  it('QM-01 answers from the index', async () => {
    await write(root, 'memory-insights.md', 'Valkey too');
    const report = await backend().searchReport(root, { query: 'valkey' });
    expect(report).toEqual({
      hits: [
        {
          path: '.fusion/memory/MEMORY.md',
          lineStart: 2,
          lineEnd: 5,
          snippet: '- The queue runs on Valkey\n- Ports are above 7000',
          score: 1.42,
          backend: 'qmd',
        },
      ],
      degraded: false,
      reason: null,
      source: 'index',
    });
    await backend().search(root, { query: 'ports' });
    expect(await commands()).toEqual(['collection add', 'search', 'search']);
  });

  it.each([
    ['exit', 'exit'],
    ['garbage', 'output'],
  ] as const)('QM-02 falls back to the files: %s', async (mode, reason) => {
    await fake.set(mode);
    const report = await backend().searchReport(root, { query: 'valkey' });
    expect(report).toMatchObject({ degraded: true, reason, source: 'files' });
    expect(report.hits).toMatchObject([{ path: '.fusion/memory/MEMORY.md', backend: 'qmd', degraded: true }]);
  });

  it('QM-02 an answer without hits is no failure', async () => {
    await fake.set('empty');
    const report = await backend().searchReport(root, { query: 'valkey' });
    expect(report).toMatchObject({ degraded: false, reason: null, source: 'files' });
    expect(report.hits).toHaveLength(1);
    expect(report.hits[0]).not.toHaveProperty('degraded');
  });

  it('QM-02 falls back to the files: no executable, no right to run it', async () => {
    for (const command of [join(base, 'nowhere'), join(root, '.fusion', 'memory', 'MEMORY.md')]) {
      const without = new QmdMemoryBackend({ executor: runQmd, command, refreshes: false });
      const report = await without.searchReport(root, { query: 'valkey' });
      expect(report).toMatchObject({ degraded: true, reason: 'missing', source: 'files' });
      expect(report.hits).toHaveLength(1);
    }
  });

  it.each(['hang', 'stubborn'] as const)(
    'QM-02 within the deadline, and ends what does not end: %s',
    async (mode) => {
      await backend().search(root, { query: 'valkey' });
      await fake.set(mode);
      const before = (await fake.calls()).length;
      let call: FakeCall | undefined;
      // On a busy machine a short deadline ends the process before it has begun; a longer one follows.
      for (let deadlineMs = 1_000; call === undefined && deadlineMs < 60_000; deadlineMs *= 3) {
        const report = await backend(deadlineMs).searchReport(root, { query: 'valkey' });
        expect(report).toMatchObject({ degraded: true, reason: 'timeout', source: 'files' });
        expect(report.hits).toHaveLength(1);
        call = (await fake.calls())[before];
      }
      await vi.waitFor(() => expect(isAlive(call!.pid)).toBe(false), { timeout: 60_000, interval: 20 });
    },
  );

  it('QM-02 an executor that never settles is not waited for', async () => {
    const options = { executor: () => new Promise<never>(() => undefined), deadlineMs: 50 };
    const report = await new QmdMemoryBackend(options).searchReport(root, { query: 'valkey' });
    expect(report).toMatchObject({ degraded: true, reason: 'timeout' });
    expect(report.hits).toHaveLength(1);
  });

  it('QM-02 nothing that qmd prints is in its failures', async () => {
    await fake.set('exit');
    const failure = await runQmd(fake.command, ['search', 'secretword']).catch((error: unknown) => error);
    expect(JSON.stringify(failure)).not.toContain('Collection');
    expect(String((failure as Error).stack)).not.toMatch(/Collection|secretword/);
    expect(failure).toMatchObject({ reason: 'exit', exitCode: 1 });
    const flood = runQmd('yes', []);
    await expect(flood).rejects.toMatchObject({ reason: 'output' });
  });

  it('QM-02 forgets an index that qmd does not know any longer', async () => {
    await backendHere().search(root, { query: 'valkey' });
    const { configDir } = (await fake.calls())[0]!;
    await rm(join(configDir!, 'index.json'));
    await writeFile((await fake.calls())[0]!.indexPath!, '{}');
    expect(await backendHere().searchReport(root, { query: 'valkey' })).toMatchObject({ degraded: true });
    expect(await backendHere().searchReport(root, { query: 'valkey' })).toMatchObject({ degraded: false });
  });

  it.each(['--full', '--json valkey', '-n 1', '--', '-- --help', "'; touch x; '", '$(touch x)'])(
    'QM-03 the query %j is a query',
    async (query) => {
      await write(root, 'MEMORY.md', 'the words full, json, valkey, help and touch, with n 1');
      const report = await backend().searchReport(root, { query });
      expect(report.degraded).toBe(false);
      const search = (await fake.calls()).find((call) => call.args[0] === 'search');
      if (query !== '--' && query !== '-n 1') expect(search?.args.slice(-2)).toEqual(['--', query]);
      expect(await readdir(root)).toEqual(['.fusion']);
    },
  );

  it('QM-04 hits of foreign files are dropped, and those of removed ones', async () => {
    await backendHere().search(root, { query: 'valkey' });
    const row = (file: string) => ({ file, line: 3, score: 0.9, snippet: '- The queue runs on Valkey' });
    await fake.set({
      answer: ['/etc/passwd', 'memory-insights.md', '2026-01-01.md', '../x/memory.md', 'memory.md'].map(row),
    });
    const hits = await backendHere().search(root, { query: 'queue' });
    expect(hits.map((hit) => [hit.path, hit.lineStart])).toEqual([['.fusion/memory/MEMORY.md', 3]]);
  });

  it('QM-04 what changed after it was indexed is searched as it is now', async () => {
    await write(root, '2026-04-18.md', 'Valkey was down');
    expect(await backendHere().search(root, { query: 'valkey' })).toHaveLength(2);
    const soon = new Date(Date.now() + 60_000);
    await write(root, 'MEMORY.md', 'nothing of it');
    await write(root, '2026-04-19.md', 'Valkey is back');
    await utimes(join(root, '.fusion', 'memory', '2026-04-19.md'), soon, soon);
    const report = await backendHere().searchReport(root, { query: 'valkey' });
    expect(report.source).toBe('index');
    expect(report.hits.map((hit) => hit.path).sort()).toEqual([
      '.fusion/memory/2026-04-18.md',
      '.fusion/memory/2026-04-19.md',
    ]);
  });

  it('QM-05 two workspaces never share an index', async () => {
    const other = join(base, 'other', 'project');
    await write(other, 'MEMORY.md', 'Valkey of another');
    const hits = [
      await backendHere().search(root, { query: 'valkey' }),
      await backendHere().search(other, { query: 'valkey' }),
    ];
    expect(hits.map((found) => found.map((hit) => hit.snippet))).toEqual([
      ['- The queue runs on Valkey\n- Ports are above 7000'],
      ['Valkey of another'],
    ]);
    const calls = await fake.calls();
    for (const call of calls) {
      const project = call.args.some((arg) => arg.startsWith(other)) ? other : root;
      if (call.args[0] === 'collection') expect(call.indexPath?.startsWith(`${project}/`)).toBe(true);
    }
    expect(new Set(calls.map((call) => call.indexPath)).size).toBe(2);
    expect(new Set(calls.map((call) => call.configDir)).size).toBe(2);
    // Another index than the one of the user, wherever that is.
    for (const call of calls) expect(call.configDir?.startsWith(base)).toBe(true);
  });

  it('QM-05 a project that moved begins a new index', async () => {
    await backendHere().search(root, { query: 'valkey' });
    const moved = join(base, 'moved');
    await (await import('node:fs/promises')).rename(root, moved);
    const report = await backendHere().searchReport(moved, { query: 'valkey' });
    expect(report).toMatchObject({ degraded: false, source: 'index' });
  });
});

describe('a short-lived caller', () => {
  it('QM-02 gets its answer and ends, however stubborn qmd is, which ends with it', async () => {
    await backend().search(root, { query: 'valkey' });
    await fake.set('stubborn');
    const program = `
      import { QmdMemoryBackend } from ${JSON.stringify(join(import.meta.dirname, 'backend.ts'))};
      import { runQmd } from ${JSON.stringify(join(import.meta.dirname, 'executor.ts'))};
      const backend = new QmdMemoryBackend({ executor: runQmd, command: ${JSON.stringify(fake.command)}, deadlineMs: 1500 });
      const report = await backend.searchReport(${JSON.stringify(root)}, { query: 'valkey' });
      console.log(JSON.stringify({ reason: report.reason, hits: report.hits.length }));`;
    const child = spawn(process.execPath, await childScript(program), {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let printed = '';
    child.stdout.on('data', (chunk) => {
      printed += chunk;
    });
    const code = await new Promise((resolve) => child.on('close', resolve));
    expect(code).toBe(0);
    expect(JSON.parse(printed)).toEqual({ reason: 'timeout', hits: 1 });
    await vi.waitFor(
      async () => {
        for (const call of await fake.calls())
          if (call.args[0] === 'search') expect(isAlive(call.pid)).toBe(false);
      },
      { timeout: 60_000, interval: 20 },
    );
  });
});
