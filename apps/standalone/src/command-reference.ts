import type { Argument, Command, Option } from 'commander';
import { EXIT_CODES } from './help-command.ts';

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');

function argumentText(argument: Argument): string {
  const name = argument.variadic ? `${argument.name()}...` : argument.name();
  return argument.required ? `<${name}>` : `[${name}]`;
}

function usageOf(command: Command, path: string): string {
  const needed = command.options.filter(({ mandatory }) => mandatory).map(({ flags }) => flags);
  return ['slowwave', path, ...command.registeredArguments.map(argumentText), ...needed].join(' ');
}

function defaultText({ defaultValue }: Option): string {
  if (defaultValue === undefined || defaultValue === false) return '';
  return Array.isArray(defaultValue) ? defaultValue.join(', ') : String(defaultValue);
}

function optionRows(options: readonly Option[]): string[] {
  if (options.length === 0) return [];
  const rows = options.map((option) => {
    const choices = option.argChoices ? `; one of ${option.argChoices.join(', ')}` : '';
    return `| \`${cell(option.flags)}\` | ${cell(option.description + choices)} | ${cell(defaultText(option))} |`;
  });
  return ['| option | meaning | default |', '| --- | --- | --- |', ...rows, ''];
}

function argumentRows(command: Command): string[] {
  return command.registeredArguments.map((argument) => {
    const choices = argument.argChoices ? `: ${argument.argChoices.join(', ')}` : '';
    return `- \`${argumentText(argument)}\` ${argument.description}${choices}`;
  });
}

function sectionOf(command: Command, path: string): string[] {
  const below = command.commands;
  const isDefault = (each: Command) =>
    (command as unknown as { _defaultCommandName?: string })._defaultCommandName === each.name();
  const self = [
    `### slowwave ${path}`,
    '',
    `${command.description()}.`,
    '',
    ...(below.length > 0 ? [] : ['```', usageOf(command, path), '```', '']),
    ...argumentRows(command),
    ...(command.registeredArguments.length > 0 ? [''] : []),
    ...optionRows(command.options),
  ];
  const rest = below.flatMap((each) => {
    const lines = sectionOf(each, `${path} ${each.name()}`);
    return isDefault(each) ? [...lines, `\`slowwave ${path}\` alone does the same.`, ''] : lines;
  });
  return [...self, ...rest];
}

/** The reference of the command line, in Markdown, from the commands themselves. */
export function commandReference(program: Command): string {
  return [
    '# The command line',
    '',
    'Made from the commands themselves. `slowwave help COMMAND` says the same; `--json` prints one line of JSON for programs, of the same fields as',
    "the API's answers. On a terminal tables are cut to its width; where output goes to a file or a pipe nothing is cut, no colour and no bar is drawn.",
    '',
    '## Where commands ask',
    '',
    'With `--url` and `--token` (or `SLOWWAVE_URL` and `SLOWWAVE_TOKEN`) a service somewhere else is asked, as whoever the token belongs to: what a tenant’s token may not do is',
    'refused, and `--tenant` need not be said. Otherwise the service that owns the embedded folder is asked while one runs, and the data is opened directly while none does.',
    '',
    ...optionRows(program.options),
    '## Exit codes',
    '',
    '| code | meaning |',
    '| --- | --- |',
    ...EXIT_CODES.map(([code, meaning]) => `| ${code} | ${meaning} |`),
    '',
    '## Commands',
    '',
    ...program.commands.flatMap((command) => sectionOf(command, command.name())),
  ]
    .join('\n')
    .trimEnd()
    .concat('\n');
}
