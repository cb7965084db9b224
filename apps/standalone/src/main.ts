import { type Config, type Environment, readConfig } from '@slowwave/config';
import { createLogger } from '@slowwave/worker/logger';
import { type Commands, createCommandLine } from './command-line.ts';
import { completionScript } from './completion.ts';
import { EXIT, UsageError } from './exit.ts';
import { explain } from './explain.ts';
import { type Remote, remoteOf, withoutRemote } from './remote.ts';
import type { Service } from './service.ts';
import { createTerminal } from './terminal.ts';

const given: Environment = process.env;
const environment = withoutRemote(given);
const terminal = createTerminal({ colour: !environment.NO_COLOR });

/** One command says what it has to say itself: the log speaks up only about trouble, unless a level was asked for. */
function quiet(config: Config): Config {
  return environment.SLOWWAVE_LOG_LEVEL ? config : { ...config, logLevel: 'error' };
}

let remote: Remote | null = null;

function contextOf(env: Environment = environment) {
  // A service somewhere else has a configuration of its own: that of this machine does not matter, and may be none.
  const config = quiet(readConfig(remote ? { SLOWWAVE_LOG_LEVEL: env.SLOWWAVE_LOG_LEVEL } : env));
  return {
    config,
    logger: createLogger(config.logLevel, { write: (line) => process.stderr.write(line) }),
    terminal,
    remote,
  };
}

/** What concerns this machine alone; the token that commands have is no setting of a process. @throws UsageError when a service somewhere else was named for it */
function here(command: string): void {
  if (remote)
    throw new UsageError(`slowwave ${command} works on this machine: leave out --url and SLOWWAVE_URL`);
}

/** The demonstration has a folder of its own, and the offline provider unless another one was chosen. */
function demoEnvironment(): Environment {
  return {
    ...environment,
    DATABASE_URL: undefined,
    QUEUE_URL: undefined,
    SLOWWAVE_MODEL_PROVIDER: environment.SLOWWAVE_MODEL_PROVIDER || 'offline',
  };
}

/** Keeps a service until somebody asks it to stop, then stops it within its grace time. */
function keepRunning(service: Service): void {
  let stopping = false;
  async function stop(): Promise<void> {
    // Whoever asks twice does not want to wait; what is unfinished is taken up again.
    if (stopping) process.exit(EXIT.failed);
    stopping = true;
    terminal.line('stopping: finishing the current cluster …');
    await service.close();
    terminal.line('stopped');
    process.exit(EXIT.ok);
  }
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.removeAllListeners(signal);
    process.on(signal, () => void stop());
  }
}

const commands: Commands = {
  async start() {
    here('start');
    const config = readConfig(environment);
    const logger = createLogger(config.logLevel);
    const service = await (await import('./service.ts')).startService({ config, logger, serve: true });
    // Before anybody is told that it runs: a signal sent right then must find somebody.
    keepRunning(service);
    const { url, token } = service.http!;
    terminal.line(`Slowwave is running at ${url}, Bull Board at ${url}/board`);
    if (config.http.operatorToken === null) terminal.line(`operator token, for this start only: ${token}`);
    return null;
  },
  async worker() {
    here('worker');
    delete process.env.SLOWWAVE_TOKEN;
    await import('@slowwave/worker/main');
    return null;
  },
  async producer() {
    here('producer');
    delete process.env.SLOWWAVE_TOKEN;
    await import('@slowwave/producer/main');
    return null;
  },
  mcp: async (given) => (await import('./mcp-command.ts')).mcpCommand(contextOf(), given),
  mcpSetup: async (given) => (await import('./mcp-setup-command.ts')).mcpSetupCommand(contextOf(), given),
  async migrate(given) {
    here('migrate');
    return (await import('./migrate-command.ts')).migrateCommand(contextOf(), given);
  },
  doctor: async ({ model, json }) =>
    (await import('./doctor-command.ts')).doctorCommand(
      terminal,
      { environment, remote, askModel: model, now: Date.now, nodeVersion: process.versions.node },
      { json },
    ),
  async completion({ shell }) {
    terminal.line(completionScript(shell, commandLine).trimEnd());
    return EXIT.ok;
  },
  async demo({ exit }) {
    here('demo');
    const service = await (await import('./demo.ts')).runDemo(contextOf(demoEnvironment()));
    if (!exit) {
      keepRunning(service);
      return null;
    }
    await service.close();
    return EXIT.ok;
  },
  import: async (given) => (await import('./import-command.ts')).importCommand(contextOf(), given),
  export: async (given) => (await import('./export-command.ts')).exportCommand(contextOf(), given),
  consolidate: async (given) =>
    (await import('./consolidate-command.ts')).consolidateCommand(contextOf(), given),
  status: async (given) => (await import('./status-command.ts')).statusCommand(contextOf(), given),
  explain: async (given) => (await import('./memory-commands.ts')).explainCommand(contextOf(), given),
  change: async (given, change) =>
    (await import('./memory-commands.ts')).changeCommand(contextOf(), given, change),
  hold: async (given) => (await import('./hold-command.ts')).holdCommand(contextOf(), given),
  settings: async (given) => (await import('./settings-command.ts')).settingsCommand(contextOf(), given),
  quarantine: async (given) => (await import('./hold-command.ts')).quarantineCommand(contextOf(), given),
  release: async (given) => (await import('./hold-command.ts')).releaseCommand(contextOf(), given),
  undo: async (given) => (await import('./journal-commands.ts')).undoCommand(contextOf(), given),
  journal: async (given) => (await import('./journal-commands.ts')).journalCommand(contextOf(), given),
  edit: async (given) => (await import('./journal-commands.ts')).editCommand(contextOf(), given),
  lineage: async (given) => (await import('./journal-commands.ts')).lineageCommand(contextOf(), given),
  forget: async (given) => (await import('./forget-command.ts')).forgetCommand(contextOf(), given),
  preview: async (given) => (await import('./preview-command.ts')).previewCommand(contextOf(), given),
  reviews: async (given) => (await import('./review-commands.ts')).reviewsCommand(contextOf(), given),
  decide: async (given) => (await import('./review-commands.ts')).decideCommand(contextOf(), given),
  mode: async (given) => (await import('./review-commands.ts')).modeCommand(contextOf(), given),
  conflicts: async (given) => (await import('./conflict-command.ts')).conflictsCommand(contextOf(), given),
  settle: async (given) => (await import('./conflict-command.ts')).settleCommand(contextOf(), given),
  conflictPolicy: async (given) =>
    (await import('./conflict-command.ts')).conflictPolicyCommand(contextOf(), given),
  addWorkspace: async (given) =>
    (await import('./workspace-command.ts')).addWorkspaceCommand(contextOf(), given),
  listWorkspaces: async (given) =>
    (await import('./workspace-command.ts')).listWorkspacesCommand(contextOf(), given),
  showWorkspace: async (given) =>
    (await import('./workspace-command.ts')).showWorkspaceCommand(contextOf(), given),
  setWorkspace: async (given) =>
    (await import('./workspace-command.ts')).setWorkspaceCommand(contextOf(), given),
  removeWorkspace: async (given) =>
    (await import('./workspace-command.ts')).removeWorkspaceCommand(contextOf(), given),
  workspaceFiles: async (given) =>
    (await import('./workspace-document-commands.ts')).filesCommand(contextOf(), given),
  workspaceCat: async (given) =>
    (await import('./workspace-document-commands.ts')).catCommand(contextOf(), given),
  workspaceWrite: async (given) =>
    (await import('./workspace-document-commands.ts')).writeCommand(contextOf(), given),
  workspaceSearch: async (given) =>
    (await import('./workspace-document-commands.ts')).searchCommand(contextOf(), given),
  workspaceInsights: async (given) =>
    (await import('./workspace-insight-commands.ts')).insightsCommand(contextOf(), given),
  workspaceAudit: async (given) =>
    (await import('./workspace-insight-commands.ts')).auditCommand(contextOf(), given),
  workspaceProject: async (given) =>
    (await import('./workspace-run-commands.ts')).projectCommand(contextOf(), given),
  workspaceRuns: async (given) =>
    (await import('./workspace-run-commands.ts')).workspaceRunsCommand(contextOf(), given),
  runs: async (given) => (await import('./run-commands.ts')).runsCommand(contextOf(), given),
  showRun: async (given) => (await import('./run-commands.ts')).showRunCommand(contextOf(), given),
  cancelRun: async (given) => (await import('./run-commands.ts')).cancelRunCommand(contextOf(), given),
  estimate: async (given) => (await import('./estimate-command.ts')).estimateCommand(contextOf(), given),
  recall: async (given) => (await import('./recall-command.ts')).recallCommand(contextOf(), given),
  evaluate: async (given) => (await import('./evaluate-command.ts')).evaluateCommand(contextOf(), given),
  convertEvaluation: async (given) =>
    (await import('./evaluate-convert-command.ts')).evaluateConvertCommand(contextOf(), given),
  async checkJudge(given) {
    here('judge check');
    return (await import('./judge-command.ts')).checkJudgeCommand(contextOf(), given);
  },
  async pullModel(given) {
    here('models pull');
    return (await import('./models-command.ts')).pullModelCommand(contextOf(), given);
  },
  fusions: async (given) => (await import('./fusion-commands.ts')).fusionsCommand(contextOf(), given),
  showFusion: async (given) => (await import('./fusion-commands.ts')).showFusionCommand(contextOf(), given),
  createToken: async (given) => (await import('./token-commands.ts')).createTokenCommand(contextOf(), given),
  tokens: async (given) => (await import('./token-commands.ts')).tokensCommand(contextOf(), given),
  revokeToken: async (given) => (await import('./token-commands.ts')).revokeTokenCommand(contextOf(), given),
  addWebhook: async (given) => (await import('./webhook-commands.ts')).addWebhookCommand(contextOf(), given),
  webhooks: async (given) => (await import('./webhook-commands.ts')).webhooksCommand(contextOf(), given),
  removeWebhook: async (given) =>
    (await import('./webhook-commands.ts')).removeWebhookCommand(contextOf(), given),
  testWebhook: async (given) =>
    (await import('./webhook-commands.ts')).testWebhookCommand(contextOf(), given),
  workspaceUndo: async (given) =>
    (await import('./workspace-run-commands.ts')).undoRunCommand(contextOf(), given),
};

const commandLine = createCommandLine(commands, {
  done(code) {
    if (code !== null) process.exitCode = code;
  },
  before(options) {
    remote = remoteOf(options, given);
    return remote !== null;
  },
});

commandLine.parseAsync().catch((error: unknown) => {
  const { message, code } = explain(error);
  if (message) terminal.error(message);
  process.exit(code);
});
