import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Config, readConfig } from '@slowwave/config';
import { type Database, finishRun, loadImport, startRun } from '@slowwave/db';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startEmbeddedService } from '../../../test/fixtures/command-stage.ts';
import { openMigrated } from '../../../test/fixtures/in-memory.ts';
import { anywhere, type CommandContext } from './anywhere.ts';
import { EXIT, UsageError } from './exit.ts';
import { explain } from './explain.ts';
import {
  type HoldArguments,
  holdCommand,
  holdTargetOf,
  quarantineCommand,
  quarantineLine,
  releaseCommand,
} from './hold-command.ts';
import { changeCommand, explainCommand } from './memory-commands.ts';
import { askForRun } from './runs.ts';
import type { Service } from './service.ts';
import { statusCommand } from './status-command.ts';
import type { Terminal } from './terminal.ts';

const logger = pino({ level: 'silent' });

/** A terminal whose lines are kept. */
function keptTerminal(): { terminal: Terminal; lines: string[] } {
  const lines: string[] = [];
  const same = (text: string) => text;
  const terminal: Terminal = {
    line: (text = '') => void lines.push(text),
    error: (text) => void lines.push(`error: ${text}`),
    progress: () => {},
    clear: () => {},
    bold: same,
    dim: same,
    columns: null,
  };
  return { terminal, lines };
}

const MEMORY = {
  user: 'ana',
  id: 'f1',
  content: 'Ana lives in Dublin.',
  category: 'fact',
  importance: 4,
  date: new Date(Date.now() - 30 * 86_400_000).toISOString(),
};

async function addUser(database: Database): Promise<void> {
  const summary = await loadImport(database, JSON.stringify(MEMORY), {
    format: 'jsonl',
    defaults: { tenant: 'default' },
    at: Date.now(),
    maxContentChars: 1_000,
  });
  expect(summary.inserted).toBe(1);
}

/** Fails a deep run of ana, which is one too many. */
async function quarantineAna(database: Database): Promise<void> {
  const of = { tenant: 'default', user: 'ana' };
  const at = Date.now();
  await database.withTenant('default', async (tx) => {
    const run = await startRun(tx, { ...of, tier: 'deep', why: 'adhoc', fence: 1_000, at });
    if (run.status !== 'started') throw new Error(run.status);
    const failure = { status: 'failed', errorCode: 'bad_rows', report: null, transient: false } as const;
    await finishRun(tx, { ...of, runId: run.runId, at, ...failure, quarantineAfter: 1 });
  });
}

/** Both ways to the same data: on the folder itself, and through the service that owns it. */
describe.each(['on the database', 'through the service'])('operating %s', (way) => {
  let folder: string;
  let config: Config;
  let service: Service | null = null;
  /** Works on the data beside the commands, whoever owns them. */
  const beside = <T>(work: (database: Database) => Promise<T>) => work((service ?? { database }).database!);
  let database: Database | null = null;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'slowwave operating '));
    config = readConfig({ SLOWWAVE_DATA_DIR: path.join(folder, 'data'), SLOWWAVE_HTTP_PORT: '0' });
    if (way === 'through the service') service = await startEmbeddedService(config, logger);
    // Opening a folder takes seconds: without a service, commands find a database that is open.
    if (!service) {
      database = await openMigrated();
    }
    await beside(addUser);
  });
  afterAll(async () => {
    await service?.close();
    await database?.close();
    await rm(folder, { recursive: true, force: true });
  });

  const contextWith = (terminal: Terminal): CommandContext => ({
    config,
    logger,
    terminal,
    ...(database ? { open: async () => ({ ...database!, close: async () => {} }) } : {}),
  });
  const ANA = { tenant: 'default', user: 'ana', json: false };

  async function run(command: (context: CommandContext) => Promise<number>): Promise<string[]> {
    const { terminal, lines } = keptTerminal();
    expect(await command(contextWith(terminal))).toBe(EXIT.ok);
    return lines;
  }
  const hold = (given: Omit<HoldArguments, 'json' | 'all'> & { all?: boolean; json?: boolean }) =>
    run((context) => holdCommand(context, { all: false, json: false, ...given }));
  const status = async () => (await run((context) => statusCommand(context, ANA))).join('\n');

  it('goes the way it should', async () => {
    const taken = await anywhere(contextWith(keptTerminal().terminal), {
      service: async () => 'through the service',
      database: async () => 'on the database',
    });
    expect(taken).toBe(way);
  });

  it('pauses and resumes a user, a tenant and a tier', async () => {
    expect(await hold({ action: 'pause', user: 'ana', tier: 'sleep' })).toEqual(['ana: sleep paused']);
    expect(await status()).toMatch(/sleep .* paused for this user/);
    expect(await hold({ action: 'resume', user: 'ana', json: true })).toEqual([
      '{"tenant":"default","user":"ana","paused":[]}',
    ]);
    expect(await hold({ action: 'pause', all: true, tier: 'deep' })).toEqual([
      'every user of tenant default: deep paused, also for users to come (1 changed)',
    ]);
    expect(await status()).toMatch(/deep .* paused for the tenant/);
    expect(await hold({ action: 'resume', all: true })).toEqual([
      'every user of tenant default: light, deep, sleep no longer paused (1 changed)',
    ]);
    expect(await hold({ action: 'pause', tier: 'light' })).toEqual(['light: paused for everybody']);
    expect(await status()).toMatch(/light .* paused for everybody/);
    expect(await hold({ action: 'resume', tier: 'light' })).toEqual([
      'light: no longer paused for everybody',
    ]);
    expect(await hold({ action: 'resume', tier: 'light' })).toEqual([
      'light: no longer paused for everybody, as before',
    ]);
    expect(await status()).not.toContain('paused');
  });

  it('lists and releases who is in quarantine', async () => {
    const list = () => run((context) => quarantineCommand(context, { tenant: 'default', json: false }));
    const release = () => run((context) => releaseCommand(context, ANA));
    expect(await list()).toEqual(['nobody is in quarantine']);
    await beside(quarantineAna);
    const [line, hint] = await list();
    expect(line).toMatch(/^ana: since 2\d{3}-.*Z, 1 failures in a row, bad_rows$/);
    expect(hint).toContain('slowwave release --user <user>');
    expect(await status()).toContain('in quarantine since');
    expect(await release()).toEqual(['ana is released: what is due is found by the next tick']);
    expect(await release()).toEqual(['ana was not in quarantine']);
    expect(await status()).not.toContain('quarantine');
  });

  it('explains and changes a memory', async () => {
    const memory = { memory: 'f1', tenant: 'default', json: false };
    const text = (await run((context) => explainCommand(context, memory))).join('\n');
    expect(text).toContain('“Ana lives in Dublin.”');
    expect(text).toContain('How it came about\n  peak       0.7: ');
    const change = (how: Parameters<typeof changeCommand>[2]) =>
      run((context) => changeCommand(context, { ...memory, user: 'ana' }, how));
    expect((await change({ kind: 'prominence', value: 0.6 }))[0]).toMatch(
      /^f1 of ana: prominence 0\.\d+ → 0\.6, next crossing \d{4}-.*, in \d+ days$/,
    );
    expect((await change({ kind: 'confirm' }))[0]).toContain('→ 0.72, next');
    expect((await change({ kind: 'demote', factor: 0.5 }))[0]).toContain('0.72 → 0.36, next');
    const [json] = await run((context) => explainCommand(context, { ...memory, json: true }));
    expect(JSON.parse(json!)).toMatchObject({ user: 'ana', params: { confirmations: 1, demotion: 0.5 } });
  });

  it('says who or what is not there', async () => {
    const { terminal } = keptTerminal();
    const context = contextWith(terminal);
    const nobody = { tenant: 'default', user: 'nobody', json: false };
    const tries = [
      () => holdCommand(context, { action: 'pause', ...nobody, all: false }),
      () => releaseCommand(context, nobody),
      () => statusCommand(context, nobody),
      () => explainCommand(context, { memory: 'nothing', tenant: 'default', json: false }),
      () => changeCommand(context, { memory: 'nothing', ...nobody }, { kind: 'confirm' }),
    ];
    for (const attempt of tries) {
      const error = await attempt().catch((thrown: unknown) => thrown);
      const { code, message } = explain(error);
      expect([EXIT.failed, EXIT.config]).toContain(code);
      expect(message).toMatch(/no (?:such )?(?:user|memory)/);
    }
  });

  it('refuses a run of somebody in quarantine, and says what to do', async () => {
    await beside(quarantineAna);
    const asked = beside((database) =>
      askForRun(
        { database, queues: service?.queues ?? ({} as Service['queues']) },
        { tenant: 'default', user: 'ana', tier: 'deep' },
        Date.now(),
      ),
    );
    const { code, message } = explain(await asked.catch((error: unknown) => error));
    expect(code).toBe(EXIT.failed);
    expect(message).toMatch(/^ana is in quarantine since .* \(bad_rows\).*slowwave release --user ana$/);
  });
});

describe('whom a pause is for', () => {
  const target = (given: Partial<HoldArguments>) =>
    holdTargetOf({ action: 'pause', all: false, json: false, ...given });

  it('is one user, every user of a tenant, or a tier of everybody', () => {
    expect(target({ user: 'ana' })).toEqual({ kind: 'user', tenant: 'default', user: 'ana' });
    expect(target({ user: 'ana', tenant: 't', tier: 'deep' })).toEqual({
      kind: 'user',
      tenant: 't',
      user: 'ana',
      tiers: ['deep'],
    });
    expect(target({ all: true })).toEqual({ kind: 'tenant', tenant: 'default' });
    expect(target({ all: true, tier: 'light' })).toEqual({
      kind: 'tenant',
      tenant: 'default',
      tiers: ['light'],
    });
    expect(target({ tier: 'sleep' })).toEqual({ kind: 'tier', tier: 'sleep' });
  });

  it('must be said: nobody is meant by a forgotten word', () => {
    for (const given of [
      {},
      { user: 'ana', all: true },
      { tenant: 't' },
      { tenant: 't', tier: 'deep' },
    ] as const) {
      expect(() => target(given)).toThrow(UsageError);
    }
  });

  it('is told with the reason when it is quarantine', () => {
    const user = { user: 'ana', since: 0, unended: 3, faults: 0, failures: 3, lastAttemptAt: 0 };
    expect(quarantineLine({ ...user, code: 'never_ended' })).toBe(
      'ana: since 1970-01-01T00:00:00Z, 3 runs in a row never ended',
    );
  });
});
