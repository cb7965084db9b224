import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { FUSION_STATUSES } from '@slowwave/fusion';
import { type Command, CommanderError } from 'commander';
import { describe, expect, it } from 'vitest';
import { type Commands, createCommandLine, type SharedOptions } from './command-line.ts';
import { commandReference } from './command-reference.ts';
import { completionScript, completionsOf, SHELLS } from './completion.ts';
import { explain } from './explain.ts';
import { EXIT_CODES } from './help-command.ts';
import { OWN_TENANT } from './remote.ts';

const REFERENCE = new URL('../../../docs/command-line.md', import.meta.url);
const run = promisify(execFile);

interface Parsed {
  seen: unknown[];
  said: string;
  shared: SharedOptions[];
  message: string;
}

function treeOf(
  seen: unknown[],
  said: string[],
  shared: SharedOptions[],
  words: readonly string[] = [],
): Command {
  const commands = new Proxy({} as Commands, {
    get: (_, name) => async (given: unknown) => {
      seen.push(name, given);
      return 0;
    },
  });
  const program = createCommandLine(commands, {
    done: () => {},
    before: (options) => shared.push(options) > 0 && options.url !== undefined,
    write: (text) => void said.push(text),
    words,
  });
  const everyone = (command: Command): Command[] => [command, ...command.commands.flatMap(everyone)];
  for (const command of everyone(program)) {
    command.exitOverride().configureOutput({ writeErr: (text) => void said.push(text) });
  }
  return program;
}

async function parse(...line: string[]): Promise<Parsed> {
  const [seen, said, shared]: [unknown[], string[], SharedOptions[]] = [[], [], []];
  let message = '';
  try {
    await treeOf(seen, said, shared, line).parseAsync(line, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) message = explain(error).message;
  }
  return { seen, said: said.join(''), shared, message };
}

describe('the command line', () => {
  it('is written down as it is', async () => {
    const reference = commandReference(treeOf([], [], []));
    if (process.env.UPDATE_DOCS) await writeFile(REFERENCE, reference);
    expect(await readFile(REFERENCE, 'utf8').catch(() => '')).toBe(reference);
    for (const [code] of EXIT_CODES) expect(reference).toContain(`| ${code} |`);
  });

  it('has --json and a description on every command that answers', () => {
    const silent = [
      'start',
      'worker',
      'producer',
      'demo',
      'mcp serve',
      'completion',
      'help',
      'workspace cat',
    ];
    const leaves = (command: Command, path: string): [string, Command][] =>
      command.commands.flatMap((each) => {
        const name = `${path}${each.name()}`;
        return each.commands.length > 0 ? leaves(each, `${name} `) : [[name, each]];
      });
    const all = leaves(treeOf([], [], []), '');
    expect(all.length).toBeGreaterThan(50);
    for (const [name, command] of all) {
      expect([name, command.description() !== '']).toEqual([name, true]);
      if (silent.includes(name)) continue;
      expect([name, command.options.some(({ long }) => long === '--json')]).toEqual([name, true]);
    }
  });

  it.each([
    [['consolidat', '--user', 'ana'], 'Did you mean consolidate?'],
    [['consolidate', '--usr', 'ana'], 'Did you mean --user?'],
    [['workspace', 'lst', '--user', 'ana'], 'Did you mean list?'],
    [['runs', 'shwo', 'x', '--user', 'ana'], 'Did you mean show?'],
    [['token', 'create', 'ci', '--rol', 'read'], 'Did you mean --role?'],
    [['status', '--user', 'ana', '--ur', 'http://a'], 'Did you mean --url?'],
  ])('says what may have been meant by %j', async (line, said) => {
    const parsed = await parse(...line);
    expect(parsed.said).toContain(said);
    expect(parsed.seen).toEqual([]);
  });

  it('leaves the tenant to a service somewhere else, unless somebody names one', async () => {
    const remote = ['--url', 'http://a:1', '--token', 't'];
    for (const line of [
      [...remote, 'status', '--user', 'ana'],
      ['status', '--user', 'ana', ...remote],
    ]) {
      const { seen, shared } = await parse(...line);
      expect(seen).toEqual(['status', expect.objectContaining({ user: 'ana', tenant: OWN_TENANT })]);
      expect(shared).toEqual([{ url: 'http://a:1', token: 't' }]);
    }
    const named = await parse('status', '--user', 'ana', '--tenant', 'default', ...remote);
    expect(named.seen[1]).toMatchObject({ tenant: 'default' });
    expect((await parse('status', '--user', 'ana')).seen[1]).toMatchObject({ tenant: 'default' });
  });

  it.each<[string[], unknown[]]>([
    [
      ['estimate', '--user', 'ana'],
      ['estimate', { tenant: 'default', user: 'ana', json: false }],
    ],
    [
      [
        'recall',
        'Where?',
        '--user',
        'ana',
        '--category',
        'fact',
        'event',
        '--said-after',
        '2026-04-12',
        '--explain',
      ],
      [
        'recall',
        {
          question: 'Where?',
          user: 'ana',
          tenant: 'default',
          categories: ['fact', 'event'],
          saidAfter: Date.parse('2026-04-12'),
          includeSuperseded: false,
          explain: true,
          json: false,
        },
      ],
    ],
    [
      ['evaluate', 'a.jsonl', 'b.jsonl', '--nights', '2'],
      [
        'evaluate',
        {
          files: ['a.jsonl', 'b.jsonl'],
          nights: 2,
          answers: false,
          publish: false,
          tenant: 'default',
          json: false,
        },
      ],
    ],
    [
      ['evaluate', '--nights', '0', 'a.jsonl', '--json', '--answers', '--publish', '--tenant', 'acme'],
      [
        'evaluate',
        { files: ['a.jsonl'], nights: 0, answers: true, publish: true, tenant: 'acme', json: true },
      ],
    ],
    [
      ['evaluate', 'convert', 'a.json', '--from', 'locomo', '--out', 'sets', '--unit', 'turn'],
      ['convertEvaluation', { paths: ['a.json'], from: 'locomo', out: 'sets', unit: 'turn', json: false }],
    ],
    [
      ['models', 'pull', 'a/b', '--from', 'https://mirror.example'],
      ['pullModel', { model: 'a/b', from: 'https://mirror.example', json: false }],
    ],
    [
      ['models', 'pull', '--json'],
      ['pullModel', { json: true }],
    ],
    [
      ['judge', 'check'],
      ['checkJudge', { json: false }],
    ],
    [['runs'], ['runs', { tenant: 'default', limit: 20, json: false }]],
    [
      ['runs', '--user', 'ana', '--status', 'failed', '--limit', '5'],
      ['runs', { tenant: 'default', user: 'ana', status: 'failed', limit: 5, json: false }],
    ],
    [
      ['runs', 'cancel', 'r', '--user', 'ana', '--json'],
      ['cancelRun', { run: 'r', tenant: 'default', user: 'ana', json: true }],
    ],
    [
      ['fusions', 'show', 'k', '--user', 'ana'],
      ['showFusion', { key: 'k', tenant: 'default', user: 'ana', json: false }],
    ],
    [
      ['token', 'create', 'ci', '--role', 'write', '--days', '30', '--tenant', 't'],
      ['createToken', { name: 'ci', role: 'write', days: 30, tenant: 't', json: false }],
    ],
    [
      ['webhook', 'add', 'https://a', '--events', 'run.finished, fusion.failed'],
      [
        'addWebhook',
        { url: 'https://a', events: ['run.finished', 'fusion.failed'], tenant: 'default', json: false },
      ],
    ],
    [
      ['doctor', '--model'],
      ['doctor', { model: true, json: false }],
    ],
    [
      ['migrate', '--dry-run'],
      ['migrate', { dryRun: true, json: false }],
    ],
    [
      ['completion', 'fish'],
      ['completion', { shell: 'fish' }],
    ],
  ])('%j', async (line, expected) => {
    expect((await parse(...line)).seen).toEqual(expected);
  });

  it.each(FUSION_STATUSES)('fusions: status %s is asked for as it is', async (status) => {
    expect((await parse('fusions', '--status', status)).seen).toEqual([
      'fusions',
      { tenant: 'default', status, limit: 20, json: false },
    ]);
  });

  it.each([
    'webhook|add|https://a|--events|run.begun',
    'webhook|add|https://a|--events|',
    'token|create|ci',
    'token|create|ci|--role|owner',
    'token|create|ci|--role|read|--days|0',
    'evaluate',
    'evaluate|convert|a.json|--from|locomo',
    'evaluate|convert|a.json|--out|b|--from|other',
    'runs|--limit|201',
    'runs|show|r',
    'completion|csh',
  ])('refuses %j', async (line) => {
    const { seen, said } = await parse(...line.split('|'));
    expect(seen).toEqual([]);
    expect(said).toMatch(/^error: /);
  });

  it('helps about commands and topics', async () => {
    expect((await parse('help', 'exit-codes')).said).toContain(
      '4  the data folder is in use by another process',
    );
    expect((await parse('help', 'environment')).said).toContain('NO_COLOR');
    expect((await parse('help', 'workspace', 'set')).said).toContain('--min-growth');
    expect((await parse('help')).said).toContain('slowwave help exit-codes');
    expect((await parse('help', 'exit-cods')).message).toContain('did you mean exit-codes?');
    expect((await parse('help', 'workspace', 'sett')).message).toContain('did you mean set?');
  });
});

describe('completion', () => {
  const program = treeOf([], [], []);

  it('knows every command and its options', () => {
    const of = (path: string) =>
      completionsOf(program)
        .find((each) => each.path === path)
        ?.words.map(({ word }) => word);
    expect(of('')).toEqual(expect.arrayContaining(['doctor', 'runs', '--url']));
    expect(of('workspace')).toEqual(expect.arrayContaining(['add', 'list']));
    expect(of('consolidate')).toEqual(expect.arrayContaining(['--user', '--tier', '--token']));
    expect(of('completion')).toEqual(expect.arrayContaining([...SHELLS]));
  });

  it('in bash, where it is run', async () => {
    const script = `${completionScript('bash', program)}
complete_line() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _slowwave; echo "\${COMPREPLY[*]}"; }
complete_line slowwave consol
complete_line slowwave runs sh
complete_line slowwave workspace add --us
complete_line slowwave consolidate --user ana --ti`;
    const { stdout } = await run('bash', ['--norc', '-c', script]);
    expect(stdout.trim().split('\n')).toEqual(['consolidate', 'show', '--user', '--tier --timeout']);
  });

  it.each(['zsh', 'fish'] as const)('in %s is a script that names every command', async (shell) => {
    const script = completionScript(shell, program);
    for (const { name } of program.commands.map((command) => ({ name: command.name() }))) {
      expect(script).toContain(name);
    }
    // The shell itself judges it where there is one.
    const binary = `/usr/bin/${shell}`;
    if (existsSync(binary)) await run(binary, ['-n', '-c', script]);
  });
});
