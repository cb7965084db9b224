import { type Config, type Environment, readConfig } from '@slowwave/config';
import { createLogger } from '@slowwave/worker';
import { type Commands, createCommandLine } from './command-line.ts';
import { completionScript } from './completion.ts';
import { conflictPolicyCommand, conflictsCommand, settleCommand } from './conflict-command.ts';
import { consolidateCommand } from './consolidate-command.ts';
import { runDemo } from './demo.ts';
import { doctorCommand } from './doctor-command.ts';
import { estimateCommand } from './estimate-command.ts';
import { evaluateCommand } from './evaluate-command.ts';
import { evaluateConvertCommand } from './evaluate-convert-command.ts';
import { EXIT, explain, UsageError } from './exit.ts';
import { exportCommand } from './export-command.ts';
import { forgetCommand } from './forget-command.ts';
import { fusionsCommand, showFusionCommand } from './fusion-commands.ts';
import { holdCommand, quarantineCommand, releaseCommand } from './hold-command.ts';
import { importCommand } from './import-command.ts';
import { editCommand, journalCommand, lineageCommand, undoCommand } from './journal-commands.ts';
import { checkJudgeCommand } from './judge-command.ts';
import { changeCommand, explainCommand } from './memory-commands.ts';
import { migrateCommand } from './migrate-command.ts';
import { pullModelCommand } from './models-command.ts';
import { previewCommand } from './preview-command.ts';
import { recallCommand } from './recall-command.ts';
import { type Remote, remoteOf, withoutRemote } from './remote.ts';
import { decideCommand, modeCommand, reviewsCommand } from './review-commands.ts';
import { cancelRunCommand, runsCommand, showRunCommand } from './run-commands.ts';
import { type Service, startService } from './service.ts';
import { settingsCommand } from './settings-command.ts';
import { statusCommand } from './status-command.ts';
import { createTerminal } from './terminal.ts';
import { createTokenCommand, revokeTokenCommand, tokensCommand } from './token-commands.ts';
import {
  addWebhookCommand,
  removeWebhookCommand,
  testWebhookCommand,
  webhooksCommand,
} from './webhook-commands.ts';
import {
  addWorkspaceCommand,
  listWorkspacesCommand,
  removeWorkspaceCommand,
  setWorkspaceCommand,
  showWorkspaceCommand,
} from './workspace-command.ts';
import { catCommand, filesCommand, searchCommand, writeCommand } from './workspace-document-commands.ts';
import { auditCommand, insightsCommand } from './workspace-insight-commands.ts';
import { projectCommand, undoRunCommand, workspaceRunsCommand } from './workspace-run-commands.ts';

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
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void stop());
}

const commands: Commands = {
  async start() {
    here('start');
    const config = readConfig(environment);
    const logger = createLogger(config.logLevel);
    const service = await startService({ config, logger, serve: true });
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
  async migrate(given) {
    here('migrate');
    return migrateCommand(contextOf(), given);
  },
  doctor: ({ model, json }) =>
    doctorCommand(
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
    const service = await runDemo(contextOf(demoEnvironment()));
    if (!exit) {
      keepRunning(service);
      return null;
    }
    await service.close();
    return EXIT.ok;
  },
  import: (given) => importCommand(contextOf(), given),
  export: (given) => exportCommand(contextOf(), given),
  consolidate: (given) => consolidateCommand(contextOf(), given),
  status: (given) => statusCommand(contextOf(), given),
  explain: (given) => explainCommand(contextOf(), given),
  change: (given, change) => changeCommand(contextOf(), given, change),
  hold: (given) => holdCommand(contextOf(), given),
  settings: (given) => settingsCommand(contextOf(), given),
  quarantine: (given) => quarantineCommand(contextOf(), given),
  release: (given) => releaseCommand(contextOf(), given),
  undo: (given) => undoCommand(contextOf(), given),
  journal: (given) => journalCommand(contextOf(), given),
  edit: (given) => editCommand(contextOf(), given),
  lineage: (given) => lineageCommand(contextOf(), given),
  forget: (given) => forgetCommand(contextOf(), given),
  preview: (given) => previewCommand(contextOf(), given),
  reviews: (given) => reviewsCommand(contextOf(), given),
  decide: (given) => decideCommand(contextOf(), given),
  mode: (given) => modeCommand(contextOf(), given),
  conflicts: (given) => conflictsCommand(contextOf(), given),
  settle: (given) => settleCommand(contextOf(), given),
  conflictPolicy: (given) => conflictPolicyCommand(contextOf(), given),
  addWorkspace: (given) => addWorkspaceCommand(contextOf(), given),
  listWorkspaces: (given) => listWorkspacesCommand(contextOf(), given),
  showWorkspace: (given) => showWorkspaceCommand(contextOf(), given),
  setWorkspace: (given) => setWorkspaceCommand(contextOf(), given),
  removeWorkspace: (given) => removeWorkspaceCommand(contextOf(), given),
  workspaceFiles: (given) => filesCommand(contextOf(), given),
  workspaceCat: (given) => catCommand(contextOf(), given),
  workspaceWrite: (given) => writeCommand(contextOf(), given),
  workspaceSearch: (given) => searchCommand(contextOf(), given),
  workspaceInsights: (given) => insightsCommand(contextOf(), given),
  workspaceAudit: (given) => auditCommand(contextOf(), given),
  workspaceProject: (given) => projectCommand(contextOf(), given),
  workspaceRuns: (given) => workspaceRunsCommand(contextOf(), given),
  runs: (given) => runsCommand(contextOf(), given),
  showRun: (given) => showRunCommand(contextOf(), given),
  cancelRun: (given) => cancelRunCommand(contextOf(), given),
  estimate: (given) => estimateCommand(contextOf(), given),
  recall: (given) => recallCommand(contextOf(), given),
  evaluate: (given) => evaluateCommand(contextOf(), given),
  convertEvaluation: (given) => evaluateConvertCommand(contextOf(), given),
  async checkJudge(given) {
    here('judge check');
    return checkJudgeCommand(contextOf(), given);
  },
  async pullModel(given) {
    here('models pull');
    return pullModelCommand(contextOf(), given);
  },
  fusions: (given) => fusionsCommand(contextOf(), given),
  showFusion: (given) => showFusionCommand(contextOf(), given),
  createToken: (given) => createTokenCommand(contextOf(), given),
  tokens: (given) => tokensCommand(contextOf(), given),
  revokeToken: (given) => revokeTokenCommand(contextOf(), given),
  addWebhook: (given) => addWebhookCommand(contextOf(), given),
  webhooks: (given) => webhooksCommand(contextOf(), given),
  removeWebhook: (given) => removeWebhookCommand(contextOf(), given),
  testWebhook: (given) => testWebhookCommand(contextOf(), given),
  workspaceUndo: (given) => undoRunCommand(contextOf(), given),
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
