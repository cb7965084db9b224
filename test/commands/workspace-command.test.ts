import { mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EXIT } from '../../apps/standalone/src/exit.ts';
import {
  addWorkspaceCommand,
  listWorkspacesCommand,
  removeWorkspaceCommand,
  setWorkspaceCommand,
  showWorkspaceCommand,
} from '../../apps/standalone/src/workspace-command.ts';
import {
  catCommand,
  filesCommand,
  writeCommand,
} from '../../apps/standalone/src/workspace-document-commands.ts';
import { projectCommand } from '../../apps/standalone/src/workspace-run-commands.ts';
import { COMMAND_WAYS, type CommandStage, openCommandStage } from '../fixtures/command-stage.ts';

describe.each(COMMAND_WAYS)('slowwave workspace %s', (way) => {
  let stage: CommandStage;
  beforeAll(async () => {
    stage = await openCommandStage(way);
  });
  afterAll(() => stage?.close());

  const newUser = () => stage.newUser();
  const run: CommandStage['run'] = (command) => stage.run(command);
  const refused: CommandStage['refused'] = (command) => stage.refused(command);
  const input = async function* (text: string): AsyncGenerator<string> {
    yield text;
  };

  it('makes, lists, shows, changes and removes workspaces', async () => {
    const of = await newUser();
    const place = path.join(stage.folder, 'place 1');
    await mkdir(place);
    expect(await run((context) => listWorkspacesCommand(context, of))).toEqual([
      `${of.user} has no workspace`,
    ]);
    const made = await run((context) =>
      addWorkspaceCommand(context, { ...of, path: place, documents: false, insights: true }),
    );
    expect(made[0]).toBe(`place 1 of ${of.user} is a workspace now`);
    expect(made.join('\n')).toContain(place);
    await run((context) => addWorkspaceCommand(context, { ...of, documents: true }));
    const listed = await run((context) => listWorkspacesCommand(context, of));
    expect(listed.map((line) => line.split(/ {2,}/))).toEqual([
      ['NAME', 'BACKEND', 'PLACE'],
      ['documents', 'postgres', 'documents in the database'],
      ['place 1', 'file', place],
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
      removeWorkspaceCommand(context, { ...removal, workspace: 'place 1' }, null),
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

  it('refuses folders that are none, and follows no link in them', async () => {
    const of = await newUser();
    const file = path.join(stage.folder, 'file 1');
    await writeFile(file, '');
    for (const [place, code] of [
      ['/dev/zero', 'something else'],
      ['/dev', 'of the system'],
      ['/', 'of the system'],
      [file, 'something else'],
      [path.join(stage.folder, 'nothing'), 'no such folder'],
      [path.join(stage.folder, 'a'.repeat(5_000)), 'cannot be opened'],
    ] as const) {
      const told = await refused((context) =>
        addWorkspaceCommand(context, { ...of, path: place, documents: false, workspace: 'w' }),
      );
      expect([place, told.code]).toEqual([place, EXIT.config]);
      expect(told.message).toContain(code);
    }
    const place = path.join(stage.folder, 'linked 1');
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
});
