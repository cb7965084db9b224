import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { type Config, readConfig } from '@slowwave/config';
import { type Database, loadImport, migrate } from '@slowwave/db';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openInMemory } from '../../../test/fixtures/in-memory.ts';
import type { CommandContext } from './anywhere.ts';
import { EXIT, explain } from './exit.ts';
import { type Service, startService } from './service.ts';
import {
  addWorkspaceCommand,
  listWorkspacesCommand,
  removeWorkspaceCommand,
  setWorkspaceCommand,
  showWorkspaceCommand,
} from './workspace-command.ts';
import { catCommand, filesCommand, searchCommand, writeCommand } from './workspace-document-commands.ts';
import { auditCommand, insightsCommand } from './workspace-insight-commands.ts';
import { projectCommand, undoRunCommand, workspaceRunsCommand } from './workspace-run-commands.ts';

const logger = pino({ level: 'silent' });
const tenant = 'default';
type Run = (context: CommandContext) => Promise<number>;

describe.each(['on the database', 'through the service'])(
  'slowwave workspace %s',
  { timeout: 60_000 },
  (way) => {
    let folder: string;
    let config: Config;
    let service: Service | null = null;
    let database: Database | null = null;
    let serial = 0;

    beforeAll(async () => {
      folder = await realpath(await mkdtemp(path.join(tmpdir(), 'slowwave workspace ')));
      config = readConfig({
        SLOWWAVE_DATA_DIR: path.join(folder, 'data'),
        SLOWWAVE_HTTP_PORT: '0',
        SLOWWAVE_MODEL_PROVIDER: 'offline',
      });
      if (way === 'through the service') service = await startService({ config, logger, serve: true });
      if (!service) {
        database = await openInMemory();
        await migrate(database);
      }
    }, 120_000);
    afterAll(async () => {
      await service?.close();
      await database?.close();
      await rm(folder, { recursive: true, force: true });
    }, 60_000);

    async function newUser(): Promise<{ user: string; tenant: string; json: boolean }> {
      const user = `ana-${++serial}`;
      const line = { user, content: 'Ana lives in Oslo.', category: 'fact', importance: 9 };
      const data = (service ?? { database: database! }).database;
      await loadImport(data, JSON.stringify(line), {
        format: 'jsonl',
        defaults: { tenant },
        at: Date.now() - 60_000,
        maxContentChars: 1_000,
      });
      return { user, tenant, json: false };
    }
    function kept(): { context: CommandContext; lines: string[] } {
      const lines: string[] = [];
      const same = (text: string) => text;
      const terminal = {
        line: (text = '') => void lines.push(text),
        error: (text: string) => void lines.push(`error: ${text}`),
        progress: () => {},
        clear: () => {},
        bold: same,
        dim: same,
      };
      const open = database ? { open: async () => ({ ...database!, close: async () => {} }) } : {};
      return { lines, context: { config, logger, terminal, ...open } };
    }
    async function run(command: Run): Promise<string[]> {
      const { context, lines } = kept();
      expect([await command(context), ...lines]).toEqual([EXIT.ok, ...lines]);
      return lines;
    }
    async function refused(command: Run): Promise<{ code: number; message: string }> {
      return explain(
        await command(kept().context).then(
          () => null,
          (error: unknown) => error,
        ),
      );
    }
    const input = async function* (text: string): AsyncGenerator<string> {
      yield text;
    };
    const printed = async (
      command: (
        context: CommandContext,
        output: { write(text: string): void; isTTY: boolean },
      ) => Promise<number>,
      isTTY = false,
    ) => {
      const parts: string[] = [];
      await run((context) => command(context, { write: (part) => void parts.push(part), isTTY }));
      return parts.join('');
    };

    it('makes, lists, shows, changes and removes workspaces', async () => {
      const of = await newUser();
      const place = path.join(folder, `place ${serial}`);
      await mkdir(place);
      expect(await run((context) => listWorkspacesCommand(context, of))).toEqual([
        `${of.user} has no workspace`,
      ]);
      const made = await run((context) =>
        addWorkspaceCommand(context, { ...of, path: place, documents: false, insights: true }),
      );
      expect(made[0]).toBe(`place ${serial} of ${of.user} is a workspace now`);
      expect(made.join('\n')).toContain(place);
      await run((context) => addWorkspaceCommand(context, { ...of, documents: true }));
      const listed = await run((context) => listWorkspacesCommand(context, of));
      expect(listed.map((line) => line.split(/ {2,}/))).toEqual([
        ['NAME', 'BACKEND', 'PLACE'],
        ['documents', 'postgres', 'documents in the database'],
        [`place ${serial}`, 'file', place],
      ]);
      const shown = await run((context) => showWorkspaceCommand(context, { ...of, workspace: 'documents' }));
      expect(shown.join('\n')).toMatch(/quota +16 MiB/);
      const changed = await run((context) =>
        setWorkspaceCommand(context, {
          ...of,
          workspace: 'documents',
          quota: 1024,
          notes: false,
          json: true,
        }),
      );
      expect(JSON.parse(changed[0]!)).toMatchObject({
        quotaBytes: 1024,
        importEnabled: false,
        insightsEnabled: false,
      });
      const removal = { ...of, workspace: 'documents', yes: false };
      const asked: string[] = [];
      const saying = (word: string) => async (question: string) => {
        asked.push(question);
        return word;
      };
      expect(await refused((context) => removeWorkspaceCommand(context, removal, saying('no')))).toEqual({
        code: EXIT.failed,
        message: 'nothing was removed',
      });
      expect((await refused((context) => removeWorkspaceCommand(context, removal, null))).message).toContain(
        '--yes',
      );
      await run((context) => removeWorkspaceCommand(context, removal, saying('remove')));
      expect(asked).toHaveLength(2);
      await writeFile(path.join(place, 'mine.txt'), 'mine');
      const gone = await run((context) =>
        removeWorkspaceCommand(context, { ...removal, workspace: `place ${serial}` }, null),
      );
      expect(gone[0]).toContain('its files stay where they are');
      expect(await readFile(path.join(place, 'mine.txt'), 'utf8')).toBe('mine');
    });

    it('says what may have been meant', async () => {
      const of = await newUser();
      const none = await refused((context) => filesCommand(context, of));
      expect(none).toEqual({
        code: EXIT.config,
        message: expect.stringContaining('slowwave workspace add PATH'),
      });
      for (const workspace of ['notes', 'journal']) {
        await run((context) => addWorkspaceCommand(context, { ...of, workspace, documents: true }));
      }
      expect(await refused((context) => filesCommand(context, of))).toEqual({
        code: EXIT.config,
        message: 'which workspace? --workspace names one of journal, notes',
      });
      expect(
        (await refused((context) => filesCommand(context, { ...of, workspace: 'note' }))).message,
      ).toContain('did you mean notes?');
      const inNotes = { ...of, workspace: 'notes' };
      const twice = await refused((context) => addWorkspaceCommand(context, { ...inNotes, documents: true }));
      expect(twice).toEqual({ code: EXIT.config, message: expect.stringContaining('already') });
      const lower = await refused((context) => catCommand(context, { ...inNotes, file: 'memory.md' }));
      expect(lower).toEqual({
        code: EXIT.config,
        message: expect.stringContaining('did you mean MEMORY.md?'),
      });
      const absent = await refused((context) => catCommand(context, { ...inNotes, file: 'MEMORY.md' }));
      expect(absent).toEqual({
        code: EXIT.config,
        message: expect.stringContaining('There is no memory file'),
      });
      expect((await refused((context) => setWorkspaceCommand(context, inNotes))).message).toContain(
        'nothing to change',
      );
      const backend = await refused((context) =>
        setWorkspaceCommand(context, { ...inNotes, backend: 'postgers' }),
      );
      expect(backend).toEqual({
        code: EXIT.config,
        message: expect.stringContaining('did you mean postgres?'),
      });
      const cron = await refused((context) =>
        setWorkspaceCommand(context, { ...inNotes, schedule: 'nightly' }),
      );
      expect(cron).toEqual({ code: EXIT.config, message: expect.stringContaining('five fields') });
      const neither = await refused((context) => addWorkspaceCommand(context, { ...of, documents: false }));
      expect(neither.code).toBe(EXIT.config);
      const nobody = await refused((context) =>
        addWorkspaceCommand(context, { ...of, user: 'nobody', documents: true }),
      );
      expect(nobody).toEqual({ code: EXIT.config, message: expect.stringContaining('no such user') });
    });

    it('writes, prints and searches documents byte for byte', async () => {
      const of = await newUser();
      await run((context) => addWorkspaceCommand(context, { ...of, documents: true }));
      const text = '# Mine\r\n\u001b[31mred heron\nno end';
      const [written] = await run((context) =>
        writeCommand(context, { ...of, file: 'MEMORY.md', append: false }, input(text)),
      );
      const version = /version ([0-9a-f]{64})$/.exec(written!)?.[1];
      const cat = (isTTY: boolean, more = {}) =>
        printed(
          (context, output) => catCommand(context, { ...of, file: 'MEMORY.md', ...more }, output),
          isTTY,
        );
      expect(await cat(false)).toBe(text);
      expect(await cat(true)).toBe('# Mine\ufffd\n\ufffd[31mred heron\nno end');
      expect(await cat(false, { from: 2, lines: 1 })).toBe('\u001b[31mred heron');
      const write = (more: object, words: string) => (context: CommandContext) =>
        writeCommand(context, { ...of, file: 'MEMORY.md', append: false, ...more }, input(words));
      expect(await refused(write({ expect: 'none' }, 'x'))).toMatchObject({ code: EXIT.failed });
      await run(write({ append: true }, 'added'));
      expect(await cat(false)).toBe(`${text}\nadded\n`);
      expect(await refused(write({ expect: version }, 'x'))).toMatchObject({ code: EXIT.failed });
      expect((await refused(write({ append: true, expect: 'none' }, 'x'))).code).toBe(EXIT.config);
      const found = await run((context) => searchCommand(context, { ...of, query: 'heron', limit: 5 }));
      expect(found[0]).toMatch(/^\.fusion\/memory\/MEMORY\.md:1-\d$/);
      expect(found.join('\n')).toContain('red heron');
      expect(found.join('\n')).not.toContain('\u001b');
      expect(await run((context) => searchCommand(context, { ...of, query: 'walrus', limit: 5 }))).toEqual([
        'nothing found',
      ]);
      const files = await run((context) => filesCommand(context, of));
      expect(files).toHaveLength(1);
      expect(files[0]).toMatch(/^\.fusion\/memory\/MEMORY\.md {2}\d+ B {2}2\d{3}-.*Z {2}Long-term memory$/);
    });

    it('takes a text from a file that ends, and from nothing else', async () => {
      const of = await newUser();
      await run((context) => addWorkspaceCommand(context, { ...of, documents: true }));
      const pipe = path.join(folder, `pipe ${serial}`);
      await promisify(execFile)('mkfifo', [pipe]);
      const bytes = path.join(folder, `bytes ${serial}`);
      await writeFile(bytes, Buffer.from([0xff, 0xfe, 0x00]));
      const good = path.join(folder, `good ${serial}`);
      await writeFile(good, '\ufeffgood');
      const write = (from: string) => (context: CommandContext) =>
        writeCommand(context, { ...of, file: 'MEMORY.md', append: false, from });
      for (const from of [
        '/dev/zero',
        pipe,
        folder,
        bytes,
        path.join(folder, 'nothing'),
        'a\u0000b',
        'a'.repeat(5_000),
      ]) {
        expect([from, (await refused(write(from))).code]).toEqual([from, EXIT.config]);
      }
      await run(write(good));
      const text = await printed((context, output) =>
        catCommand(context, { ...of, file: 'MEMORY.md' }, output),
      );
      expect(text).toBe('\ufeffgood');
    });

    it('refuses folders that are none, and follows no link in them', async () => {
      const of = await newUser();
      const file = path.join(folder, `file ${serial}`);
      await writeFile(file, '');
      for (const [place, code] of [
        ['/dev/zero', 'something else'],
        ['/dev', 'of the system'],
        ['/', 'of the system'],
        [file, 'something else'],
        [path.join(folder, 'nothing'), 'no such folder'],
        [path.join(folder, 'a'.repeat(5_000)), 'cannot be opened'],
      ] as const) {
        const told = await refused((context) =>
          addWorkspaceCommand(context, { ...of, path: place, documents: false, workspace: 'w' }),
        );
        expect([place, told.code]).toEqual([place, EXIT.config]);
        expect(told.message).toContain(code);
      }
      const place = path.join(folder, `linked ${serial}`);
      await mkdir(path.join(place, '.fusion/memory'), { recursive: true });
      await symlink(file, path.join(place, '.fusion/memory/MEMORY.md'));
      await run((context) => addWorkspaceCommand(context, { ...of, path: place, documents: false }));
      const written = await refused((context) =>
        writeCommand(context, { ...of, file: 'MEMORY.md', append: false }, input('x')),
      );
      expect(written.code).toBe(EXIT.config);
      expect(await readFile(file, 'utf8')).toBe('');
      await rm(place, { recursive: true });
      expect(await refused((context) => filesCommand(context, of))).toMatchObject({ code: EXIT.unreachable });
      const listed = await run((context) => listWorkspacesCommand(context, of));
      expect(listed[1]).toContain('unreachable');
    });

    it('reads nothing of a read-only workspace, and writes nothing', async () => {
      const of = await newUser();
      await run((context) => addWorkspaceCommand(context, { ...of, documents: true, backend: 'readonly' }));
      const written = await refused((context) =>
        writeCommand(context, { ...of, file: 'MEMORY.md', append: false }, input('x')),
      );
      expect(written.code).toBe(EXIT.failed);
      expect(await run((context) => filesCommand(context, of))).toEqual(['no document yet']);
      expect((await refused((context) => projectCommand(context, { ...of, preview: false }))).code).toBe(
        EXIT.failed,
      );
    });

    it('shows what would be written, writes it, and takes it back', async () => {
      const of = await newUser();
      await run((context) => addWorkspaceCommand(context, { ...of, documents: true }));
      const preview = await run((context) => projectCommand(context, { ...of, preview: true }));
      expect(preview[0]).toMatch(/^MEMORY\.md, from line \d+:$/);
      expect(preview.join('\n')).toContain('Ana lives in Oslo.');
      const cat = () =>
        printed((context, output) => catCommand(context, { ...of, file: 'MEMORY.md' }, output));
      expect(await refused((context) => catCommand(context, { ...of, file: 'MEMORY.md' }))).toMatchObject({
        code: EXIT.config,
      });
      const [line] = await run((context) => projectCommand(context, { ...of, preview: false }));
      expect(line).toMatch(
        /^MEMORY\.md brought up to date; to take it back: slowwave workspace undo [0-9a-f-]{36} --user ana-\d+$/,
      );
      expect(await cat()).toContain('Ana lives in Oslo.');
      const id = /undo ([0-9a-f-]{36})/.exec(line!)![1]!;
      const runs = await run((context) => workspaceRunsCommand(context, { ...of, limit: 20 }));
      expect(runs[0]).toMatch(new RegExp(`^${id} {2}projection {2}completed`));
      expect(await run((context) => undoRunCommand(context, { ...of, run: id }))).toEqual([
        'undone: 1 document put back, MEMORY.md',
      ]);
      expect(await cat()).not.toContain('Oslo');
      expect(await run((context) => undoRunCommand(context, { ...of, run: id }))).toEqual([
        'it was undone before',
      ]);
      const unknown = await refused((context) =>
        undoRunCommand(context, { ...of, run: '00000000-0000-4000-8000-000000000000' }),
      );
      expect(unknown.code).toBe(EXIT.config);
    });

    it('tells how insights went, and reports on the memory', async () => {
      const of = await newUser();
      await run((context) => addWorkspaceCommand(context, { ...of, documents: true }));
      const insights = (more: object) => (context: CommandContext) =>
        insightsCommand(context, { ...of, now: false, force: false, ...more });
      expect((await run(insights({})))[0]).toContain('no insights yet');
      expect((await refused(insights({ force: true }))).code).toBe(EXIT.config);
      expect(await refused(insights({ now: true }))).toEqual({
        code: EXIT.failed,
        message: expect.stringContaining('switched off'),
      });
      expect((await refused(insights({ now: true, force: true }))).message).toContain('nothing in MEMORY.md');
      const report = await printed((context, output) => auditCommand(context, of, output));
      expect(report).toMatch(/^# /);
      const [json] = await run((context) => auditCommand(context, { ...of, json: true }));
      expect(JSON.parse(json!)).toMatchObject({ workingMemory: { exists: false } });
    });
  },
);
