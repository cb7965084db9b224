import { TIERS, type Tier } from '@slowwave/fusion';
import { Command, InvalidArgumentError, Option } from 'commander';
import type { ConsolidateArguments } from './consolidate-command.ts';
import type { ImportArguments } from './import-command.ts';
import { VERSION } from './version.ts';

/** What the command line can do; each returns its exit code, or null when it keeps running. */
export interface Commands {
  start(): Promise<null>;
  demo(options: { exit: boolean }): Promise<number | null>;
  import(given: ImportArguments): Promise<number>;
  consolidate(given: ConsolidateArguments): Promise<number>;
  status(given: { tenant: string; user: string; json: boolean }): Promise<number>;
}

function seconds(text: string): number {
  const value = Number(text);
  if (!Number.isFinite(value) || value <= 0 || value > 86_400) {
    throw new InvalidArgumentError('a number of seconds from 1 to 86400 is expected');
  }
  return value;
}

const tenantOption = () => new Option('--tenant <tenant>', 'tenant of the user').default('default');
const jsonOption = () => new Option('--json', 'print JSON for programs').default(false);

/** Builds the command line over the given commands. `done` gets the exit code. */
export function createCommandLine(commands: Commands, done: (code: number | null) => void): Command {
  const program = new Command('slowwave')
    .description(
      "The sleep of an AI agent's memory: lets memories fade, fuses and supersedes them, and loses nothing.",
    )
    .version(VERSION)
    // A mistake in the command is thrown, so that it gets the exit code of all other mistakes.
    .exitOverride()
    .showHelpAfterError('(slowwave --help lists the commands)')
    .showSuggestionAfterError();

  program
    .command('start')
    .description('run the whole service in this process: API, Bull Board, schedules and workers')
    .action(async () => done(await commands.start()));

  program
    .command('demo')
    .description('load the example memories, consolidate every example user, and keep the service running')
    .option('--exit', 'stop after the demonstration', false)
    .action(async (options: { exit: boolean }) => done(await commands.demo(options)));

  program
    .command('import')
    .description('load memories from a JSON Lines file, or from a text file with one memory per line')
    .argument('<file>', 'the file')
    .option('--user <user>', 'whose memories these are, for lines that do not say')
    .addOption(tenantOption())
    .addOption(
      new Option('--format <format>', 'format of the file')
        .choices(['auto', 'jsonl', 'text'])
        .default('auto'),
    )
    .addOption(jsonOption())
    .action(async (file: string, options: Omit<ImportArguments, 'file'>) =>
      done(await commands.import({ file, ...options })),
    );

  program
    .command('consolidate')
    .description('consolidate one user now')
    .requiredOption('--user <user>', 'the user')
    .addOption(tenantOption())
    .addOption(new Option('--tier <tier>', 'tier to run').choices(TIERS).default('deep'))
    .option('--wait', 'wait for the end and show what was fused', false)
    .option('--timeout <seconds>', 'longest wait', seconds, 600)
    .addOption(jsonOption())
    .action(async ({ timeout, tier, ...rest }: ConsolidateArguments & { timeout: number; tier: Tier }) =>
      done(await commands.consolidate({ ...rest, tier, timeoutMs: timeout * 1000 })),
    );

  program
    .command('status')
    .description("where one user's memories and schedules stand")
    .requiredOption('--user <user>', 'the user')
    .addOption(tenantOption())
    .addOption(jsonOption())
    .action(async (options: { tenant: string; user: string; json: boolean }) =>
      done(await commands.status(options)),
    );

  return program;
}
