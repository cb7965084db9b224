import type { WebhookEventType } from '@slowwave/db';
import { TOKEN_ROLES, WEBHOOK_EVENTS } from '@slowwave/db/vocabulary';
import { FUSION_STATUSES, RUN_STATUSES, TIERS } from '@slowwave/fusion/vocabulary';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { EstimateArguments } from './estimate-command.ts';
import type { FusionArguments, FusionsArguments } from './fusion-commands.ts';
import { jsonOption, tenantOption, wholeFrom } from './options.ts';
import type { RunArguments, RunsArguments } from './run-commands.ts';
import type { CreateTokenArguments, RevokeTokenArguments, TokensArguments } from './token-commands.ts';
import type { AddWebhookArguments, WebhookArguments } from './webhook-commands.ts';

/** What whoever operates a service may do; each returns its exit code. */
export interface OperatorCommands {
  runs(given: RunsArguments): Promise<number>;
  showRun(given: RunArguments): Promise<number>;
  cancelRun(given: RunArguments): Promise<number>;
  estimate(given: EstimateArguments): Promise<number>;
  fusions(given: FusionsArguments): Promise<number>;
  showFusion(given: FusionArguments): Promise<number>;
  createToken(given: CreateTokenArguments): Promise<number>;
  tokens(given: TokensArguments): Promise<number>;
  revokeToken(given: RevokeTokenArguments): Promise<number>;
  addWebhook(given: AddWebhookArguments): Promise<number>;
  webhooks(given: { tenant: string; json: boolean }): Promise<number>;
  removeWebhook(given: WebhookArguments): Promise<number>;
  testWebhook(given: WebhookArguments): Promise<number>;
}

type Done = (code: number | null) => void;

const limitOption = (): Option =>
  new Option('--limit <count>', 'most that are shown').argParser(wholeFrom(1, 200)).default(20);
const cursorOption = (): Option =>
  new Option('--cursor <cursor>', 'go on where the last page ended, as it said');
const userOption = (): Option => new Option('--user <user>', 'the user').makeOptionMandatory();

export function addOperator(program: Command, commands: OperatorCommands, done: Done): void {
  addRuns(program, commands, done);
  addEstimate(program, commands, done);
  addFusions(program, commands, done);
  addTokens(program, commands, done);
  addWebhooks(program, commands, done);
}

function addRuns(program: Command, commands: OperatorCommands, done: Done): void {
  const group = program.command('runs').description('runs of tiers: list, show, cancel');
  group
    .command('list', { isDefault: true })
    .description('list runs, the newest first')
    .option('--user <user>', 'of one user; without it of the whole tenant')
    .addOption(tenantOption())
    .addOption(new Option('--tier <tier>', 'only of this tier').choices(TIERS))
    .addOption(new Option('--status <status>', 'only of this status').choices(RUN_STATUSES))
    .addOption(limitOption())
    .addOption(cursorOption())
    .addOption(jsonOption())
    .action(async (options: RunsArguments) => done(await commands.runs(options)));
  const one = (name: string, description: string) =>
    group
      .command(name)
      .description(description)
      .argument('<run>', 'its id, as "slowwave runs" lists it')
      .addOption(userOption())
      .addOption(tenantOption())
      .addOption(jsonOption());
  one('show', 'show the steps of a run, and what it fused').action(
    async (run: string, options: Omit<RunArguments, 'run'>) =>
      done(await commands.showRun({ run, ...options })),
  );
  one('cancel', 'end a run before its next step or cluster; what it has committed stays').action(
    async (run: string, options: Omit<RunArguments, 'run'>) =>
      done(await commands.cancelRun({ run, ...options })),
  );
}

function addEstimate(program: Command, commands: OperatorCommands, done: Done): void {
  program
    .command('estimate')
    .description(
      'say what the next night would cost, before it is spent: requests, tokens and money by model',
    )
    .option('--user <user>', 'of one user; without it of the whole tenant')
    .addOption(tenantOption())
    .addOption(jsonOption())
    .action(async (options: EstimateArguments) => done(await commands.estimate(options)));
}

function addFusions(program: Command, commands: OperatorCommands, done: Done): void {
  const group = program.command('fusions').description('fusions and merges: list, show');
  group
    .command('list', { isDefault: true })
    .description('list fusions, those that changed last first')
    .option('--user <user>', 'of one user; without it of the whole tenant')
    .addOption(tenantOption())
    .addOption(new Option('--tier <tier>', 'only of this tier').choices(TIERS))
    .addOption(new Option('--status <status>', 'only of this status').choices(FUSION_STATUSES))
    .option('--run <run>', 'only of this run')
    .addOption(limitOption())
    .addOption(cursorOption())
    .addOption(jsonOption())
    .action(async (options: FusionsArguments) => done(await commands.fusions(options)));
  group
    .command('show')
    .description('show what a fusion is made of, what it says, and what the gate says of it')
    .argument('<key>', 'its key, as "slowwave fusions" lists it')
    .addOption(userOption())
    .addOption(tenantOption())
    .addOption(jsonOption())
    .action(async (key: string, options: Omit<FusionArguments, 'key'>) =>
      done(await commands.showFusion({ key, ...options })),
    );
}

function addTokens(program: Command, commands: OperatorCommands, done: Done): void {
  const group = program.command('token').description('tokens of a tenant for the API: create, list, revoke');
  group
    .command('create')
    .description('make a token and print its secret, this once')
    .argument('<name>', 'what people call it; it stands in the journal')
    .addOption(
      new Option('--role <role>', 'read: looks; write: what a backend does; admin: tokens, webhooks, exports')
        .choices(TOKEN_ROLES)
        .makeOptionMandatory(),
    )
    .option('--speaks-for-user', 'what an assistant writes with it passes for the user’s own word')
    .option('--days <days>', 'it ends after so many days; without it when it is revoked', wholeFrom(1, 3_650))
    .addOption(new Option('--tenant <tenant>', 'the tenant').default('default'))
    .addOption(jsonOption())
    .action(async (name: string, options: Omit<CreateTokenArguments, 'name'>) =>
      done(await commands.createToken({ name, ...options })),
    );
  group
    .command('list')
    .description('list tokens, the newest first; never their secrets')
    .addOption(new Option('--tenant <tenant>', 'the tenant').default('default'))
    .addOption(limitOption())
    .addOption(cursorOption())
    .addOption(jsonOption())
    .action(async (options: TokensArguments) => done(await commands.tokens(options)));
  group
    .command('revoke')
    .description('end a token at once and for good')
    .argument('<token>', 'its id, as "slowwave token list" shows it')
    .addOption(new Option('--tenant <tenant>', 'the tenant').default('default'))
    .addOption(jsonOption())
    .action(async (token: string, options: Omit<RevokeTokenArguments, 'token'>) =>
      done(await commands.revokeToken({ token, ...options })),
    );
}

/** Names of events, separated by commas. */
function eventsOf(text: string): WebhookEventType[] {
  const names = text.split(',').map((name) => name.trim());
  const known = WEBHOOK_EVENTS.filter((event) => names.includes(event));
  if (names.length > 0 && known.length === new Set(names).size) return known;
  throw new InvalidArgumentError(
    `one or more of ${WEBHOOK_EVENTS.join(', ')} are expected, separated by commas`,
  );
}

function addWebhooks(program: Command, commands: OperatorCommands, done: Done): void {
  const group = program
    .command('webhook')
    .description('addresses that are told of what happens: add, list, remove, test');
  const command = (name: string, description: string) =>
    group
      .command(name)
      .description(description)
      .addOption(new Option('--tenant <tenant>', 'the tenant').default('default'))
      .addOption(jsonOption());
  command('add', 'have events sent to an address; prints the secret of their signatures, this once')
    .argument('<address>', 'https, and public')
    .option('--events <events>', `which ones, separated by commas`, eventsOf, [...WEBHOOK_EVENTS])
    .action(async (url: string, options: Omit<AddWebhookArguments, 'url'>) =>
      done(await commands.addWebhook({ url, ...options })),
    );
  command('list', 'list them').action(async (options: { tenant: string; json: boolean }) =>
    done(await commands.webhooks(options)),
  );
  const one = (name: string, description: string) =>
    command(name, description).argument('<webhook>', 'its id, as "slowwave webhook list" shows it');
  one('remove', 'remove one, and what is on its way to it').action(
    async (webhook: string, options: Omit<WebhookArguments, 'webhook'>) =>
      done(await commands.removeWebhook({ webhook, ...options })),
  );
  one('test', 'send it one message now, and say what became of it').action(
    async (webhook: string, options: Omit<WebhookArguments, 'webhook'>) =>
      done(await commands.testWebhook({ webhook, ...options })),
  );
}
