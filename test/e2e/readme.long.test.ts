import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { ROOT } from '../fixtures/processes.ts';
import { until } from '../fixtures/wait.ts';

/** `npm start` of a new clone installs, builds and lives the days of the example people. */
const LIMIT_MS = 600_000;
vi.setConfig({ testTimeout: LIMIT_MS, hookTimeout: LIMIT_MS });

const folder = await mkdtemp(path.join(tmpdir(), 'slowwave readme '));
const clone = path.join(folder, 'clone');
const text = await readFile(path.join(ROOT, 'README.md'), 'utf8');

/** Commands of the shell blocks, each block a list: without comments, lines that a backslash continues as one. */
const blocks = [...text.matchAll(/^```sh\n([\s\S]*?)^```/gm)].map(([, block]) =>
  block!
    .replaceAll('\\\n', ' ')
    .split('\n')
    .map((line) => line.replace(/\s+#.*$/, ''))
    .filter((line) => line !== ''),
);

/** The block that holds a command. */
function blockWith(command: string): string[] {
  const found = blocks.find((block) => block.includes(command));
  if (!found) throw new Error(`README.md has no command ${command}`);
  return found;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await until('a port', () => server.listening);
  const address = server.address();
  server.close();
  return typeof address === 'object' && address ? address.port : 0;
}

describe('README.md, its commands in a new clone', () => {
  /** Variables that its commands export, and where the service listens. */
  const settings: Record<string, string> = {};
  const running = new Set<ChildProcess>();

  beforeAll(async () => {
    await promisify(execFile)('git', ['clone', '--quiet', ROOT, clone]);
    settings.SLOWWAVE_HTTP_PORT = String(await freePort());
  });
  afterAll(async () => {
    for (const child of running) await stop(child);
    await rm(folder, { recursive: true, force: true });
  });

  function start(command: string, cwd = clone): { child: ChildProcess; output: () => string } {
    const env = { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', ...settings };
    // A group of its own: npm, npx and the service get the signal, as from a terminal.
    const child = spawn('bash', ['-c', command], { cwd, env, detached: true });
    running.add(child);
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (chunk: string) => {
        output += chunk;
      });
    return { child, output: () => output };
  }

  async function stop(child: ChildProcess): Promise<void> {
    running.delete(child);
    if (hasEnded(child)) return;
    process.kill(-child.pid!, 'SIGINT');
    await until('the commands to stop', () => hasEnded(child));
  }

  /** Runs a command to its end. @returns what it printed, its code told where it is not 0 */
  async function carryOut(command: string, cwd = clone): Promise<string> {
    const { child, output } = start(command, cwd);
    await until(command, () => hasEnded(child), LIMIT_MS);
    running.delete(child);
    return child.exitCode === 0 ? output() : `${output()}\ncode ${child.exitCode}`;
  }

  async function startService(
    command: string,
    cwd = clone,
  ): Promise<{ child: ChildProcess; output: () => string }> {
    const started = start(command, cwd);
    await until(
      command,
      () => started.output().includes('Slowwave is running at') || hasEnded(started.child),
      LIMIT_MS,
    );
    expect(started.output()).toContain('Slowwave is running at');
    return started;
  }

  function expectStory(output: string): void {
    for (const user of ['mara', 'kenji', 'aicha', 'tom'])
      expect(output).toMatch(new RegExp(`^ {2}${user} .* \\d+ statements now stand for \\d+ notes$`, 'm'));
    expect(output.match(/^ {2}⇒ /gm)).toHaveLength(3);
  }

  it('npm start: tells of statements of four people, and the service answers', async () => {
    const [command] = blockWith('npm start');
    const { child, output } = await startService(command!);
    expectStory(output());
    const ready = await fetch(`http://127.0.0.1:${settings.SLOWWAVE_HTTP_PORT}/health/ready`);
    expect(ready.status).toBe(200);
    await stop(child);
  });

  it('let an agent use it: the written entry starts, lists its tools, remembers and finds', async () => {
    const [command] = blocks.find((block) => block[0]!.startsWith('npx slowwave mcp setup'))!;
    expect(await carryOut(command!)).not.toMatch(FAILED);
    const { mcpServers } = JSON.parse(await readFile(path.join(clone, '.mcp.json'), 'utf8'));
    const { command: program, args, env } = mcpServers.slowwave;
    const agent = new Client({ name: 'an agent', version: '1' });
    // A host starts it in a folder of its own.
    await agent.connect(new StdioClientTransport({ command: program, args, env, cwd: folder }));
    try {
      const names = (await agent.listTools()).tools.map(({ name }) => name);
      expect(names).toEqual(expect.arrayContaining(['add_memory', 'search_memories', 'undo_consolidation']));
      const content = 'Zoe moved to Utrecht in May.';
      const call = (name: string, given: Record<string, unknown>) =>
        agent.callTool({ name, arguments: given }, { timeout: LIMIT_MS });
      await call('add_memory', { content });
      const found = await call('search_memories', { query: 'Where did Zoe move?' });
      expect(found.structuredContent).toMatchObject({ memories: [{ content }] });
    } finally {
      await agent.close();
    }
  });

  it('five minutes with memories of your own: each command does what stands beside it, and an agent is let in', async () => {
    settings.SLOWWAVE_DATA_DIR = path.join(folder, 'data');
    const block = blockWith('npx slowwave import examples/memories.jsonl');
    const expected: Record<string, RegExp> = {
      'npx slowwave doctor': /everything is well|0 failures/,
      'npx slowwave import examples/memories.jsonl': /\d+ memories new/,
      'npx slowwave consolidate --user mara --wait': /^run [0-9a-f-]{36}: completed$/m,
      'npx slowwave runs --user mara': /^[0-9a-f-]{36} +mara +deep +completed/m,
      'npx slowwave undo RUN --user mara': /^undone: [\s\S]*memories put back/m,
    };
    let run = '';
    for (const command of block) {
      if (takeExport(command)) continue;
      if (command === 'npx slowwave start') continue;
      const output = await carryOut(command.replace('RUN', run));
      expect(output, command).toMatch(expected[command] ?? /(?!)/);
      expect(output, command).not.toMatch(FAILED);
      run ||= /^run ([0-9a-f-]{36})/m.exec(output)?.[1] ?? '';
    }
    const { child, output } = await startService(block.at(-1)!);
    settings.SLOWWAVE_OPERATOR_TOKEN = /operator token\s+(\S+)/.exec(output())?.[1] ?? '';
    const [token, ...calls] = blockWith('TOKEN=$(npx slowwave token create assistant --role write)');
    const answers = await carryOut(
      [token!, ...calls].join('\n').replaceAll(':8787', `:${settings.SLOWWAVE_HTTP_PORT}`),
    );
    expect(answers).toMatch(/"memories":\[\{.*"content":"Zoe moved to Utrecht\."/);
    await stop(child);
  });

  it('the command line: each command works on the memories of a user', async () => {
    settings.SLOWWAVE_DATA_DIR = path.join(folder, 'other');
    await mkdir(path.join(folder, 'notes'));
    // Old enough to fade, and young enough for the deep tier.
    const notes = [60, 61].map((days) => ({
      user: 'zoe',
      content: 'Zoe keeps bees in Utrecht.',
      date: new Date(Date.now() - days * 86_400_000).toISOString(),
    }));
    await writeFile(
      path.join(clone, 'zoe-notes.jsonl'),
      notes.map((note) => JSON.stringify(note)).join('\n'),
    );
    await carryOut('npx slowwave import zoe-notes.jsonl');
    await carryOut('npx slowwave consolidate --user zoe --wait');
    const key = keyIn(await carryOut('npx slowwave fusions --user zoe'));
    const memory = /[0-9a-f]{8}-[0-9a-f-]{27}/.exec(
      await carryOut('npx slowwave recall bees --user zoe --json'),
    )?.[0];
    expect({ key, memory }).toEqual({ key: expect.stringMatching(/./), memory: expect.stringMatching(/./) });
    const given: Record<string, string> = {
      KEY: key,
      MEMORY: memory!,
      PATH: `'${path.join(folder, 'notes')}'`,
    };
    for (const command of blockWith('npx slowwave recall "Where does Zoe live?" --user zoe')) {
      // An evaluation lives nights of a set of its own: `slowwave evaluate` has its own tests.
      if (command.startsWith('npx slowwave evaluate')) continue;
      const output = await carryOut(command.replace(/\b(?:KEY|MEMORY|PATH)\b/, (name) => given[name]!));
      expect(output, command).not.toMatch(FAILED);
    }
  });

  it('npm run pack: its tarball is installed in any folder, and the demonstration there is the same', async () => {
    const [, pack] = /`(npm run pack)`/.exec(text)!;
    const [, install] = /`(npm install \.\/slowwave-[^`]+)`/.exec(text)!;
    const [, demo] = /`(npx slowwave demo)`/.exec(text)!;
    const app = path.join(folder, 'app');
    await mkdir(app);
    settings.SLOWWAVE_DATA_DIR = path.join(folder, 'demo');
    expect(await carryOut(pack!)).not.toMatch(FAILED);
    const tarball = install!.replace('npm install ./', '');
    await rename(path.join(clone, 'dist', tarball), path.join(app, tarball));
    expect(await carryOut(install!, app)).not.toMatch(FAILED);
    const { child, output } = await startService(demo!, app);
    expectStory(output());
    await stop(child);
  });

  it('a local model server: its settings are settings of the product', async () => {
    settings.SLOWWAVE_DATA_DIR = path.join(folder, 'local');
    for (const command of blocks.find((block) => block.some((line) => line.includes('OPENAI_BASE_URL')))!)
      expect(takeExport(command), command).toBe(true);
    const output = await carryOut('npx slowwave doctor');
    expect(output).not.toMatch(/unknown setting|is not a setting/i);
    expect(output).toMatch(/^ok .*qwen3:8b/m);
  });

  /** Keeps what `export A=1 B=2` sets. @returns false where the command is no export */
  function takeExport(command: string): boolean {
    if (!command.startsWith('export ')) return false;
    for (const [, name, value] of command.matchAll(/(\w+)=(\S+)/g)) settings[name!] = value!;
    return true;
  }
});

/** How carryOut tells of a code that is not 0. */
const FAILED = /\ncode \d+$/;

const hasEnded = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null;

/** The key of the first fusion of a list. */
const keyIn = (output: string): string => /^([0-9a-f]{8,})/m.exec(output)?.[1] ?? '';
