import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { migratedServerDatabase, serverFixture } from '../fixtures/databases.ts';
import { prepareDataDir } from '../fixtures/in-memory.ts';
import { PRODUCER, type ProcessFixture, SLOWWAVE, startProcess, WORKER } from '../fixtures/processes.ts';
import { until } from '../fixtures/wait.ts';

const CANARY = 'saxophone-canary-badger';
const DAY_MS = 86_400_000;
/** Each command is a process. */
const LIMIT_MS = 300_000;
vi.setConfig({ testTimeout: 2 * LIMIT_MS });

const folder = await mkdtemp(path.join(tmpdir(), 'slowwave cli '));
afterAll(() => rm(folder, { recursive: true, force: true }));

async function run(
  args: string[],
  env: Record<string, string>,
): Promise<{ code: number | null; output: string }> {
  const started = startProcess(SLOWWAVE, env, args);
  return { code: await started.exitCode(), output: started.output() };
}

const embedded = (name: string): Record<string, string> => ({
  SLOWWAVE_DATA_DIR: path.join(folder, name),
  SLOWWAVE_HTTP_PORT: '0',
});

async function file(name: string, text: string): Promise<string> {
  const full = path.join(folder, name);
  await writeFile(full, text);
  return full;
}

describe.concurrent('a wrong configuration', () => {
  const wrong = {
    DATABASE_URL: `mysql://root:${CANARY}@db/x`,
    SLOWWAVE_MODEL_PROVIDER: 'antropic',
    SLOWWAVE_WORKER_CONCURRENCY: 'many',
    SLOWWAVE_TICKSECONDS: '5',
  };

  it.each([
    ['slowwave status', SLOWWAVE, ['status', '--user', 'ana']],
    ['the worker', WORKER, []],
    ['the producer', PRODUCER, []],
  ])('ends %s at once with all mistakes and exit code 2', async (_name, entry, args) => {
    const started = startProcess(entry, wrong, args);
    expect(await started.exitCode()).toBe(2);
    const output = started.output();
    expect(output).toContain(`${entry === PRODUCER ? 5 : 4} mistake(s)`);
    expect(output).toContain('DATABASE_URL: expected a URL that starts with postgres://');
    expect(output).toContain('did you mean anthropic?');
    expect(output).toContain('SLOWWAVE_WORKER_CONCURRENCY: expected a whole number from 1 to 100');
    expect(output).toContain('did you mean SLOWWAVE_TICK_SECONDS?');
    expect(output).not.toContain(CANARY);
  });
});

// Most of their time is waiting for an answer.
describe.concurrent('servers that cannot be reached', () => {
  const nobody = {
    DATABASE_URL: `postgres://u:${CANARY}@127.0.0.1:1/x`,
    SLOWWAVE_CONNECT_TIMEOUT_SECONDS: '1',
  };

  it.each([
    ['slowwave status', SLOWWAVE, ['status', '--user', 'ana']],
    ['the worker', WORKER, []],
  ])('PostgreSQL: %s retries within the limit and ends with exit code 3', async (_name, entry, args) => {
    const started = startProcess(entry, nobody, args);
    expect(await started.exitCode()).toBe(3);
    expect(started.output()).toContain('cannot use PostgreSQL at 127.0.0.1:1/x: gave up after 1 s');
    expect(started.output()).not.toContain(CANARY);
  });

  it('Redis: a worker ends with exit code 3 and says where it looked', async () => {
    const { url, drop } = await migratedServerDatabase();
    try {
      const env = {
        DATABASE_URL: url,
        QUEUE_URL: `redis://:${CANARY}@127.0.0.1:1`,
        SLOWWAVE_CONNECT_TIMEOUT_SECONDS: '5',
      };
      const started = startProcess(WORKER, env);
      expect(await started.exitCode()).toBe(3);
      expect(started.output()).toContain('127.0.0.1:1');
      expect(started.output()).not.toContain(CANARY);
    } finally {
      await drop();
    }
  });

  it('a database of a newer version is left alone', async () => {
    const { database, url, drop } = await serverFixture();
    try {
      await database.asOwner((tx) =>
        tx.rows(sql`insert into slowwave.migrations values (900, '0900_future', 'x')`),
      );
      const started = startProcess(WORKER, { DATABASE_URL: url! });
      expect(await started.exitCode()).toBe(3);
      expect(started.output()).toContain('migrated by a newer version (0900_future');
    } finally {
      await drop();
    }
  });
});

describe('import', () => {
  const env = embedded('import');
  beforeAll(() => prepareDataDir(path.join(folder, 'import')));
  const date = new Date(Date.now() - 30 * DAY_MS).toISOString();
  const line = (fields: Record<string, unknown>) => JSON.stringify({ user: 'ana', date, ...fields });

  it('keeps the good lines of a bad file and reports every bad one with its number and reason', async () => {
    const bad = await file(
      'bad.jsonl',
      [
        line({ id: 'a', content: 'Ana has a dog 🐕' }),
        `{"user": "ana", "content": "${CANARY}`,
        line({ id: 'b', content: `${CANARY}\0` }),
        `{"user":"ana","content":"${CANARY} \\ud83d"}`,
        line({ id: 'c', content: CANARY.repeat(50_000) }),
        line({ id: 'd', content: CANARY, category: 'fakt' }),
        line({ id: 'e', content: CANARY, importance: 11 }),
        line({ id: 'f', content: CANARY, date: '2026-02-30' }),
        line({ id: 'a', content: `${CANARY}, another one` }),
        '[]',
        line({ id: 'g', content: 'Ana moved to Cork', relations: [{ type: 'EXTENDS', target: 'a' }] }),
      ].join('\n'),
    );
    const { code, output } = await run(['import', bad], env);
    expect(code).toBe(1);
    expect(output).toContain('2 memories new, 0 unchanged, 1 relation, 1 user (1 new), 9 refused');
    for (const number of [2, 3, 4, 5, 6, 7, 8, 9, 10])
      expect(output).toMatch(new RegExp(`line ${number}: .{10}`));
    expect(output).toMatch(/line 6: .*fact/);
    expect(output).not.toContain(CANARY);
  });

  it('of what is there already changes nothing', async () => {
    const good = await file(
      'good.jsonl',
      [line({ id: 'a', content: 'Ana has a dog 🐕' }), line({ content: 'Ana swims' })].join('\n'),
    );
    const again = await run(['import', good], env);
    expect(again).toMatchObject({ code: 0, output: expect.stringContaining('1 memory new, 1 unchanged') });
    const { output } = await run(['status', '--user', 'ana', '--json'], env);
    expect(JSON.parse(output)).toMatchObject({ bands: { total: 3, latest: 3 } });
  });
});

describe('a folder with an owner', () => {
  const env: Record<string, string> = { ...embedded('owned'), SLOWWAVE_MODEL_PROVIDER: 'offline' };
  let service: ProcessFixture;
  // The tarball's test begins with an empty folder, which takes seconds to fill.
  beforeAll(() => prepareDataDir(path.join(folder, 'owned')));
  afterAll(() => service?.stop());

  async function start(): Promise<void> {
    service = startProcess(SLOWWAVE, env, ['start']);
    const answers = () => service.output().includes('Slowwave is running at');
    await until('the service', () => answers() || service.exited(), LIMIT_MS);
    expect(service.output()).toContain('Slowwave is running at http://127.0.0.1:');
  }

  it('is refused to a second process, and commands go through the owner', async () => {
    await start();
    const second = await run(['start'], env);
    expect(second.code).toBe(4);
    expect(second.output).toContain(`in use by process ${service.pid}`);
    const date = new Date(Date.now() - 90 * DAY_MS).toISOString();
    const facts = ['near the canal', 'with a garden of roses', 'above the bakery', 'in a house of brick'].map(
      (place, i) =>
        JSON.stringify({
          id: `f${i}`,
          user: 'ana',
          date,
          content: `Ana has moved to a flat in Dublin. It is ${place}.`,
          category: 'fact',
        }),
    );
    const imported = await run(['import', await file('owned.jsonl', facts.join('\n'))], env);
    expect(imported).toMatchObject({ code: 0, output: expect.stringContaining('4 memories new') });
    const consolidated = await run(['consolidate', '--user', 'ana', '--tier', 'deep', '--wait'], env);
    expect(consolidated.code).toBe(0);
    expect(consolidated.output).toContain('4 → 1');
    expect(consolidated.output).toMatch(/^run [0-9a-f-]{36}: completed$/m);
    const missing = await run(['consolidate', '--user', 'nobody'], env);
    expect(missing.code).not.toBe(0);
    expect(missing.output).toContain('no such user in this tenant');
  });

  it('is free again when its owner is killed, nothing is lost, and the next owner ends within its grace time on SIGTERM', async () => {
    service.kill('SIGKILL');
    await service.exitCode();
    await start();
    const { code, output } = await run(['status', '--user', 'ana', '--json'], env);
    expect(code).toBe(0);
    expect(JSON.parse(output)).toMatchObject({ bands: { total: 5, latest: 1, superseded: 4, derived: 1 } });
    expect(await service.stop()).toBe(0);
    expect(service.output()).toContain('stopped');
  });
});
