import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { copyFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ROOT, SLOWWAVE } from '../fixtures/processes.ts';
import { until } from '../fixtures/wait.ts';

const TOKEN = 'operator-token-for-tests';
/** Begins a process in a PID namespace of its own, which ends with it. Without root the machine has to allow namespaces of users. */
const WAYS = [[], ['--user', '--map-root-user']].map((more) => [
  ...more,
  '--pid',
  '--fork',
  '--mount-proc',
  '--kill-child',
]);

function wayIn(): string[] {
  for (const way of WAYS) {
    try {
      execFileSync('unshare', [...way, 'true'], { stdio: 'ignore' });
      return way;
    } catch {}
  }
  throw new Error('this test needs unshare of util-linux, and root or namespaces of users');
}

interface Service {
  output(): string;
  url(): Promise<string>;
  signal(name: NodeJS.Signals): Promise<void>;
  exitCode: Promise<number | null>;
}

describe('an embedded folder with owners in two PID namespaces', () => {
  let folder: string;
  const started: ChildProcess[] = [];
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'slowwave-namespaces-'));
  });
  afterEach(async () => {
    for (const child of started.splice(0)) child.kill('SIGKILL');
    await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  });

  function run(args: string[], within: string[] | null, dataDir = folder): Service {
    const node = [process.execPath, SLOWWAVE, ...args];
    const [command, ...rest] = within === null ? node : ['unshare', ...within, ...node];
    const child = spawn(command!, rest, {
      cwd: ROOT,
      env: {
        PATH: process.env.PATH ?? '',
        HOME: process.env.HOME ?? '',
        SLOWWAVE_DATA_DIR: dataDir,
        SLOWWAVE_OPERATOR_TOKEN: TOKEN,
        SLOWWAVE_HTTP_PORT: '0',
        SLOWWAVE_MODEL_PROVIDER: 'offline',
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    started.push(child);
    let text = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
    }
    const exitCode = new Promise<number | null>((resolve) => child.once('exit', resolve));
    return {
      output: () => text,
      exitCode,
      url: () =>
        until('the service to run', () => {
          if (child.exitCode !== null) throw new Error(`it ended: ${text}`);
          return /is running at (\S+),/.exec(text)?.[1];
        }),
      async signal(name) {
        const children = `/proc/${child.pid}/task/${child.pid}/children`;
        const pid = within === null ? child.pid! : Number((await readFile(children, 'utf8')).trim());
        process.kill(pid, name);
      },
    };
  }

  async function write(url: string, numbers: number[]): Promise<number[]> {
    const acknowledged: number[] = [];
    for (const number of numbers) {
      const answer = await fetch(`${url}/v1/memories`, {
        method: 'POST',
        headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
        body: JSON.stringify({
          user: 'ana',
          content: `The locker of Ana has the number ${number}.`,
          category: 'fact',
        }),
      });
      if (answer.ok) acknowledged.push(number);
      else throw new Error(`${answer.status} ${await answer.text()}`);
    }
    return acknowledged;
  }

  async function numbersAt(url: string): Promise<number[]> {
    const answer = await fetch(`${url}/v1/export?user=ana`, {
      headers: { authorization: `Bearer ${TOKEN}` },
    });
    const found = (await answer.text()).matchAll(/has the number (\d+)\./g);
    return [...new Set([...found].map(([, number]) => Number(number)))].sort((a, b) => a - b);
  }

  it('has one at a time: the second is told of the first, takes over when its heartbeat has ended, and loses nothing', async () => {
    const within = wayIn();
    const first = run(['start'], within);
    const firstUrl = await first.url();
    const kept = await write(firstUrl, [1, 2, 3]);

    // Elsewhere, the owner is known by its heartbeat.
    const refused = run(['start'], null);
    expect(await refused.exitCode).toBe(4);
    expect(refused.output()).toMatch(/in use by process 1 on \S+ .*heartbeat is 0 s old.*SLOWWAVE_DATA_DIR/s);
    const asked = run(['status', '--user', 'ana', '--json'], null);
    expect([await asked.exitCode, asked.output()]).toEqual([0, expect.stringContaining('"total":3')]);

    // Paused for longer than its heartbeat: another one takes over, and the first writes nothing more.
    await first.signal('SIGSTOP');
    const second = run(['start'], null);
    const secondUrl = await second.url();
    kept.push(...(await write(secondUrl, [4, 5])));
    await first.signal('SIGCONT');
    expect(await first.exitCode).toBe(4);
    expect(first.output()).toContain('another process took over while this one was paused');
    kept.push(...(await write(secondUrl, [6])));
    expect(await numbersAt(secondUrl)).toEqual(kept);

    // A lock file that was copied from a running owner's folder locks no other one.
    const copy = await mkdtemp(`${folder}-copy-`);
    await copyFile(path.join(folder, 'owner.json'), path.join(copy, 'owner.json'));
    const ofCopy = run(['start'], null, copy);
    try {
      await ofCopy.url();
      await ofCopy.signal('SIGTERM');
      expect(await ofCopy.exitCode).toBe(0);
    } finally {
      await rm(copy, { recursive: true, force: true });
    }

    await second.signal('SIGKILL');
    await second.exitCode;
    const third = run(['start'], within);
    const thirdUrl = await third.url();
    kept.push(...(await write(thirdUrl, [7])));
    expect(await numbersAt(thirdUrl)).toEqual(kept);
    await third.signal('SIGTERM');
    expect(await third.exitCode).toBe(0);
  }, 600_000);
});
