import { FOREIGN_FORMATS } from '@slowwave/workspace';
import { CommanderError } from 'commander';
import { describe, expect, it } from 'vitest';
import { type Commands, createCommandLine } from './command-line.ts';

/** Which command a line comes to, and with what. */
async function parsed(...line: string[]): Promise<[string, ...unknown[]]> {
  const seen: [string, ...unknown[]][] = [];
  const keep =
    (name: string) =>
    (...given: unknown[]) => {
      seen.push([name, ...given]);
      return Promise.resolve(0);
    };
  const names = [
    'start',
    'demo',
    'import',
    'consolidate',
    'status',
    'hold',
    'settings',
    'quarantine',
    'release',
    'explain',
    'change',
    'preview',
    'reviews',
    'decide',
    'mode',
  ];
  const commands = Object.fromEntries(names.map((name) => [name, keep(name)])) as unknown as Commands;
  const program = createCommandLine(commands, { done: () => {} });
  for (const command of [program, ...program.commands]) {
    command.exitOverride().configureOutput({ writeErr: () => {}, writeOut: () => {} });
  }
  await program.parseAsync(line, { from: 'user' });
  return seen[0]!;
}

it('import: --format knows each foreign format, lines, text, and auto', () => {
  const program = createCommandLine({} as Commands, { done: () => {} });
  const options = program.commands.find((command) => command.name() === 'import')!.options;
  expect(options.find(({ long }) => long === '--format')!.argChoices!.toSorted()).toEqual(
    ['auto', 'jsonl', 'text', ...FOREIGN_FORMATS].sort(),
  );
});

const OF = { tenant: 'default', json: false };

describe('the command line', () => {
  it.each([
    [
      ['pause', '--user', 'ana'],
      ['hold', { action: 'pause', user: 'ana', all: false, json: false }],
    ],
    [
      ['resume', '--all', '--tenant', 't', '--tier', 'deep', '--json'],
      ['hold', { action: 'resume', all: true, tenant: 't', tier: 'deep', json: true }],
    ],
    [['settings'], ['settings', OF]],
    [
      ['settings', '--batches', 'forbid', '--tenant', 't'],
      ['settings', { ...OF, tenant: 't', batches: 'forbid' }],
    ],
    [['quarantine'], ['quarantine', OF]],
    [
      ['release', '--user', 'ana'],
      ['release', { ...OF, user: 'ana' }],
    ],
    [
      ['explain', 'f1', '--user', 'ana'],
      ['explain', { ...OF, memory: 'f1', user: 'ana' }],
    ],
    [
      ['confirm', 'f1'],
      ['change', { ...OF, memory: 'f1' }, { kind: 'confirm' }],
    ],
    [
      ['demote', 'f1'],
      ['change', { ...OF, memory: 'f1' }, { kind: 'demote', factor: 0.5 }],
    ],
    [
      ['demote', 'f1', '--factor', '.9'],
      ['change', { ...OF, memory: 'f1' }, { kind: 'demote', factor: 0.9 }],
    ],
    [
      ['prominence', 'f1', '0'],
      ['change', { ...OF, memory: 'f1' }, { kind: 'prominence', value: 0 }],
    ],
    [
      ['preview', '--user', 'ana', '--tier', 'sleep', '--timeout', '5'],
      ['preview', { ...OF, user: 'ana', tier: 'sleep', timeoutMs: 5_000 }],
    ],
    [['reviews'], ['reviews', OF]],
    [
      ['approve', 'abc', '--user', 'ana'],
      ['decide', { ...OF, action: 'approve', key: 'abc', user: 'ana', by: 'operator' }],
    ],
    [
      ['reject', 'abc', '--user', 'ana', '--by', 'zoe', '--json'],
      ['decide', { ...OF, action: 'reject', key: 'abc', user: 'ana', by: 'zoe', json: true }],
    ],
    [
      ['mode', 'review', '--user', 'ana'],
      ['mode', { ...OF, mode: 'review', user: 'ana' }],
    ],
  ])('%j', async (line, expected) => {
    expect(await parsed(...line)).toEqual(expected);
  });

  it.each([
    [['pause', '--tier', 'rem']],
    [['release']],
    [['preview', '--user', 'ana', '--tier', 'light']],
    [['mode', 'on', '--user', 'ana']],
    [['approve', 'abc']],
    [['explain']],
    [['demote', 'f1', '--factor', 'half']],
    [['prominence', 'f1']],
    [['prominence', 'f1', '1.5']],
    [['prominence', 'f1', '']],
  ])('refuses %j', async (line) => {
    await expect(parsed(...line)).rejects.toThrow(CommanderError);
  });
});
