import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EXIT } from '../../apps/standalone/src/exit.ts';
import { addWorkspaceCommand } from '../../apps/standalone/src/workspace-command.ts';
import { catCommand } from '../../apps/standalone/src/workspace-document-commands.ts';
import {
  projectCommand,
  undoRunCommand,
  workspaceRunsCommand,
} from '../../apps/standalone/src/workspace-run-commands.ts';
import { COMMAND_WAYS, type CommandStage, openCommandStage } from '../fixtures/command-stage.ts';

describe.each(COMMAND_WAYS)('the work on a workspace %s', (way) => {
  let stage: CommandStage;
  beforeAll(async () => {
    stage = await openCommandStage(way);
  });
  afterAll(() => stage?.close());

  const newUser = () => stage.newUser();
  const run: CommandStage['run'] = (command) => stage.run(command);
  const refused: CommandStage['refused'] = (command) => stage.refused(command);
  const printed: CommandStage['printed'] = (command, isTTY) => stage.printed(command, isTTY);

  it('shows what would be written, writes it, and takes it back', async () => {
    const of = await newUser();
    await run((context) => addWorkspaceCommand(context, { ...of, documents: true }));
    const preview = await run((context) => projectCommand(context, { ...of, preview: true }));
    expect(preview[0]).toMatch(/^MEMORY\.md, from line \d+:$/);
    expect(preview.join('\n')).toContain('Ana lives in Oslo.');
    const cat = () => printed((context, output) => catCommand(context, { ...of, file: 'MEMORY.md' }, output));
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
});
