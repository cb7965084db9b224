import {
  createWebhook,
  type Database,
  getWebhook,
  listWebhooks,
  removeWebhook,
  WEBHOOKS_PER_TENANT_MAX,
  type Webhook,
  type WebhookEventType,
} from '@slowwave/db';
import { shownSecret, tryWebhook, urlProblem } from '@slowwave/producer';
import { anywhere, type CommandContext } from './anywhere.ts';
import { EXIT, HeldBack, UsageError } from './exit.ts';
import { printable } from './explain-lines.ts';
import type { ShownWebhook, WebhookTest } from './operator-calls.ts';
import { when } from './print.ts';
import { tableLines } from './table.ts';

export interface AddWebhookArguments {
  url: string;
  tenant: string;
  events: readonly WebhookEventType[];
  json: boolean;
}

const shownOf = ({ tenant: _tenant, ...webhook }: Webhook): ShownWebhook => webhook;

/** Has events sent to an address, and prints the secret of the signatures, this once. @returns exit code */
export async function addWebhookCommand(
  context: CommandContext,
  { json, ...given }: AddWebhookArguments,
): Promise<number> {
  const { terminal, config } = context;
  const made = await anywhere(context, {
    service: (client) => client.addWebhook(given),
    async database(database) {
      const problem = urlProblem(given.url, config.webhooks.privateAddresses);
      if (problem !== null) throw new UsageError(problem);
      const made = await database.withTenant(given.tenant, (tx) =>
        createWebhook(tx, { ...given, at: Date.now() }),
      );
      if (made === null) {
        throw new HeldBack(`a tenant has at most ${WEBHOOKS_PER_TENANT_MAX} webhooks: remove one first`);
      }
      return { tenant: given.tenant, secret: shownSecret(made.secret), webhook: shownOf(made.webhook) };
    },
  });
  if (json) terminal.line(JSON.stringify(made));
  else {
    terminal.line(made.secret);
    terminal.error(
      `webhook ${made.webhook.id} is told of ${made.webhook.events.join(', ')}; the secret above signs its messages and is not shown again`,
    );
  }
  return EXIT.ok;
}

/** Lists the webhooks of a tenant. @returns exit code */
export async function webhooksCommand(
  context: CommandContext,
  { tenant, json }: { tenant: string; json: boolean },
): Promise<number> {
  const { terminal } = context;
  const found = await anywhere(context, {
    service: (client) => client.webhooks({ tenant }),
    database: async (database) => ({
      tenant,
      webhooks: (await database.withTenant(tenant, (tx) => listWebhooks(tx, { tenant }))).map(shownOf),
    }),
  });
  if (json) terminal.line(JSON.stringify(found));
  else if (found.webhooks.length === 0) terminal.line('no webhook: slowwave webhook add URL makes one');
  else {
    const rows = found.webhooks.map(({ id, url, events, active, createdAt }) => [
      id,
      active ? 'active' : 'not active',
      events.join(','),
      when(createdAt),
      printable(url),
    ]);
    for (const line of tableLines(['WEBHOOK', 'STATE', 'EVENTS', 'SINCE', 'URL'], rows, terminal.columns)) {
      terminal.line(line);
    }
  }
  return EXIT.ok;
}

export interface WebhookArguments {
  webhook: string;
  tenant: string;
  json: boolean;
}

const unknownWebhook = ({ webhook, tenant }: WebhookArguments): UsageError =>
  new UsageError(
    `${printable(tenant)} has no webhook ${printable(webhook)}: slowwave webhook list shows their ids`,
  );

function requireUuid(given: WebhookArguments): void {
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(given.webhook)) throw unknownWebhook(given);
}

/** Removes a webhook and what is on its way to it. @returns exit code */
export async function removeWebhookCommand(
  context: CommandContext,
  given: WebhookArguments,
): Promise<number> {
  requireUuid(given);
  const { webhook: id, tenant, json } = given;
  await anywhere(context, {
    service: (client) => client.removeWebhook(id, { tenant }),
    async database(database) {
      const removed = await database.withTenant(tenant, (tx) => removeWebhook(tx, { tenant, id }));
      if (!removed) throw unknownWebhook(given);
    },
  });
  context.terminal.line(json ? JSON.stringify({ tenant, id, removed: true }) : `webhook ${id} is gone`);
  return EXIT.ok;
}

async function tryHere(
  context: CommandContext,
  database: Database,
  given: WebhookArguments,
): Promise<WebhookTest> {
  const { webhook: id, tenant } = given;
  const webhook = await database.withTenant(tenant, (tx) => getWebhook(tx, { tenant, id }));
  if (webhook === null) throw unknownWebhook(given);
  return { tenant, ...(await tryWebhook(webhook, { ...context.config.webhooks, now: Date.now })) };
}

/** Sends one message now and says what became of it. @returns exit code: 1 when it did not arrive */
export async function testWebhookCommand(context: CommandContext, given: WebhookArguments): Promise<number> {
  requireUuid(given);
  const { terminal } = context;
  const { webhook, tenant, json } = given;
  const result = await anywhere(context, {
    service: (client) => client.testWebhook(webhook, { tenant }),
    database: (database) => tryHere(context, database, given),
  });
  const { delivered, status, errorCode, durationMs } = result;
  const answer = status === null ? '' : `, status ${status}`;
  if (json) terminal.line(JSON.stringify(result));
  else if (delivered) terminal.line(`delivered in ${durationMs} ms${answer}`);
  else terminal.error(`not delivered: ${errorCode ?? 'unknown'}${answer}`);
  return delivered ? EXIT.ok : EXIT.failed;
}
