import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Config, readConfig } from '@slowwave/config';
import { type Database, loadImport } from '@slowwave/db';
import { Command, CommanderError } from 'commander';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CommandContext } from '../../apps/standalone/src/anywhere.ts';
import { EXIT } from '../../apps/standalone/src/exit.ts';
import { explain } from '../../apps/standalone/src/explain.ts';
import {
  type EditArguments,
  editCommand,
  journalCommand,
  lineageCommand,
  type UndoArguments,
  undoCommand,
} from '../../apps/standalone/src/journal-commands.ts';
import { addJournal, type JournalCommands } from '../../apps/standalone/src/journal-options.ts';
import type { Service } from '../../apps/standalone/src/service.ts';
import { COMMAND_WAYS, startOwnService } from '../fixtures/command-stage.ts';
import { fuseMembers, membersOf } from '../fixtures/fused.ts';
import { openMigrated } from '../fixtures/in-memory.ts';
import { holdLease, scopeOf } from '../fixtures/memories.ts';

const logger = pino({ level: 'silent' });
const tenant = 'default';
const RUN = '0199d0aa-0000-7000-8000-000000000001';

describe.each(COMMAND_WAYS)('undoing %s', (way) => {
  let folder: string;
  let config: Config;
  let service: Service | null = null;
  let database: Database | null = null;
  let serial = 0;
  const data = () => (service ?? { database }).database!;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'slowwave undo '));
    config = readConfig({ SLOWWAVE_DATA_DIR: path.join(folder, 'data'), SLOWWAVE_HTTP_PORT: '0' });
    if (way === 'through the service') service = await startOwnService(config, logger);
    if (!service) {
      database = await openMigrated();
    }
  });
  afterAll(async () => {
    await service?.close();
    await database?.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** Runs a command and keeps what it prints. */
  async function run(
    command: (context: CommandContext) => Promise<number>,
    code: number = EXIT.ok,
  ): Promise<string[]> {
    const lines: string[] = [];
    const same = (text: string) => text;
    const context: CommandContext = {
      config,
      logger,
      terminal: {
        line: (text = '') => void lines.push(text),
        error: (text) => void lines.push(`error: ${text}`),
        progress: () => {},
        clear: () => {},
        bold: same,
        dim: same,
        columns: null,
      },
      ...(database ? { open: async () => ({ ...database!, close: async () => {} }) } : {}),
    };
    const ended = await command(context).catch((error: unknown) => {
      const { message, code: exit } = explain(error);
      lines.push(`error: ${message}`);
      return exit;
    });
    expect([ended, lines]).toEqual([code, lines]);
    return lines;
  }

  async function fused() {
    const user = `ana-${++serial}`;
    const lines = ['one', 'two', 'three'].map((id, i) => ({
      user,
      id,
      content: `Ana keeps bicycle number ${i} in the shed`,
      category: 'fact',
      date: new Date(Date.now() - 90 * 86_400_000).toISOString(),
    }));
    await loadImport(data(), lines.map((line) => JSON.stringify(line)).join('\n'), {
      format: 'jsonl',
      defaults: { tenant },
      at: Date.now(),
      maxContentChars: 1_000,
    });
    await data().withTenant(tenant, (tx) => holdLease(tx, { tenant, user, fence: 1_000 }));
    const scope = scopeOf(tenant, user, {
      at: Date.now(),
      runId: RUN,
      lease: { holder: 'w1', fence: 1_000 },
    });
    const members = await membersOf(data(), scope);
    const fusion = await fuseMembers(data(), scope, members);
    return { user, members, ...fusion! };
  }
  const take = (
    action: UndoArguments['action'],
    user: string,
    target: string,
    more: { code?: number; json?: boolean; dryRun?: boolean } = {},
  ) => {
    const { code, json = false, dryRun = false } = more;
    return run(
      (context) => undoCommand(context, { action, target, tenant, user, dryRun, json, by: 'eva' }),
      code,
    );
  };
  const journal = (user: string, more: object = {}, code?: number) =>
    run((context) => journalCommand(context, { tenant, user, limit: 50, json: false, ...more }), code);
  const edit = (user: string, memory: string, more: Partial<EditArguments>, code?: number) =>
    run((context) => editCommand(context, { tenant, user, memory, by: 'eva', json: false, ...more }), code);

  it('takes a fusion back by its key, a run or change set by its id, and makes it good again', async () => {
    const { user, members, key, derivedId } = await fused();
    const would = await take('undo', user, key, { dryRun: true });
    expect(would[0]).toMatch(new RegExp(`^would be undone: fusion [0-9a-f-]{36}, fusion ${key}$`));
    expect(would.at(-1)).toBe('nothing was written');
    const undone = await take('undo', user, key);
    expect(undone[0]).toMatch(/^undone: fusion /);
    expect(undone[1]).toMatch(/^ {2}3 memories put back: /);
    for (const { id } of members) expect(undone[1]).toContain(id);
    expect(undone.slice(2)).toEqual([
      `  1 memory taken away: ${derivedId}`,
      '  3 relations put back or taken away',
    ]);
    const [newest] = JSON.parse((await journal(user, { json: true }))[0]!).changeSets;
    expect(newest).toMatchObject({ kind: 'undo', actor: 'eva' });
    expect((await take('undo', user, newest.id))[0]).toMatch(/^redone: fusion /);
    const run = JSON.parse((await take('undo', user, RUN, { json: true }))[0]!);
    expect(run).toMatchObject({ user, direction: 'undo', removed: [derivedId] });
    expect((await take('redo', user, RUN))[0]).toMatch(/^redone: fusion /);
    const lines = await journal(user);
    expect(lines).toHaveLength(5);
    expect(lines.at(-1)).toMatch(/Z {2}fusion {5}[0-9a-f-]{36} {2}4 memories, 3 relations$/);
    expect(lines[0]).toContain('by eva');
    expect(await journal(user, { limit: 1 })).toHaveLength(1);
    const [unknown] = await journal('nobody', {}, EXIT.config);
    expect(unknown).toContain('there is no user nobody');
  });

  it('says what to undo first, and how', async () => {
    const { user, key, derivedId } = await fused();
    await edit(user, derivedId, { importance: 9 });
    const [newest] = JSON.parse((await journal(user, { json: true }))[0]!).changeSets;
    const refused = await take('undo', user, key, { code: EXIT.failed });
    expect(refused[0]).toBe(`error: later changes stand on it; undo these first: edit ${newest.id}`);
    expect(refused[1]).toMatch(new RegExp(`^error: {3}2\\d{3}-.*Z edit over ${derivedId}$`));
    expect(refused[2]).toBe(`error:     slowwave undo ${newest.id} --user ${user}`);
    const [told] = await take('undo', user, key, { code: EXIT.failed, json: true });
    expect(JSON.parse(told!)).toMatchObject({
      user,
      refused: { code: 'depends', dependents: [{ changeSetId: newest.id, memoryIds: [derivedId] }] },
    });
    await take('undo', user, newest.id);
    await take('undo', user, key);
    expect(await take('undo', user, key, { code: EXIT.failed })).toEqual([
      'error: it has been undone already',
    ]);
  });

  it('edits a memory, and tells what was undone for it', async () => {
    const { user, members, key, request, derivedId } = await fused();
    const lineage = await run((context) =>
      lineageCommand(context, { tenant, user, memory: derivedId, depth: 10, json: false }),
    );
    expect(lineage[0]).toContain(`${derivedId} `);
    expect(lineage[0]).toContain(`fusion ${key.slice(0, 12)} applied`);
    expect(lineage.slice(1, 3)).toEqual([
      'made of',
      expect.stringMatching(/^ {2}derives .*bicycle.*superseded, from/),
    ]);
    const lines = await edit(user, 'one', { content: 'Ana keeps a tandem' });
    expect(lines).toEqual([
      `${members.find((member) => member.content.includes('0'))!.id}: version 2 → 4`,
      `  fusion ${key} was undone for it`,
      expect.stringMatching(/^ {2}2 memories latest again: /),
    ]);
    expect(await edit(user, 'one', { content: 'Ana keeps a tandem' })).toEqual([
      expect.stringContaining('it says so already, version 4'),
    ]);
    const source = await run((context) =>
      lineageCommand(context, { tenant, user, memory: 'one', depth: 10, json: false }),
    );
    expect(source).toContain(`part of a fusion that is undone: ${key}`);
    const [json] = await run((context) =>
      lineageCommand(context, { tenant, user, memory: 'one', depth: 10, json: true }),
    );
    const told = JSON.parse(json!) as { parts: { key: string; status: string }[] };
    expect(told).toMatchObject({ user, madeInto: [] });
    expect(told.parts.map((part) => [part.status, part.key]).sort()).toEqual([
      ['closed', request],
      ['undone', key],
    ]);
  });

  it('knows what it does not know', async () => {
    const { user } = await fused();
    expect(await take('undo', user, 'what', { code: EXIT.config })).toEqual([
      'error: what is neither the key of a fusion nor the id of a run or change set: slowwave journal lists them',
    ]);
    expect(await take('undo', user, 'f'.repeat(64), { code: EXIT.failed })).toEqual([
      'error: there is no such fusion, run or change set of this user',
    ]);
    const gone = '0199d0aa-0000-7000-8000-000000000009';
    expect(await take('redo', user, gone, { code: EXIT.failed })).toEqual([
      'error: there is no such fusion, run or change set of this user',
    ]);
    expect(await edit(user, 'none', { content: 'x' }, EXIT.config)).toEqual([
      expect.stringContaining('there is no memory none of'),
    ]);
    expect(await edit(user, 'one', {}, EXIT.config)).toEqual([expect.stringContaining('nothing to change')]);
    const none = { tenant, user, memory: 'none', depth: 1, json: false };
    expect(await run((context) => lineageCommand(context, none), EXIT.config)).toEqual([
      expect.stringContaining('there is no memory none of'),
    ]);
  });
});

/** Which command a line comes to, and with what. */
async function parsed(...line: string[]): Promise<unknown[]> {
  const seen: unknown[][] = [];
  const keep = (name: string) => async (given: unknown) => {
    seen.push([name, given]);
    return 0;
  };
  const commands: JournalCommands = {
    undo: keep('undo'),
    journal: keep('journal'),
    edit: keep('edit'),
    lineage: keep('lineage'),
  };
  const program = new Command('slowwave');
  addJournal(program, commands, () => {});
  for (const command of [program, ...program.commands])
    command.exitOverride().configureOutput({ writeErr: () => {}, writeOut: () => {} });
  await program.parseAsync(line, { from: 'user' });
  return seen[0]!;
}

const OF = { tenant: 'default', user: 'ana', json: false };

describe('the commands about the journal', () => {
  it.each<[string[], unknown[]]>([
    [
      ['undo', 'k', '--user', 'ana'],
      ['undo', { ...OF, action: 'undo', target: 'k', dryRun: false, by: 'operator' }],
    ],
    [
      ['redo', 'k', '--user', 'ana', '--dry-run', '--by', 'eva', '--json'],
      ['undo', { ...OF, action: 'redo', target: 'k', dryRun: true, by: 'eva', json: true }],
    ],
    [
      ['journal', '--user', 'ana', '--memory', 'm', '--before', 's', '--limit', '7'],
      ['journal', { ...OF, memory: 'm', before: 's', limit: 7 }],
    ],
    [
      ['edit', 'm', 'new words', '--user', 'ana', '--valid-to', '2026-04-12', '--event-date', 'none'],
      [
        'edit',
        {
          ...OF,
          memory: 'm',
          content: 'new words',
          by: 'operator',
          validTo: Date.UTC(2026, 3, 12),
          eventDate: null,
        },
      ],
    ],
    [
      ['edit', 'm', '--user', 'ana', '--importance', '9', '--category', 'fact'],
      ['edit', { ...OF, memory: 'm', by: 'operator', importance: 9, category: 'fact' }],
    ],
    [
      ['lineage', 'm', '--user', 'ana', '--depth', '2'],
      ['lineage', { ...OF, memory: 'm', depth: 2 }],
    ],
  ])('%j', async (line, call) => {
    expect(await parsed(...line)).toEqual(call);
  });

  it.each([
    [['undo', 'k']],
    [['undo', '--user', 'ana']],
    [['journal', '--user', 'ana', '--limit', '0']],
    [['edit', 'm', 'x', '--user', 'ana', '--importance', '11']],
    [['edit', 'm', 'x', '--user', 'ana', '--category', 'mood']],
    [['edit', 'm', 'x', '--user', 'ana', '--valid-from', 'soon']],
    [['lineage', 'm', '--user', 'ana', '--depth', '11']],
  ])('refuses %j', async (line) => {
    await expect(parsed(...line)).rejects.toBeInstanceOf(CommanderError);
  });
});
