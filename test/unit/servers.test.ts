import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ROOT } from './repository-files.ts';
import { probeScript, processScript, provideScript, startScript, treeScript } from './script-modules.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** A process that ended stays in the table until its parent asks, and in a container nobody may ever ask: that is not alive. */
const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    const status = `/proc/${pid}/stat`;
    return !existsSync(status) || !/\) [ZX] /.test(readFileSync(status, 'utf8'));
  } catch {
    return false;
  }
};

/** A server that answers every message with the given pieces, each in a packet of its own. */
async function fakeRedis(...pieces: string[]): Promise<{ url: string; received: () => string }> {
  let received = '';
  const server: Server = createServer((socket) => {
    socket.setNoDelay(true);
    socket.on('error', () => {});
    socket.once('data', async (data) => {
      received += data;
      for (const piece of pieces) {
        await new Promise((resolve) => socket.write(piece, resolve));
        await new Promise((resolve) => setImmediate(resolve));
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanups.push(() => server.close());
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  return { url: `redis://:p%40ss@127.0.0.1:${port}`, received: () => received };
}

describe('the question to Redis', () => {
  it('logs in and reads the version, in however many packets it comes', async () => {
    const redis = await fakeRedis(
      '+OK\r\n$60\r\n# Server\r\nredis_ver',
      'sion:7.0.15\r\nredis_git:0\r',
      '\n',
    );
    expect(await probeScript.probeRedis(redis.url)).toBe('Redis 7.0.15');
    expect(redis.received()).toContain('AUTH\r\n$4\r\np@ss\r\n');
  });

  it('tells Valkey from Redis', async () => {
    const valkey = await fakeRedis(
      '$80\r\n# Server\r\nredis_version:7.2.4\r\nserver_name:valkey\r\nvalkey_version:8.0.1\r\n',
    );
    expect(await probeScript.probeRedis(valkey.url)).toBe('Valkey 8.0.1');
  });

  it('passes on a refusal', async () => {
    const redis = await fakeRedis('-WRONGPASS invalid\r\n');
    await expect(probeScript.probeRedis(redis.url)).rejects.toThrow('WRONGPASS');
  });
});

describe('servers that were named', () => {
  it.each(['TEST_REDIS_URL', 'TEST_DATABASE_URL'])('must work: %s', async (name) => {
    const port = await processScript.freePort();
    const scheme = name === 'TEST_REDIS_URL' ? 'redis' : 'postgres';
    vi.stubEnv('TEST_DATABASE_URL', '');
    vi.stubEnv('TEST_REDIS_URL', '');
    vi.stubEnv(name, `${scheme}://user:hunter2@127.0.0.1:${port}/db`);
    cleanups.push(() => vi.unstubAllEnvs());
    const job = { say: () => {}, signal: new AbortController().signal, onStop: () => {} };
    const error = await provideScript.provideServers(job).catch((reason: unknown) => reason);
    expect(String(error)).toContain(`${name} is set, but the tests cannot use it`);
    expect(String(error)).not.toContain('hunter2');
  });
});

describe('commands', () => {
  it('end after their time, when they are interrupted, and when they do not exist', async () => {
    const forever = ['-e', 'setInterval(() => {}, 1000)'];
    expect((await processScript.run(process.execPath, forever, { timeoutMs: 50 })).code).toBe(124);
    const interrupted = AbortSignal.timeout(50);
    expect((await processScript.run(process.execPath, forever, { signal: interrupted })).code).toBe(124);
    expect((await processScript.run('no-such-command-here', [])).code).toBe(127);
  });
});

describe('a server process', () => {
  it('that ignores the polite signal gets the next one', async () => {
    const code = "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000); console.log('ready');";
    const daemon = processScript.startDaemon(process.execPath, ['-e', code]);
    await expect.poll(daemon.output).toBe('ready');
    await daemon.stop(['SIGTERM', 'SIGKILL'], 100);
    expect(daemon.isRunning()).toBe(false);
    expect(isAlive(daemon.pid)).toBe(false);
  });

  it.each(['SIGKILL', 'SIGTERM'] as const)(
    'does not outlive the script that asked for it, ended by %s',
    async (signal) => {
      const folder = mkdtempSync(join(tmpdir(), 'slowwave-keeper-'));
      cleanups.push(() => rmSync(folder, { recursive: true, force: true }));
      const scripts = pathToFileURL(join(ROOT, 'scripts', 'servers/')).href;
      const keeperFile = join(folder, 'keeper.mjs');
      writeFileSync(
        keeperFile,
        `import { keep } from '${scripts}keep.mjs';
       import { startDaemon } from '${scripts}process.mjs';
       await keep(async ({ onStop }) => {
         const daemon = startDaemon(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
         onStop(() => daemon.stop(['SIGTERM', 'SIGKILL']));
         return { postgres: { url: String(daemon.pid) }, redis: { url: String(process.pid) } };
       });`,
      );
      const runner = join(folder, 'runner.mjs');
      writeFileSync(
        runner,
        `import { startServers } from '${scripts}start.mjs';
       const { env, stop } = await startServers({ keeperFile: ${JSON.stringify(keeperFile)} });
       process.on('SIGTERM', () => stop());
       console.log([env.TEST_DATABASE_URL, env.TEST_REDIS_URL].join(' '));`,
      );
      const script = spawn(process.execPath, [runner], { stdio: ['ignore', 'pipe', 'inherit'] });
      let output = '';
      script.stdout.on('data', (data) => {
        output += data;
      });
      await expect.poll(() => output).toMatch(/^\d+ \d+\n$/);
      const pids = output.trim().split(' ').map(Number);
      expect(pids.map(isAlive)).toEqual([true, true]);
      script.kill(signal);
      await expect.poll(() => pids.map(isAlive)).toEqual([false, false]);
    },
  );
});

describe('the process that owns servers', () => {
  async function startKeeping(body: string) {
    const folder = mkdtempSync(join(tmpdir(), 'slowwave-keeper-'));
    cleanups.push(() => rmSync(folder, { recursive: true, force: true }));
    const scripts = pathToFileURL(join(ROOT, 'scripts', 'servers/')).href;
    const file = join(folder, 'keeper.mjs');
    writeFileSync(file, `import { keep } from '${scripts}keep.mjs';\nawait keep(async (job) => {${body}});`);
    const keeper = await startScript.startKeeper(file, { say: () => {}, args: ['given'] });
    cleanups.push(() => keeper.stop());
    return keeper;
  }

  it('does what it is asked for, one thing after the other, and says why it cannot', async () => {
    const { servers, ask } = await startKeeping(`
      const done = [];
      job.onAsk({
        note: async ({ word, ms }) => {
          await new Promise((resolve) => setTimeout(resolve, ms));
          done.push(word);
        },
        done: () => done,
        refuse: () => { throw new Error('not today'); },
      });
      return { given: process.argv[2] };`);
    expect(servers).toEqual({ given: 'given' });
    const noted = [ask('note', { word: 'slow', ms: 100 }), ask('note', { word: 'quick', ms: 0 })];
    expect(await ask('done')).toEqual(['slow', 'quick']);
    expect(await Promise.all(noted)).toEqual([null, null]);
    await expect(ask('refuse')).rejects.toThrow('not today');
    await expect(ask('unknown')).rejects.toThrow();
    expect(await ask('done')).toEqual(['slow', 'quick']);
  });

  it('leaves no question without an answer when it ends', async () => {
    const { ask, stop } = await startKeeping(`job.onAsk({ end: () => process.exit(1) }); return {};`);
    await expect(ask('end')).rejects.toThrow('The servers are gone.');
    await expect(ask('end')).rejects.toThrow('The servers are gone.');
    await stop();
  });
});

describe('a server and its children', () => {
  it('are killed together, though each child has a session of its own', async () => {
    const child = "setInterval(() => {}, 1000); process.on('SIGTERM', () => {})";
    const code = `const { spawn } = require('node:child_process');
      const child = spawn(process.execPath, ['-e', ${JSON.stringify(child)}], { detached: true });
      child.once('spawn', () => console.log(child.pid));
      setInterval(() => {}, 1000);`;
    const daemon = processScript.startDaemon(process.execPath, ['-e', code]);
    await expect.poll(daemon.output).toMatch(/^\d+$/);
    const pids = [daemon.pid, Number(daemon.output())];
    cleanups.push(() => pids.filter(isAlive).forEach((pid) => void process.kill(pid, 'SIGKILL')));
    expect(await treeScript.childrenOf(daemon.pid)).toEqual([pids[1]]);
    await treeScript.killTree(daemon.pid);
    expect(pids.map(isAlive)).toEqual([false, false]);
  });
});

describe('a command that npm started', () => {
  it('is asked to end when the shell between the two is gone', async () => {
    const foreground = pathToFileURL(join(ROOT, 'scripts', 'foreground.mjs')).href;
    const child = 'console.log(process.pid); setInterval(() => {}, 1000)';
    const script = `import { runForeground } from '${foreground}';
      await runForeground(process.execPath, ['-e', ${JSON.stringify(child)}]);`;
    // Two commands: with one alone, the shell would turn into it.
    const shell = spawn('sh', ['-c', '"$0" --input-type=module -e "$1"; exit', process.execPath, script], {
      env: { ...process.env, npm_lifecycle_event: 'test' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    shell.stdout.on('data', (data) => {
      output += data;
    });
    await expect.poll(() => output).toMatch(/^\d+\n$/);
    const pid = Number(output);
    cleanups.push(() => isAlive(pid) && process.kill(pid, 'SIGKILL'));
    expect(isAlive(pid)).toBe(true);
    shell.kill('SIGTERM');
    await expect.poll(() => isAlive(pid)).toBe(false);
  });
});
