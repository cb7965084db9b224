import { Command, CommanderError } from 'commander';
import { describe, expect, it } from 'vitest';
import { addConflicts, type ConflictCommands } from './conflict-options.ts';

/** Which command a line comes to, and with what. */
async function parsed(...line: string[]): Promise<unknown[]> {
  const seen: unknown[][] = [];
  const keep =
    (name: string) =>
    async (given: unknown): Promise<number> => {
      seen.push([name, given]);
      return 0;
    };
  const commands: ConflictCommands = {
    conflicts: keep('conflicts'),
    settle: keep('settle'),
    conflictPolicy: keep('conflictPolicy'),
  };
  const program = new Command('slowwave');
  addConflicts(program, commands, () => {});
  for (const command of [program, ...program.commands])
    command.exitOverride().configureOutput({ writeErr: () => {}, writeOut: () => {} });
  await program.parseAsync(line, { from: 'user' });
  return seen[0]!;
}

const OF = { tenant: 'default', json: false };

describe('the commands about conflicts', () => {
  it.each<[string[], unknown[]]>([
    [['conflicts'], ['conflicts', { ...OF, status: 'open', limit: 50 }]],
    [
      ['conflicts', '--user', 'ana', '--status', 'all', '--limit', '3', '--json'],
      ['conflicts', { tenant: 'default', user: 'ana', status: 'all', limit: 3, json: true }],
    ],
    [
      ['settle', 'c1', '--user', 'ana', '--keep', 'both', '--note', 'so it is'],
      ['settle', { ...OF, conflict: 'c1', user: 'ana', keep: 'both', note: 'so it is' }],
    ],
    [
      ['conflict-policy', 'newest_wins', '--user', 'ana', '--tenant', 't'],
      ['conflictPolicy', { policy: 'newest_wins', user: 'ana', tenant: 't', json: false }],
    ],
  ])('%j', async (line, call) => {
    expect(await parsed(...line)).toEqual(call);
  });

  it.each([
    [['conflicts', '--limit', '0']],
    [['conflicts', '--limit', 'many']],
    [['conflicts', '--status', 'closed']],
    [['settle', 'c1', '--user', 'ana']],
    [['settle', 'c1', '--keep', 'a']],
    [['settle', 'c1', '--user', 'ana', '--keep', 'neither']],
    [['conflict-policy', 'oldest_wins', '--user', 'ana']],
    [['conflict-policy', 'ask']],
  ])('refuses %j', async (line) => {
    await expect(parsed(...line)).rejects.toBeInstanceOf(CommanderError);
  });
});
