import { Command, CommanderError } from 'commander';
import { describe, expect, it } from 'vitest';
import { addWorkspaces, type WorkspaceCommands } from './workspace-options.ts';

/** Which command a line comes to and with what, or what is said of it. */
async function parsed(...line: string[]): Promise<{ seen: unknown[]; said: string }> {
  const seen: unknown[] = [];
  const said: string[] = [];
  const keep = (text: string) => void said.push(text);
  const commands = new Proxy({} as WorkspaceCommands, {
    get: (_, name) => async (given: unknown) => {
      seen.push(name, given);
      return 0;
    },
  });
  const program = new Command('slowwave')
    .exitOverride()
    .showSuggestionAfterError()
    .configureOutput({ writeErr: keep, writeOut: keep });
  addWorkspaces(program, commands, () => {});
  try {
    await program.parseAsync(['workspace', ...line], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
  }
  return { seen, said: said.join('') };
}

const OF = { user: 'ana', tenant: 'default', json: false };
const ANA = ['--user', 'ana'];

describe('slowwave workspace', () => {
  it.each<[string[], unknown[]]>([
    [
      ['add', '/x', ...ANA],
      ['addWorkspace', { ...OF, path: '/x', documents: false }],
    ],
    [
      [
        'add',
        '--documents',
        ...ANA,
        '--workspace',
        'w',
        '--quota',
        '16M',
        '--insights',
        'on',
        '--min-hours',
        '0.5',
      ],
      [
        'addWorkspace',
        {
          ...OF,
          path: undefined,
          documents: true,
          workspace: 'w',
          quota: 2 ** 24,
          insights: true,
          minHours: 0.5,
        },
      ],
    ],
    [
      ['list', ...ANA, '--json'],
      ['listWorkspaces', { ...OF, json: true }],
    ],
    [
      ['show', ...ANA, '--workspace', 'w', '--tenant', 't'],
      ['showWorkspace', { ...OF, workspace: 'w', tenant: 't' }],
    ],
    [
      ['set', ...ANA, '--notes', 'off', '--projection', 'on', '--folder', 'f', '--schedule', '0 3 * * *'],
      ['setWorkspace', { ...OF, notes: false, projection: true, folder: 'f', schedule: '0 3 * * *' }],
    ],
    [
      ['remove', 'w', ...ANA, '--yes'],
      ['removeWorkspace', { ...OF, workspace: 'w', yes: true }],
    ],
    [
      ['files', ...ANA],
      ['workspaceFiles', OF],
    ],
    [
      ['cat', ...ANA],
      ['workspaceCat', { ...OF, file: 'MEMORY.md' }],
    ],
    [
      ['cat', 'DREAMS.md', ...ANA, '--from', '3', '--lines', '400'],
      ['workspaceCat', { ...OF, file: 'DREAMS.md', from: 3, lines: 400 }],
    ],
    [
      ['write', 'MEMORY.md', ...ANA, '--expect', 'none'],
      ['workspaceWrite', { ...OF, file: 'MEMORY.md', append: false, expect: 'none' }],
    ],
    [
      ['search', 'two words', ...ANA],
      ['workspaceSearch', { ...OF, query: 'two words', limit: 5 }],
    ],
    [
      ['insights', ...ANA, '--now', '--force'],
      ['workspaceInsights', { ...OF, now: true, force: true, timeoutMs: 600_000 }],
    ],
    [
      ['audit', ...ANA],
      ['workspaceAudit', OF],
    ],
    [
      ['project', ...ANA, '--preview'],
      ['workspaceProject', { ...OF, preview: true }],
    ],
    [
      ['runs', ...ANA, '--work', 'import'],
      ['workspaceRuns', { ...OF, work: 'import', limit: 20 }],
    ],
    [
      ['undo', 'r', ...ANA],
      ['workspaceUndo', { ...OF, run: 'r' }],
    ],
  ])('%j', async (line, expected) => {
    expect((await parsed(...line)).seen).toEqual(expected);
  });

  it.each([
    [['serch', 'x', ...ANA], 'Did you mean search?'],
    [['add', 'x', ...ANA, '--document'], 'Did you mean --documents?'],
    [['list'], "required option '--user <user>'"],
    [['cat', ...ANA, '--lines', '401'], 'a whole number from 1 to 400 is expected'],
    [['set', ...ANA, '--quota', '1.5M'], 'a size as 500000, 512K, 16M or 1G is expected'],
    [['set', ...ANA, '--quota', '0'], 'a size as 500000'],
    [['set', ...ANA, '--insights', 'yes'], 'on or off is expected'],
    [['set', ...ANA, '--min-hours', '-1'], 'a number of hours'],
    [['runs', ...ANA, '--work', 'dreams'], 'Allowed choices are insights, import, projection'],
  ] as [string[], string][])('says what is wrong with %j', async (line, told) => {
    const { seen, said } = await parsed(...line);
    expect(seen).toEqual([]);
    expect(said).toContain(told);
  });
});
