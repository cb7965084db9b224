import { mkdir, mkdtemp, rm, symlink, truncate, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { readConfig } from '@slowwave/config';
import { listMemories } from '@slowwave/db';
import { createLogger } from '@slowwave/worker';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ImportArguments, importCommand } from '../../apps/standalone/src/import-command.ts';
import { startOwnService } from '../fixtures/command-stage.ts';
import { serverFixture } from '../fixtures/databases.ts';
import { ownDatabase } from '../fixtures/own-database.ts';

const CANARY = 'quillbrook';
const MEM0 = {
  results: [
    {
      id: 'm1',
      memory: 'Likes tea.',
      user_id: 'zoe',
      created_at: '2026-01-02T03:04:05Z',
      categories: ['food'],
    },
    { id: 'm2', note: CANARY, user_id: 'zoe' },
    { id: 'm3', memory: 'Rows.', user_id: 'zoe', created_at: '2126-01-02T03:04:05Z' },
  ],
};
const AGENT = {
  agents: [{ messages: [{}] }],
  blocks: [
    { label: 'human', value: 'Name: Ada' },
    { label: 'persona', value: '' },
  ],
};

describe('slowwave import of foreign files', () => {
  let folder: string;
  const { database } = ownDatabase(serverFixture);
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'foreign-'));
    const claw = path.join(folder, 'claw');
    await mkdir(path.join(claw, 'memory'), { recursive: true });
    await mkdir(path.join(claw, 'node_modules'), { recursive: true });
    await writeFile(path.join(claw, 'MEMORY.md'), '# Memory\n\n- Ada rows every day.\n');
    await writeFile(path.join(claw, 'SOUL.md'), 'You are kind.\n');
    await writeFile(path.join(claw, 'node_modules', 'x.md'), '- not ours\n');
    await writeFile(path.join(claw, 'memory', '2026-03-01.md'), '- met Ben\n');
    await symlink('/etc/hostname', path.join(claw, 'memory', 'link.md'));
    await writeFile(path.join(folder, 'mem0.json'), JSON.stringify(MEM0));
    await writeFile(path.join(folder, 'agent.af'), JSON.stringify(AGENT));
    await writeFile(path.join(folder, 'broken.md'), Buffer.from([0xff, 0xfe, 0x41, 0]));
  });
  afterAll(async () => {
    await rm(folder, { recursive: true, force: true });
  });

  /** Over the open database, or through the service that owns a folder. */
  async function run(file: string, more: Partial<ImportArguments> = {}, dataDir?: string) {
    const lines: string[] = [];
    const errors: string[] = [];
    const progress: string[] = [];
    const config = readConfig({
      SLOWWAVE_MODEL_PROVIDER: 'offline',
      SLOWWAVE_DATA_DIR: dataDir ?? path.join(folder, 'none'),
    });
    const code = await importCommand(
      {
        config,
        logger: createLogger('silent', { write: () => {} }),
        terminal: {
          line: (text = '') => lines.push(text),
          error: (text) => errors.push(text),
          progress: (text) => progress.push(text),
          clear: () => {},
          bold: (text) => text,
          dim: (text) => text,
          columns: null,
        },
        open: async () => ({ ...database, close: async () => {} }),
      },
      { file: path.join(folder, file), tenant: 'default', format: 'auto', json: false, ...more },
    );
    return { code, lines, errors, progress };
  }
  const told = async (user: string) =>
    (
      await database.withTenant('default', (tx) =>
        listMemories(tx, { tenant: 'default', user, at: Date.now(), latestOnly: true, limit: 50 }),
      )
    )
      .map(({ content }) => content)
      .sort();

  it('adds what mem0 exported, tells what it could not read, and adds nothing the second time', async () => {
    const first = await run('mem0.json');
    expect(first.code).toBe(1);
    expect(first.lines[0]).toBe('1 file read as mem0: 1 memory new, 0 known, 0 skipped, 2 refused');
    expect(first.errors).toEqual([
      expect.stringContaining('mem0.json 2: '),
      expect.stringContaining('mem0.json 3: date lies more than a day'),
    ]);
    expect(first.progress).toContain('1 of 1 files read, 1 memories new');
    expect(JSON.stringify(first)).not.toContain(CANARY);
    expect((await run('mem0.json')).lines[0]).toContain('0 memories new, 1 known');
    expect(await told('zoe')).toEqual(['Likes tea.']);
  });

  it('reads a workspace of OpenClaw from its folder, and says what it left out and why', async () => {
    const { code, lines, errors } = await run('claw', { user: 'ada', timezone: 'Europe/Berlin' });
    expect([code, errors]).toEqual([0, []]);
    expect(lines).toEqual([
      '2 files read as openclaw: 2 memories new, 0 known, 1 skipped, 0 refused',
      '  skipped 1: what the agent is told about itself',
    ]);
    expect(await told('ada')).toEqual(['Ada rows every day.', 'met Ben']);
    const all = await run('claw', { user: 'ada', format: 'markdown', json: true });
    expect(JSON.parse(all.lines[0]!)).toMatchObject({
      format: 'markdown',
      files: 3,
      inserted: 1,
      unchanged: 2,
      problemCount: 0,
    });
  });

  it('reads an agent file of Letta', async () => {
    const { lines } = await run('agent.af', { user: 'lea' });
    expect(lines[0]).toBe('1 file read as letta: 1 memory new, 0 known, 2 skipped, 0 refused');
    expect(await told('lea')).toEqual(['Name: Ada']);
  });

  it.each([
    ['agent.af', {}, '--user'],
    ['claw', {}, '--user'],
    ['claw', { format: 'mem0' as const, user: 'a' }, 'only openclaw and markdown'],
    ['nothing.af', { user: 'a' }, 'there is no file'],
    ['agent.af', { user: 'a', timezone: 'Berlin' }, '--timezone'],
    ['claw/node_modules/..', { user: 'a', format: 'jsonl' as const }, 'is a folder'],
  ])('of %s with %j is refused with what to do', async (file, more, message) => {
    await expect(run(file, more)).rejects.toThrow(message);
  });

  it('importCommand: files of a folder that cannot be read, tells each with its reason and keeps the others', async () => {
    const vault = path.join(folder, 'vault');
    await mkdir(vault);
    await writeFile(path.join(vault, 'a.md'), '- Nora sails.\n');
    await writeFile(path.join(vault, 'b.md'), Buffer.from('- Caf\xe9 at noon.\n', 'latin1'));
    await writeFile(path.join(vault, 'c.md'), '');
    await truncate(path.join(vault, 'c.md'), 64 * 1024 * 1024 + 1);
    await writeFile(path.join(vault, 'd.md'), '- Nora has a boat.\n');
    await utimes(path.join(vault, 'd.md'), 0, 0);
    const { code, lines, errors } = await run('vault', { user: 'nora' });
    expect(code).toBe(1);
    expect(lines).toEqual(['2 files read as markdown: 2 memories new, 0 known, 0 skipped, 2 refused']);
    expect(errors).toEqual([
      '  b.md: the file is not UTF-8 text: save it as UTF-8 [not_text]',
      '  c.md: the file is larger than 64 MiB: split it [too_large]',
    ]);
    expect(await told('nora')).toEqual(['Nora has a boat.', 'Nora sails.']);
    const alone = await run('broken.md', { user: 'nora' });
    expect([alone.code, alone.errors]).toEqual([
      1,
      ['  broken.md: the file is not UTF-8 text: save it as UTF-8 [not_text]'],
    ]);
  });

  it('goes through the service that owns the folder', async () => {
    const dataDir = path.join(folder, 'served');
    const config = readConfig({
      SLOWWAVE_MODEL_PROVIDER: 'offline',
      SLOWWAVE_DATA_DIR: dataDir,
      SLOWWAVE_HTTP_PORT: '0',
    });
    const service = await startOwnService(config);
    try {
      const first = await run('claw', { user: 'ada', json: true }, dataDir);
      expect(JSON.parse(first.lines[0]!)).toMatchObject({
        inserted: 2,
        unchanged: 0,
        files: 2,
        skipped: { persona: 1 },
      });
      const again = await run('claw', { user: 'ada', json: true }, dataDir);
      expect(JSON.parse(again.lines[0]!)).toMatchObject({ inserted: 0, unchanged: 2 });
      await writeFile(path.join(folder, 'ahead.json'), JSON.stringify([MEM0.results[2]]));
      const refused = await run('ahead.json', { json: true }, dataDir);
      expect(JSON.parse(refused.lines[0]!)).toMatchObject({
        inserted: 0,
        problemCount: 1,
        problems: [{ line: 1, file: 'ahead.json', code: 'future_date' }],
      });
      await writeFile(
        path.join(folder, 'nouser.jsonl'),
        '{"content":"no user here"}\n{"content":"nor here"}\n',
      );
      const unnamed = await run('nouser.jsonl', {}, dataDir);
      expect([unnamed.code, unnamed.lines]).toEqual([
        1,
        ['0 memories new, 0 unchanged, 0 relations, 0 users (0 new), 2 refused'],
      ]);
      expect(unnamed.errors).toEqual([
        expect.stringMatching(/^ {2}line 1: user is missing; .* \[missing\]$/),
        expect.stringMatching(/^ {2}line 2: user is missing; /),
      ]);
      const told = await run('nouser.jsonl', { json: true }, dataDir);
      expect(JSON.parse(told.lines[0]!)).toMatchObject({
        problemCount: 2,
        problems: [{ line: 1 }, { line: 2 }],
      });
    } finally {
      await service.close();
    }
  });
});
