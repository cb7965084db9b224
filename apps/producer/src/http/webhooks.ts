import * as api from '@slowwave/api';
import {
  createWebhook,
  getWebhook,
  listDeliveries,
  listWebhooks,
  removeWebhook,
  rotateWebhookSecret,
  updateWebhook,
  WEBHOOKS_PER_TENANT_MAX,
  type Webhook,
} from '@slowwave/db';
import type { FastifyInstance } from 'fastify';
import { urlProblem } from '../webhooks/address.ts';
import type { SendOptions } from '../webhooks/send.ts';
import { shownSecret } from '../webhooks/sign.ts';
import { tryWebhook } from '../webhooks/try.ts';
import type { AppOptions } from './options.ts';
import { Problem } from './problem.ts';
import { serve } from './serve.ts';

export type WebhookRouteOptions = Pick<AppOptions, 'database' | 'logger' | 'now'> & { webhooks: SendOptions };

/** Where tenants want to be told of what happened, and what became of it. No log line holds an address: it may hold a key. */
export function registerWebhooks(app: FastifyInstance, options: WebhookRouteOptions): void {
  registerChanges(app, options);
  registerSecrets(app, options);
  registerLooks(app, options);
}

function registerChanges(
  app: FastifyInstance,
  { database, logger, now, webhooks }: WebhookRouteOptions,
): void {
  serve(app, api.createWebhook, async ({ tenant, body, principal }) => {
    requireUrl(body.url, webhooks);
    const { url, events } = body;
    const made = await database.withTenant(tenant, (tx) =>
      createWebhook(tx, { tenant, url, events, at: now() }),
    );
    if (made === null) {
      const detail = `a tenant has at most ${WEBHOOKS_PER_TENANT_MAX} webhooks: remove one first`;
      throw new Problem(409, 'too_many_webhooks', detail);
    }
    const { webhook, secret } = made;
    logger.info({ tenant, webhook: webhook.id, events, by: principal.name }, 'a webhook was made');
    return { tenant, secret: shownSecret(secret), webhook: shown(webhook) };
  });

  serve(app, api.updateWebhook, async ({ tenant, params, body, principal }) => {
    const { url, events, active } = body;
    if (url !== undefined) requireUrl(url, webhooks);
    const change = {
      ...(url === undefined ? {} : { url }),
      ...(events === undefined ? {} : { events }),
      ...(active === undefined ? {} : { active }),
    };
    const webhook = await database.withTenant(tenant, (tx) =>
      updateWebhook(tx, { tenant, id: params.id, ...change, at: now() }),
    );
    if (webhook === null) throw unknownWebhook();
    const changed = Object.keys(change);
    logger.info({ tenant, webhook: webhook.id, changed, by: principal.name }, 'a webhook was changed');
    return { tenant, webhook: shown(webhook) };
  });

  serve(app, api.removeWebhook, async ({ tenant, params, principal }) => {
    const removed = await database.withTenant(tenant, (tx) => removeWebhook(tx, { tenant, id: params.id }));
    if (!removed) throw unknownWebhook();
    logger.info({ tenant, webhook: params.id, by: principal.name }, 'a webhook was removed');
    return undefined;
  });
}

function registerSecrets(app: FastifyInstance, { database, logger, now }: WebhookRouteOptions): void {
  serve(app, api.rotateWebhookSecret, async ({ tenant, params, principal }) => {
    const { id } = params;
    const found = await database.withTenant(tenant, async (tx) => {
      const secret = await rotateWebhookSecret(tx, { tenant, id, at: now() });
      return secret === null ? null : { secret, webhook: await getWebhook(tx, { tenant, id }) };
    });
    if (!found?.webhook) throw unknownWebhook();
    logger.info({ tenant, webhook: id, by: principal.name }, 'the secret of a webhook was changed');
    return { tenant, secret: shownSecret(found.secret), webhook: shown(found.webhook) };
  });
}

function registerLooks(app: FastifyInstance, { database, now, webhooks }: WebhookRouteOptions): void {
  serve(app, api.listWebhooks, async ({ tenant }) => {
    const found = await database.withTenant(tenant, (tx) => listWebhooks(tx, { tenant }));
    return { tenant, webhooks: found.map(shown) };
  });

  serve(app, api.listWebhookDeliveries, async ({ tenant, params, query }) => {
    const { id } = params;
    const { limit, cursor } = query;
    const page = await database.withTenant(tenant, async (tx) =>
      (await getWebhook(tx, { tenant, id })) === null
        ? null
        : listDeliveries(tx, { tenant, webhookId: id, limit, cursor }),
    );
    if (page === null) throw unknownWebhook();
    return { tenant, deliveries: page.rows, nextCursor: page.nextCursor };
  });

  serve(app, api.testWebhook, async ({ tenant, params }) => {
    const webhook = await database.withTenant(tenant, (tx) => getWebhook(tx, { tenant, id: params.id }));
    if (webhook === null) throw unknownWebhook();
    return { tenant, ...(await tryWebhook(webhook, { ...webhooks, now })) };
  });
}

function shown({ id, url, events, active, createdAt, updatedAt }: Webhook) {
  return { id, url, events, active, createdAt, updatedAt };
}

function requireUrl(url: string, { privateAddresses }: SendOptions): void {
  const problem = urlProblem(url, privateAddresses);
  if (problem !== null)
    throw new Problem(400, 'invalid_request', `the body is not as expected: url: ${problem}`);
}

function unknownWebhook(): Problem {
  return new Problem(404, 'unknown_webhook', 'this tenant has no such webhook');
}
