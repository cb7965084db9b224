import { type Command, Option } from 'commander';
import type { ExportArguments } from './export-command.ts';
import { jsonOption } from './options.ts';

/** Here, and not beside what writes them: help and completion load no command. */
const EXPORT_FORMATS: readonly ExportArguments['format'][] = ['jsonl', 'markdown'];

export interface ExportCommands {
  export(given: ExportArguments): Promise<number>;
}

/** Adds `export`. */
export function addExport(
  program: Command,
  commands: ExportCommands,
  done: (code: number | null) => void,
): void {
  program
    .command('export')
    .description(
      'write everything of a tenant or a user as JSON Lines that import restores, or as Markdown pages',
    )
    .option('--user <user>', 'only this user')
    .addOption(new Option('--tenant <tenant>', 'tenant of the user or users').default('default'))
    .addOption(
      new Option('--format <format>', 'JSON Lines, or pages for people')
        .choices(EXPORT_FORMATS)
        .default('jsonl'),
    )
    .option('--out <path>', 'a file, or for Markdown a new folder (default: standard output)')
    .addOption(jsonOption())
    .action(async (given: ExportArguments) => done(await commands.export(given)));
}
