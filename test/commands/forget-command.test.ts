import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Config, readConfig } from '@slowwave/config';
import { type Database, loadImport } from '@slowwave/db';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CommandContext } from '../../apps/standalone/src/anywhere.ts';
import { EXIT, HeldBack, UsageError } from '../../apps/standalone/src/exit.ts';
import { explain } from '../../apps/standalone/src/explain.ts';
import { type Ask, type ForgetArguments, forgetCommand } from '../../apps/standalone/src/forget-command.ts';
import { forgetLines } from '../../apps/standalone/src/forget-lines.ts';
import type { Service } from '../../apps/standalone/src/service.ts';
import type { Terminal } from '../../apps/standalone/src/terminal.ts';
import { COMMAND_WAYS, startOwnService } from '../fixtures/command-stage.ts';
import { openMigrated } from '../fixtures/in-memory.ts';

const logger = pino({ level: 'silent' });

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

describe.each(COMMAND_WAYS)('slowwave forget %s', (way) => {
  let folder: string;
  let config: Config;
  let service: Service | null = null;
  let database: Database | null = null;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'slowwave forgetting '));
    config = readConfig({ SLOWWAVE_DATA_DIR: path.join(folder, 'data'), SLOWWAVE_HTTP_PORT: '0' });
    if (way === 'through the service') service = await startOwnService(config);
    if (!service) {
      database = await openMigrated();
    }
  });
  afterAll(async () => {
    await service?.close();
    await database?.close();
    await rm(folder, { recursive: true, force: true });
  });

  async function add(user: string, ...ids: string[]): Promise<void> {
    const lines = ids.map((id) =>
      JSON.stringify({ user, id, content: `${id} of ${user}`, category: 'fact', session: 's' }),
    );
    const summary = await loadImport((service ?? { database: database! }).database, lines.join('\n'), {
      format: 'jsonl',
      defaults: { tenant: 'default' },
      at: Date.now(),
      maxContentChars: 1_000,
    });
    expect(summary.inserted).toBe(ids.length);
  }
  async function run(
    given: Partial<ForgetArguments> & Pick<ForgetArguments, 'what' | 'id'>,
    ask: Ask = null,
  ) {
    const { terminal, lines } = keptTerminal();
    const context: CommandContext = {
      config,
      logger,
      terminal,
      ...(database ? { open: async () => ({ ...database!, close: async () => {} }) } : {}),
    };
    const all = { tenant: 'default', dryRun: false, yes: false, json: false, ...given };
    const code = await forgetCommand(context, all, ask);
    return { code, lines };
  }

  it('shows what would go, asks, and forgets when it is told to', async () => {
    await add('ana', 'a', 'b');
    const asked: string[] = [];
    const saying = (word: string): Ask => {
      return async (question) => {
        asked.push(question);
        return word;
      };
    };
    const of = { what: 'memory', id: 'a', user: 'ana' } as const;
    await expect(run(of, saying('no'))).rejects.toThrow(HeldBack);
    const { code, lines } = await run(of, saying(' Forget '));
    expect(code).toBe(EXIT.ok);
    expect(asked).toHaveLength(2);
    expect(lines[0]).toBe('memory a of ana: would be forgotten, nothing is written yet');
    expect(lines[1]).toBe('  1 memory that would go:');
    expect(lines[2]).toMatch(/^ {4}- [0-9a-f-]{36} {2}asked for$/);
    expect(lines).toContain('memory a of ana: forgotten');
    const error = await run(of, saying('forget')).catch((thrown: unknown) => thrown);
    expect(explain(error).message).toContain('there is no such memory');
  });

  it('only tells with --dry-run, asks nobody with --yes, and prints JSON', async () => {
    await add('ben', 'a', 'b');
    const of = { what: 'session', id: 's', user: 'ben' } as const;
    const would = await run({ ...of, dryRun: true, json: true });
    expect(JSON.parse(would.lines[0]!)).toMatchObject({ status: 'would', user: 'ben' });
    const done = await run({ ...of, yes: true, json: true });
    const told = JSON.parse(done.lines[0]!);
    expect(told).toMatchObject({ status: 'done', tenant: 'default' });
    expect(told.removed.memories).toHaveLength(2);
    const user = await run({ what: 'user', id: 'ben', yes: true });
    expect(user.lines[0]).toBe('user ben: forgotten');
  });

  it('is held back where nobody can be asked', async () => {
    await add('cem', 'a');
    for (const more of [{}, { json: true }]) {
      const attempt = run({ what: 'user', id: 'cem', ...more }, more.json ? async () => 'forget' : null);
      await expect(attempt).rejects.toThrow(/--dry-run first, then say --yes/);
    }
    expect((await run({ what: 'user', id: 'cem', yes: true })).code).toBe(EXIT.ok);
  });

  it('must know whose it is', async () => {
    await expect(run({ what: 'memory', id: 'a', yes: true })).rejects.toThrow(UsageError);
    await expect(run({ what: 'user', id: 'a', user: 'b', yes: true })).rejects.toThrow(/name two/);
    const error = await run({ what: 'user', id: 'nobody', yes: true }).catch((thrown: unknown) => thrown);
    expect(explain(error).message).toContain('no such user');
  });
});

describe('what was forgotten, in lines', () => {
  const removed = {
    memories: Array.from({ length: 22 }, (_, i) => ({ id: `m${i}`, why: 'derived' as const })),
    relations: 1,
    conflicts: 0,
    embeddings: 2,
    neighbours: 0,
    sessions: 0,
    messages: 3,
    summaries: 1,
    answers: 0,
    fusions: 0,
    recallEvents: 0,
    images: 4,
    changeSets: 1,
    verdicts: 0,
    feedback: 0,
    profiles: 0,
  };

  it('names some and counts the rest, and shows what is left', () => {
    const lines = forgetLines('memory x', {
      status: 'done',
      removed,
      reopened: ['r1'],
      mentions: { memories: ['k1'], scheduledItems: [], goals: ['g1'] },
      changeSetId: null,
    });
    expect(lines[0]).toBe('memory x: forgotten');
    expect(lines[1]).toBe('  22 memories gone:');
    expect(lines[2]).toBe('    - m0  made of it');
    expect(lines).toContain('    … and 2 more (--json lists them)');
    expect(lines).toEqual(
      expect.arrayContaining([
        '  1 relation',
        '  3 messages',
        '  1 summary of a session',
        '  1 change that can no longer be undone',
        '  1 memory latest again:',
        '    + r1',
        '    ! memory k1',
        '    ! goal g1',
      ]),
    );
    expect(lines.filter((line) => /^ *0 /.test(line))).toEqual([]);
    expect(lines.filter((line) => /workspace|document|block/.test(line))).toEqual([]);
  });

  it('counts what went from workspaces, and names the documents that still say it', () => {
    const lines = forgetLines('memory x', {
      status: 'would',
      removed: {
        ...removed,
        memories: [],
        workspaces: { blocks: 1, lines: 2, documents: 1, versions: 0 },
      },
      reopened: [],
      mentions: {
        memories: [],
        scheduledItems: [],
        goals: [],
        documents: [
          { workspace: 'home', path: 'MEMORY.md' },
          { workspace: 'line\u0007', path: '2026-05-01.md' },
        ],
      },
      changeSetId: null,
    });
    expect(lines).toEqual(
      expect.arrayContaining([
        '  1 imported block, never to be imported again',
        '  2 lines of workspaces',
        '  1 document that lost what said it',
        '  2 things that still hold the text, for you to look at:',
        '    ! document MEMORY.md of the workspace home',
        '    ! document 2026-05-01.md of the workspace line\ufffd',
      ]),
    );
    expect(lines.some((line) => line.includes('earlier content'))).toBe(false);
  });
});
