import { Argument, type Command } from 'commander';
import { SHELLS, type Shell } from './completion.ts';
import type { McpArguments } from './mcp-command.ts';
import { MCP_HOSTS, type McpHost, type McpSetupArguments } from './mcp-setup-command.ts';
import { jsonOption } from './options.ts';

/** What concerns processes and this machine; each returns its exit code, or null when it keeps running. */
export interface ProcessCommands {
  start(): Promise<null>;
  worker(): Promise<null>;
  producer(): Promise<null>;
  mcp(given: McpArguments): Promise<null>;
  mcpSetup(given: McpSetupArguments): Promise<number>;
  demo(options: { exit: boolean }): Promise<number | null>;
  migrate(given: { dryRun: boolean; json: boolean }): Promise<number>;
  doctor(given: { model: boolean; json: boolean }): Promise<number>;
  completion(given: { shell: Shell }): Promise<number>;
}

type Done = (code: number | null) => void;

/** The processes of a service. */
export function addProcesses(program: Command, commands: ProcessCommands, done: Done): void {
  program
    .command('start')
    .description('run the whole service in this process: API, Bull Board, schedules and workers')
    .action(async () => done(await commands.start()));

  program
    .command('worker')
    .description('run one worker process on servers; start as many as are needed')
    .action(async () => done(await commands.worker()));

  program
    .command('producer')
    .description('run the producer process on servers: API, dashboard, Bull Board, schedules')
    .action(async () => done(await commands.producer()));

  program
    .command('demo')
    .description('load the example memories, consolidate every example user, and keep the service running')
    .option('--exit', 'stop after the demonstration', false)
    .action(async (options: { exit: boolean }) => done(await commands.demo(options)));
}

/** Agents that use the memories by the Model Context Protocol. */
export function addMcp(program: Command, commands: ProcessCommands, done: Done): void {
  const group = program
    .command('mcp')
    .description('serve memories to agents over MCP, and set their hosts up');
  group
    .command('serve', { isDefault: true })
    .description(
      'serve the memories of a user on standard input and output, as a host of agents starts it; starts the service where none runs',
    )
    .option('--user <user>', 'whose memories; without it each call of a tool names the user')
    .option('--speaks-for-user', 'what the agent writes passes for the user’s own word', false)
    .option('--chatgpt', 'also the tools search and fetch, as ChatGPT calls them', false)
    .action(async (options: McpArguments) => done(await commands.mcp(options)));
  group
    .command('setup')
    .description(
      'print the configuration by which a host of agents finds Slowwave, or write it into its file',
    )
    .addArgument(new Argument('<host>', 'the host').choices(MCP_HOSTS))
    .option('--user <user>', 'whose memories', 'me')
    .option('--write <file>', 'the host’s file of servers, which keeps all other entries')
    .addOption(jsonOption())
    .action(async (host: McpHost, options: Omit<McpSetupArguments, 'host'>) =>
      done(await commands.mcpSetup({ host, ...options })),
    );
}

/** What is done to a set-up, and what is said of it. */
export function addUpkeep(program: Command, commands: ProcessCommands, done: Done): void {
  program
    .command('migrate')
    .description('bring the schema of the database up to date, as the start of any process does')
    .option('--dry-run', 'only tell what would be run', false)
    .addOption(jsonOption())
    .action(async (options: { dryRun: boolean; json: boolean }) => done(await commands.migrate(options)));

  program
    .command('doctor')
    .description('look at everything that a service stands on, and say what to do; changes nothing')
    .option(
      '--model',
      'make one cheap call of the language model, and of an embedder behind an endpoint',
      false,
    )
    .addOption(jsonOption())
    .action(async (options: { model: boolean; json: boolean }) => done(await commands.doctor(options)));

  program
    .command('completion')
    .description('print a script that completes commands and options in a shell')
    .addArgument(new Argument('<shell>', 'which shell').choices(SHELLS))
    .action(async (shell: Shell) => done(await commands.completion({ shell })));
}
