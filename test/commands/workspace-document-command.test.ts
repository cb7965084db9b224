import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CommandContext } from '../../apps/standalone/src/anywhere.ts';
import { EXIT } from '../../apps/standalone/src/exit.ts';
import { addWorkspaceCommand } from '../../apps/standalone/src/workspace-command.ts';
import {
  catCommand,
  filesCommand,
  searchCommand,
  writeCommand,
} from '../../apps/standalone/src/workspace-document-commands.ts';
import { COMMAND_WAYS, type CommandStage, openCommandStage } from '../fixtures/command-stage.ts';

describe.each(COMMAND_WAYS)('documents of a workspace %s', (way) => {
  let stage: CommandStage;
  beforeAll(async () => {
    stage = await openCommandStage(way);
  });
  afterAll(() => stage?.close());

  const newUser = () => stage.newUser();
  const run: CommandStage['run'] = (command) => stage.run(command);
  const refused: CommandStage['refused'] = (command) => stage.refused(command);
  const printed: CommandStage['printed'] = (command, isTTY) => stage.printed(command, isTTY);
  const input = async function* (text: string): AsyncGenerator<string> {
    yield text;
  };

  it('writes, prints and searches documents byte for byte', async () => {
    const of = await newUser();
    await run((context) => addWorkspaceCommand(context, { ...of, documents: true }));
    const text = '# Mine\r\n\u001b[31mred heron\nno end';
    const [written] = await run((context) =>
      writeCommand(context, { ...of, file: 'MEMORY.md', append: false }, input(text)),
    );
    const version = /version ([0-9a-f]{64})$/.exec(written!)?.[1];
    const cat = (isTTY: boolean, more = {}) =>
      printed((context, output) => catCommand(context, { ...of, file: 'MEMORY.md', ...more }, output), isTTY);
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
    const pipe = path.join(stage.folder, 'pipe 1');
    await promisify(execFile)('mkfifo', [pipe]);
    const bytes = path.join(stage.folder, 'bytes 1');
    await writeFile(bytes, Buffer.from([0xff, 0xfe, 0x00]));
    const good = path.join(stage.folder, 'good 1');
    await writeFile(good, '\ufeffgood');
    const write = (from: string) => (context: CommandContext) =>
      writeCommand(context, { ...of, file: 'MEMORY.md', append: false, from });
    for (const from of [
      '/dev/zero',
      pipe,
      stage.folder,
      bytes,
      path.join(stage.folder, 'nothing'),
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
});
