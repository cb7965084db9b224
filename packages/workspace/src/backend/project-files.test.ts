import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  ensureOpenClawMemoryFiles,
  getDefaultLongTermMemoryScaffold,
  listAgentMemoryFiles,
  listProjectMemoryFiles,
  readAgentMemoryFile,
  readProjectMemoryFileContent,
  writeAgentMemoryFile,
  writeProjectMemoryFile,
} from '../memory-backend.ts';

const DATE = new Date('2026-04-19T23:59:59.000Z');
let root: string;
const at = (name: string) => join(root, '.fusion', 'memory', name);
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'slowwave-project-'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

describe('project files', () => {
  it('CT-14 bootstrap creates what is missing, once, whoever else does', async () => {
    const results = await Promise.all(Array.from({ length: 8 }, () => ensureOpenClawMemoryFiles(root, DATE)));
    expect(results.filter((result) => result.longTermCreated)).toHaveLength(1);
    expect(results.filter((result) => result.dailyCreated)).toHaveLength(1);
    expect(await readdir(join(root, '.fusion', 'memory'))).toEqual([
      '2026-04-19.md',
      'DREAMS.md',
      'MEMORY.md',
    ]);
    expect(await readFile(at('MEMORY.md'), 'utf8')).toBe(getDefaultLongTermMemoryScaffold());
  });

  it('CT-14 bootstrap never writes over what is there, empty or odd as it is', async () => {
    await mkdir(at('DREAMS.md'), { recursive: true });
    await writeFile(at('MEMORY.md'), '');
    await writeFile(at('2026-04-19.md'), Buffer.from([0xff]));
    expect(await ensureOpenClawMemoryFiles(root, DATE)).toEqual({
      longTermCreated: false,
      dailyCreated: false,
    });
    expect(await readFile(at('MEMORY.md'), 'utf8')).toBe('');
    expect(await readFile(at('2026-04-19.md'))).toEqual(Buffer.from([0xff]));
  });

  it('lists the documents of a project, created first', async () => {
    const files = await listProjectMemoryFiles(root, DATE);
    expect(files.map((file) => file.path)).toEqual([
      '.fusion/memory/MEMORY.md',
      '.fusion/memory/2026-04-19.md',
      '.fusion/memory/DREAMS.md',
    ]);
  });

  it('reads what it wrote', async () => {
    await writeProjectMemoryFile(root, 'memory/2026-01-01.md', 'note');
    const found = await readProjectMemoryFileContent(root, '.fusion\\memory\\2026-01-01.md');
    expect(found).toEqual({ path: '.fusion/memory/2026-01-01.md', content: 'note' });
    await expect(readProjectMemoryFileContent(root, '2026-01-02.md')).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
  });
});

describe('agent files', () => {
  it.each([
    ['agent-001', 'agent-001'],
    ['a/b c', 'a-b-c'],
    ['../../x', '..-..-x'],
    ['..', 'agent'],
    ['', 'agent'],
    ['***', 'agent'],
  ])('CT-07 the folder of agent %j stays below the project', async (agent, folder) => {
    await writeAgentMemoryFile(root, agent, 'MEMORY.md', 'own');
    expect(await readdir(join(root, '.fusion', 'agent-memory'))).toEqual([folder]);
    const path = `.fusion/agent-memory/${folder}/MEMORY.md`;
    expect(await readAgentMemoryFile(root, agent, path)).toEqual({ path, content: 'own' });
  });

  it.each([
    '../agent-2/MEMORY.md',
    '/etc/passwd',
    'notes.txt',
    'sub/MEMORY.md',
    '.fusion/agent-memory/a/sub/MEMORY.md',
    '.fusion/agent-memory/b/MEMORY.md',
    '.fusion/memory/MEMORY.md',
    '2026-02-30.md',
  ])('CT-07 an agent cannot reach %j', async (path) => {
    await expect(readAgentMemoryFile(root, 'a', path)).rejects.toMatchObject({ code: 'UNSUPPORTED' });
    await expect(writeAgentMemoryFile(root, 'a', path, 'x')).rejects.toMatchObject({ code: 'UNSUPPORTED' });
    expect(await readdir(root)).toEqual([]);
  });

  it('CT-08 a linked agent folder is not followed', async () => {
    await mkdir(join(root, '.fusion', 'agent-memory'), { recursive: true });
    await mkdir(join(root, 'outside'));
    await symlink(join(root, 'outside'), join(root, '.fusion', 'agent-memory', 'a'));
    await expect(writeAgentMemoryFile(root, 'a', 'MEMORY.md', 'x')).rejects.toMatchObject({
      code: 'UNSUPPORTED',
    });
    await expect(listAgentMemoryFiles(root, 'a', DATE)).rejects.toMatchObject({ code: 'UNSUPPORTED' });
    expect(await readdir(join(root, 'outside'))).toEqual([]);
  });
});
