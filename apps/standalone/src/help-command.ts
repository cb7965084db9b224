import { nearestName } from '@slowwave/config';
import type { Command } from 'commander';
import { UsageError } from './exit.ts';

/** Every exit code with its meaning. */
export const EXIT_CODES: readonly (readonly [number, string])[] = [
  [0, 'done'],
  [
    1,
    'done, but not as a whole: lines were refused (import), the run did not complete, a check failed (doctor), something is left to do (migrate --dry-run), or what was asked for was refused as things stand',
  ],
  [2, 'a mistake in the command, in the configuration, or in the token; all mistakes are listed at once'],
  [3, 'database, queue or service cannot be reached, or a port is taken'],
  [4, 'the data folder is in use by another process'],
];

const WIDTH = 96;

function wrapped(text: string, indent: string): string {
  const lines: string[] = [''];
  for (const word of text.split(' ')) {
    const line = lines.at(-1)!;
    if (line.length + word.length + 1 > WIDTH - indent.length) lines.push(word);
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`;
  }
  return lines.join(`\n${indent}`);
}

const TOPICS: Readonly<Record<string, { title: string; text: () => string }>> = {
  'exit-codes': {
    title: 'what the exit codes mean',
    text: () => EXIT_CODES.map(([code, meaning]) => `  ${code}  ${wrapped(meaning, '     ')}`).join('\n'),
  },
  environment: {
    title: 'where commands ask, and how they print',
    text: () =>
      [
        ['SLOWWAVE_URL', 'a service somewhere else that is asked, as --url'],
        [
          'SLOWWAVE_TOKEN',
          'the token for it, as --token; better than there, where other users of the machine see it',
        ],
        ['NO_COLOR', 'no colours on a terminal'],
        ['SLOWWAVE_LOG_LEVEL', 'what commands log on standard error; without it errors alone'],
        [
          'SLOWWAVE_…',
          'every setting of the service: docs/settings.md lists them, slowwave doctor checks them',
        ],
      ]
        .map(([name, meaning]) => `  ${name!.padEnd(20)} ${wrapped(meaning!, ' '.repeat(23))}`)
        .join('\n'),
  },
};

/** Adds `help [command...]`, which also knows topics that are no commands. */
export function addHelp(program: Command, write: (text: string) => void): void {
  program.helpCommand(false);
  program
    .command('help')
    .description(`help about a command, or about ${Object.keys(TOPICS).join(' or ')}`)
    .argument('[command...]', 'a command, with its own command where it has some')
    .action((names: string[]) => {
      const topic = TOPICS[names[0] ?? ''];
      if (topic) write(`${names[0]}: ${topic.title}\n\n${topic.text()}\n`);
      else found(program, names).outputHelp();
    });
  program.addHelpText(
    'after',
    `\nTopics:\n${Object.entries(TOPICS)
      .map(([name, { title }]) => `  slowwave help ${name.padEnd(14)} ${title}`)
      .join('\n')}`,
  );
}

function found(program: Command, names: readonly string[]): Command {
  let command = program;
  for (const name of names) {
    const next = command.commands.find((each) => each.name() === name);
    if (!next) {
      const known = [...command.commands.map((each) => each.name()), ...Object.keys(TOPICS)];
      const meant = nearestName(name, known);
      throw new UsageError(
        `there is no help about ${name}${meant === null ? ': slowwave help lists the commands' : `; did you mean ${meant}?`}`,
      );
    }
    command = next;
  }
  return command;
}
