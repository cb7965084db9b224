import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Writable } from 'node:stream';
import { type Config, readConfig } from '@slowwave/config';
import { type Database, exportLines, forget, loadImport } from '@slowwave/db';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CommandContext } from '../../apps/standalone/src/anywhere.ts';
import { EXIT, UsageError } from '../../apps/standalone/src/exit.ts';
import { explain } from '../../apps/standalone/src/explain.ts';
import { type ExportArguments, exportCommand } from '../../apps/standalone/src/export-command.ts';
import { importCommand } from '../../apps/standalone/src/import-command.ts';
import type { Service } from '../../apps/standalone/src/service.ts';
import type { Terminal } from '../../apps/standalone/src/terminal.ts';
import { COMMAND_WAYS, startOwnService } from '../fixtures/command-stage.ts';
import { openMigrated } from '../fixtures/in-memory.ts';

const CANARY = 'CANARY-9c1e-quince-lantern';

function keptTerminal(): { terminal: Terminal; lines: string[] } {
  const lines: string[] = [];
  const same = (text: string) => text;
  const terminal: Terminal = {
    line: (text = '') => void lines.push(text),
    error: (text) => void lines.push(`error: ${text}`),
    progress: (text) => void lines.push(`progress: ${text}`),
    clear: () => {},
    bold: same,
    dim: same,
    columns: null,
  };
  return { terminal, lines };
}

describe.each(COMMAND_WAYS)('slowwave export %s', (way) => {
  let folder: string;
  let config: Config;
  let service: Service | null = null;
  let database: Database;
  let log = '';
  const keep = (line: string): void => {
    log += line;
  };
  const logger = pino({ level: 'debug' }, { write: keep });

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'slowwave exports '));
    config = readConfig({ SLOWWAVE_DATA_DIR: path.join(folder, 'data'), SLOWWAVE_HTTP_PORT: '0' });
    if (way === 'through the service') {
      service = await startOwnService(config, logger);
      database = service.database;
    } else {
      database = await openMigrated();
    }
    const lines = ['ana', 'ben'].flatMap((user) =>
      ['one', 'two'].map((id) =>
        JSON.stringify({
          tenant: 'exp',
          user,
          id,
          content: `${CANARY} ${id} \ufeff`,
          category: 'fact',
          date: '2026-01-01',
        }),
      ),
    );
    await loadImport(database, lines.join('\n'), {
      format: 'jsonl',
      defaults: {},
      at: Date.now(),
      maxContentChars: 1_000,
    });
  });
  afterAll(async () => {
    await service?.close();
    if (!service) await database?.close();
    await rm(folder, { recursive: true, force: true });
  });

  const contextOf = (terminal: Terminal): CommandContext => ({
    config,
    logger,
    terminal,
    // It stays open for the next command.
    ...(service ? {} : { open: async () => ({ ...database, close: async () => {} }) }),
  });
  async function run(given: Partial<ExportArguments>, output?: Writable) {
    const { terminal, lines } = keptTerminal();
    const all: ExportArguments = { tenant: 'exp', format: 'jsonl', json: false, ...given };
    const code = await exportCommand(contextOf(terminal), all, output);
    return { code, lines };
  }
  async function direct(user: string | null): Promise<string> {
    const lines: string[] = [];
    await exportLines(database, { tenant: 'exp', user, write: (page) => void lines.push(...page) });
    return lines.map((line) => `${line}\n`).join('');
  }
  const place = async (): Promise<string> => mkdtemp(path.join(folder, 'out '));

  it('writes a file that only its owner reads, and takes the place of what stood there at the end', async () => {
    const at = await place();
    const out = path.join(at, 'backup.jsonl');
    await writeFile(out, 'before');
    const { code, lines } = await run({ out });
    expect(code).toBe(EXIT.ok);
    expect(await readFile(out, 'utf8')).toBe(await direct(null));
    expect((await stat(out)).mode & 0o777).toBe(0o600);
    expect(lines.at(-1)).toBe(`4 memories of 2 users written to ${out}`);
    expect(lines.some((line) => line.startsWith('progress: 4 memories'))).toBe(true);
    expect(await readdir(at)).toEqual(['backup.jsonl']);
    const told = await run({ out, json: true, user: 'ana' });
    expect(JSON.parse(told.lines.join('\n'))).toMatchObject({ users: 1, memories: 2, out });
    expect((await stat(out)).size).toBe(Buffer.byteLength(await direct('ana')));
  });

  it('writes to standard output, and nothing else beside', async () => {
    let text = '';
    const output = new Writable({
      write(chunk: Buffer, _encoding, done) {
        text += chunk.toString();
        setImmediate(done);
      },
    });
    const { code, lines } = await run({ user: 'ben' }, output);
    expect([code, lines]).toEqual([EXIT.ok, []]);
    expect(text).toBe(await direct('ben'));
  });

  it('ends well when nobody reads any more', async () => {
    const output = new Writable({
      write(_chunk, _encoding, done) {
        done(Object.assign(new Error('closed'), { code: 'EPIPE' }));
      },
    });
    output.on('error', () => undefined);
    expect(await run({}, output)).toEqual({ code: EXIT.ok, lines: [] });
  });

  it('writes pages into a new folder', async () => {
    const out = path.join(await place(), 'pages');
    for (const prepare of [async () => {}, () => rm(out, { recursive: true }).then(() => mkdir(out))]) {
      await prepare();
      expect((await run({ out, format: 'markdown' })).code).toBe(EXIT.ok);
      expect((await readdir(out)).sort()).toEqual(['ana', 'ben']);
      expect(await readFile(path.join(out, 'ana', 'memories', 'fact.md'), 'utf8')).toContain(
        `- ${CANARY} one`,
      );
      expect(await readFile(path.join(out, 'ana', 'MEMORY.md'), 'utf8')).toContain('# Memories of ana');
    }
    await expect(run({ out, format: 'markdown' })).rejects.toBeInstanceOf(UsageError);
    await expect(run({ format: 'markdown' })).rejects.toThrow('--out');
  });

  it('leaves nothing behind when it fails, and what stood there as it was', async () => {
    const at = await place();
    const out = path.join(at, 'kept.jsonl');
    await writeFile(out, 'before');
    for (const format of ['jsonl', 'markdown'] as const) {
      const failed = run({ user: 'zoe', format, out: format === 'jsonl' ? out : path.join(at, 'pages') });
      await expect(failed).rejects.toThrow('there is no user zoe');
    }
    expect(await readdir(at)).toEqual(['kept.jsonl']);
    expect(await readFile(out, 'utf8')).toBe('before');
    for (const wrong of [at, path.join(at, 'no', 'such')]) {
      const code = await run({ out: wrong }).catch((error: unknown) => explain(error).code);
      expect(code).toBe(EXIT.config);
    }
  });

  it('comes back by import, refused where something stands, and merged when asked to', async () => {
    const out = path.join(await place(), 'ana');
    await run({ out, user: 'ana' });
    const before = await readFile(out, 'utf8');
    const load = async (more: { merge?: boolean } = {}) => {
      const { terminal, lines } = keptTerminal();
      const given = { file: out, tenant: 'default', format: 'auto' as const, json: false, ...more };
      try {
        return { code: await importCommand(contextOf(terminal), given), lines };
      } catch (error) {
        return { code: explain(error).code, lines: [explain(error).message] };
      }
    };
    expect((await load()).code).toBe(EXIT.refusedLines);
    const merged = await load({ merge: true });
    expect(merged).toEqual({
      code: EXIT.ok,
      lines: expect.arrayContaining(['left out, having no place in a merge: known 2']),
    });
    const target = { tenant: 'exp', user: 'ana', target: { user: true as const } };
    await forget(database, { ...target, at: Date.now(), actor: null });
    const restored = await load();
    expect(restored.code).toBe(EXIT.ok);
    expect(restored.lines).toContain('restored: users 1, memory 2');
    expect(await direct('ana')).toBe(before);
  });

  it('writes nothing of it into the log', () => {
    expect(log).not.toContain(CANARY);
    // An observer was registered.
    if (service) expect(log).toContain('export read');
  });
});
