import type { Tier } from '@slowwave/fusion';
import { TIERS } from '@slowwave/fusion/vocabulary';
import type { MemoryChange } from '@slowwave/producer';
import { Command, InvalidArgumentError, Option } from 'commander';
import { addConflicts, type ConflictCommands } from './conflict-options.ts';
import type { ConsolidateArguments } from './consolidate-command.ts';
import { addEvaluation, type EvaluateCommands } from './evaluate-options.ts';
import { addExport, type ExportCommands } from './export-options.ts';
import type { ForgetArguments } from './forget-command.ts';
import { addForgetting } from './forget-options.ts';
import { addHelp } from './help-command.ts';
import type { HoldArguments } from './hold-command.ts';
import type { ImportArguments } from './import-command.ts';
import { addJournal, type JournalCommands } from './journal-options.ts';
import { addJudge, type JudgeCommands } from './judge-options.ts';
import type { MemoryArguments } from './memory-commands.ts';
import { addModels, type ModelsCommands } from './models-options.ts';
import { addOperator, type OperatorCommands } from './operator-options.ts';
import { jsonOption, seconds, tenantOption } from './options.ts';
import { addMcp, addProcesses, addUpkeep, type ProcessCommands } from './process-options.ts';
import { addRecall, type RecallCommands } from './recall-options.ts';
import { OWN_TENANT } from './remote.ts';
import { addReviews, type ReviewCommands } from './review-options.ts';
import type { SettingsArguments } from './settings-command.ts';
import { suggestionFor } from './suggest.ts';
import { VERSION } from './version.ts';
import { addWorkspaces, type WorkspaceCommands } from './workspace-options.ts';

/** Here, and not beside what reads them: help and completion load no command. */
const IMPORT_FORMATS: readonly ImportArguments['format'][] = [
  'auto',
  'jsonl',
  'text',
  'mem0',
  'letta',
  'openclaw',
  'markdown',
];

/** What the command line can do; each returns its exit code, or null when it keeps running. */
export interface Commands
  extends ReviewCommands,
    ConflictCommands,
    JournalCommands,
    WorkspaceCommands,
    OperatorCommands,
    ProcessCommands,
    ExportCommands,
    EvaluateCommands,
    JudgeCommands,
    ModelsCommands,
    RecallCommands {
  import(given: ImportArguments): Promise<number>;
  consolidate(given: ConsolidateArguments): Promise<number>;
  status(given: { tenant: string; user: string; json: boolean }): Promise<number>;
  hold(given: HoldArguments): Promise<number>;
  settings(given: SettingsArguments): Promise<number>;
  quarantine(given: { tenant: string; json: boolean }): Promise<number>;
  explain(given: MemoryArguments): Promise<number>;
  change(given: MemoryArguments, change: MemoryChange): Promise<number>;
  release(given: { tenant: string; user: string; json: boolean }): Promise<number>;
  forget(given: ForgetArguments): Promise<number>;
}

function share(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !(value >= 0 && value <= 1))
    throw new InvalidArgumentError('a number from 0 to 1 is expected');
  return value;
}

/** Where to ask, as it was typed; the same for every command. */
export interface SharedOptions {
  url?: string;
  token?: string;
}

export interface CommandLineOptions {
  /** Gets the exit code; null: it keeps running. */
  done: (code: number | null) => void;
  /** Told what was typed for every command, before one of them runs. @returns whether a service somewhere else is asked */
  before?: (options: SharedOptions) => boolean;
  /** What was typed behind the program's name, for suggestions; default that of this process. */
  words?: readonly string[];
  /** Where help goes; default standard output. */
  write?: (text: string) => void;
}

/** Builds the command line over the given commands. */
export function createCommandLine(commands: Commands, options: CommandLineOptions): Command {
  const {
    done,
    before = () => false,
    words = process.argv.slice(2),
    write = (text) => process.stdout.write(text),
  } = options;
  const program = new Command('slowwave')
    .description(
      "The sleep of an AI agent's memory: lets memories fade, fuses and supersedes them, and loses nothing.",
    )
    .version(VERSION)
    .option('--url <address>', 'ask a service somewhere else: https://host:port (or SLOWWAVE_URL)')
    .option('--token <token>', 'a token for it, of a tenant or of the operator (or SLOWWAVE_TOKEN)')
    // A mistake in the command is thrown, so that it gets the exit code of all other mistakes.
    .exitOverride()
    .showHelpAfterError('(slowwave --help lists the commands)')
    .showSuggestionAfterError()
    .configureOutput({
      writeOut: write,
      outputError(message, writeError) {
        const suggestion = suggestionFor(program, message, words);
        writeError(suggestion === null ? message : `${message.trimEnd()}\n${suggestion}\n`);
      },
    });
  program.hook('preAction', (_program, command) => {
    const isRemote = before(program.opts<SharedOptions>());
    // A token is of a tenant: what nobody typed is left to the service.
    if (isRemote && command.getOptionValueSource('tenant') === 'default') {
      command.setOptionValue('tenant', OWN_TENANT);
    }
  });

  addProcesses(program, commands, done);
  addMcp(program, commands, done);
  addWork(program, commands, done);
  addExport(program, commands, done);
  addEvaluation(program, commands, done);
  addRecall(program, commands, done);
  addHolds(program, commands, done);
  addMemories(program, commands, done);
  addForgetting(program, commands, done, { tenantOption, jsonOption });
  addJournal(program, commands, done);
  addReviews(program, commands, done);
  addConflicts(program, commands, done);
  addWorkspaces(program, commands, done);
  addOperator(program, commands, done);
  addJudge(program, commands, done);
  addModels(program, commands, done);
  addUpkeep(program, commands, done);
  addHelp(program, write);
  return program;
}

/** Memories in, a tier now, and where a user stands. */
function addWork(program: Command, commands: Commands, done: (code: number | null) => void): void {
  program
    .command('import')
    .description(
      'load memories: JSON Lines, text with one memory per line, exports of mem0, agent files of Letta, OpenClaw workspaces, Markdown',
    )
    .argument('<file>', 'the file, or a folder of Markdown')
    .option('--user <user>', 'whose memories these are, where the file does not say')
    .addOption(tenantOption())
    .addOption(new Option('--format <format>', 'format of the file').choices(IMPORT_FORMATS).default('auto'))
    .option('--timezone <zone>', 'time zone of daily notes, as in Europe/Berlin (default: UTC)')
    .option('--merge', 'of an export: add its memories to what is there, instead of restoring users', false)
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
}

/** What holds the schedule back, and what lets it go on. */
function addHolds(program: Command, commands: Commands, done: (code: number | null) => void): void {
  for (const action of ['pause', 'resume'] as const) {
    program
      .command(action)
      .description(
        action === 'pause'
          ? 'let the schedule leave out a user, every user of a tenant (--all), or a tier of everybody (--tier alone)'
          : 'end a pause; what is due is found by itself',
      )
      .option('--user <user>', 'one user')
      .option('--all', 'every user of the tenant, those to come included', false)
      .option('--tenant <tenant>', 'tenant of the user or users (default: "default")')
      .addOption(new Option('--tier <tier>', 'only this tier').choices(TIERS))
      .addOption(jsonOption())
      .action(async (options: Omit<HoldArguments, 'action'>) =>
        done(await commands.hold({ action, ...options })),
      );
  }

  program
    .command('settings')
    .description('show what a tenant allows, or say it')
    .addOption(
      new Option('--batches <choice>', 'whether questions of the night may wait in batches').choices([
        'allow',
        'forbid',
      ]),
    )
    .addOption(tenantOption())
    .addOption(jsonOption())
    .action(async (options: SettingsArguments) => done(await commands.settings(options)));

  program
    .command('quarantine')
    .description(
      'list the users for whom nothing runs, because their runs failed again and again or never ended',
    )
    .addOption(tenantOption())
    .addOption(jsonOption())
    .action(async (options: { tenant: string; json: boolean }) => done(await commands.quarantine(options)));

  program
    .command('release')
    .description('let a user out of quarantine')
    .requiredOption('--user <user>', 'the user')
    .addOption(tenantOption())
    .addOption(jsonOption())
    .action(async (options: { tenant: string; user: string; json: boolean }) =>
      done(await commands.release(options)),
    );
}

/** One memory: why it stands where it stands, and what to do about it. */
function addMemories(program: Command, commands: Commands, done: (code: number | null) => void): void {
  type Owner = Omit<MemoryArguments, 'memory'>;
  const command = (name: string, description: string) =>
    program
      .command(name)
      .description(description)
      .argument('<memory>', 'its id, or the id it was imported with')
      .option('--user <user>', 'whose memory it is, where several users have one of that name')
      .addOption(tenantOption())
      .addOption(jsonOption());

  command('explain', "how a memory's prominence came about, and when it crosses a threshold next").action(
    async (memory: string, options: Owner) => done(await commands.explain({ memory, ...options })),
  );
  command('confirm', 'a memory proved right: it rises, and fades more slowly from now on').action(
    async (memory: string, options: Owner) =>
      done(await commands.change({ memory, ...options }, { kind: 'confirm' })),
  );
  command('demote', "lower a memory's prominence until it is confirmed or set")
    .option('--factor <factor>', 'its prominence is multiplied by this, above 0 and below 1', share, 0.5)
    .action(async (memory: string, { factor, ...options }: Owner & { factor: number }) =>
      done(await commands.change({ memory, ...options }, { kind: 'demote', factor })),
    );
  command('prominence', "set a memory's prominence as of now; it fades from there")
    .argument('<value>', 'from 0 to 1', share)
    .action(async (memory: string, value: number, options: Owner) =>
      done(await commands.change({ memory, ...options }, { kind: 'prominence', value })),
    );
}
