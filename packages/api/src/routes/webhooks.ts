import { z } from 'zod';
import { nextCursorField, pageFields, tenantField, uuidField } from '../fields.ts';
import { type Route, route } from '../route.ts';

export const WEBHOOK_EVENTS = ['run.finished', 'conflict.found', 'fusion.failed'] as const;

const DELIVERIES_PAGE_MAX = 200;
const URL_CHARS_MAX = 2_000;
const URL_FORM = `expected a URL of at most ${URL_CHARS_MAX} characters`;
const EVENTS = `expected one or more of ${WEBHOOK_EVENTS.join(', ')}`;

const urlField = z
  .string({ error: URL_FORM })
  .min(1, URL_FORM)
  .max(URL_CHARS_MAX, URL_FORM)
  .describe('https, without user, password and fragment. Whether it may be called is said when it is given.');
const eventsField = z
  .array(z.enum(WEBHOOK_EVENTS, { error: EVENTS }), { error: EVENTS })
  .min(1, EVENTS)
  .max(WEBHOOK_EVENTS.length, EVENTS);

const webhookSchema = z
  .strictObject({
    id: z.uuid(),
    url: z.string(),
    events: z.array(z.enum(WEBHOOK_EVENTS)),
    active: z.boolean().describe('Nothing is sent, and nothing kept for later, while it is not active.'),
    createdAt: z.number().describe('Epoch ms.'),
    updatedAt: z.number().describe('Epoch ms.'),
  })
  .meta({
    id: 'Webhook',
    description: 'Where a tenant is told of what happened. Its secret is not among it.',
  });

const deliverySchema = z
  .strictObject({
    id: z.uuid().describe('The webhook-id of every attempt.'),
    user: z.string().nullable(),
    event: z.enum(WEBHOOK_EVENTS),
    attempts: z.int(),
    nextAttemptAt: z.number().nullable().describe('Epoch ms; null: it arrived or was given up.'),
    deliveredAt: z.number().nullable().describe('Epoch ms.'),
    gaveUpAt: z.number().nullable().describe('Epoch ms.'),
    lastStatus: z.int().nullable().describe('HTTP status of the last answer, if there was one.'),
    errorCode: z.string().nullable().describe('Why the last attempt failed.'),
    createdAt: z.number().describe('Epoch ms.'),
  })
  .meta({ id: 'WebhookDelivery', description: 'What became of one event for one webhook.' });

const path = z.object({ id: uuidField('webhook') });
const tenantQuery = z.strictObject({ tenant: tenantField });
const tenantBody = z.strictObject({ tenant: tenantField });
const withWebhook = z.strictObject({ tenant: z.string(), webhook: webhookSchema });
const withSecret = z.strictObject({
  tenant: z.string(),
  secret: z.string().describe('The key of the signatures, shown this once: whsec_ and base64.'),
  webhook: webhookSchema,
});
const shared = { tag: 'webhooks', role: 'admin', scope: 'one' } as const;
const unknown = { 404: ['unknown_webhook'] } as const;

export const createWebhook = route({
  ...shared,
  operation: 'createWebhook',
  method: 'POST',
  path: '/v1/webhooks',
  summary: 'Have events sent to an address.',
  description:
    'Messages are signed as Standard Webhooks describes it, with the secret of this answer, and sent at least once: a receiver tells repeated ones by their id.',
  secretAnswer: true,
  body: z.strictObject({
    tenant: tenantField,
    url: urlField,
    events: eventsField.default([...WEBHOOK_EVENTS]),
  }),
  answers: { 201: { description: 'It is told of what happens from now on.', schema: withSecret } },
  refusals: { 409: ['too_many_webhooks'] },
});

export const listWebhooks = route({
  ...shared,
  operation: 'listWebhooks',
  method: 'GET',
  path: '/v1/webhooks',
  summary: 'List the webhooks of a tenant, the oldest first.',
  query: tenantQuery,
  answers: {
    200: {
      description: 'All of them; there are never many.',
      schema: z.strictObject({ tenant: z.string(), webhooks: z.array(webhookSchema) }),
    },
  },
});

export const updateWebhook = route({
  ...shared,
  operation: 'updateWebhook',
  method: 'PATCH',
  path: '/v1/webhooks/:id',
  summary: 'Change the address, the events or whether it is active.',
  description: 'One that is made inactive gives up what is on its way.',
  params: path,
  body: z
    .strictObject({
      tenant: tenantField,
      url: urlField.optional(),
      events: eventsField.optional(),
      active: z.boolean({ error: 'expected true or false' }).optional(),
    })
    .refine(({ url, events, active }) => [url, events, active].some((field) => field !== undefined), {
      path: ['active'],
      error: 'expected something to change: url, events or active',
    }),
  answers: { 200: { description: 'As it is now.', schema: withWebhook } },
  refusals: unknown,
});

export const removeWebhook = route({
  ...shared,
  operation: 'removeWebhook',
  method: 'DELETE',
  path: '/v1/webhooks/:id',
  summary: 'Remove a webhook and everything that is on its way to it.',
  params: path,
  query: tenantQuery,
  answers: { 204: { description: 'It is gone.', schema: null } },
  refusals: unknown,
});

export const testWebhook = route({
  ...shared,
  operation: 'testWebhook',
  method: 'POST',
  path: '/v1/webhooks/:id/test',
  summary: 'Send one message of type webhook.test now and say what became of it.',
  description: 'It is sent once, whether the webhook is active or not, and stands in no list.',
  params: path,
  body: tenantBody,
  bodyOptional: true,
  answers: {
    200: {
      description: 'It was tried, with or without success.',
      schema: z.strictObject({
        tenant: z.string(),
        id: z.uuid().describe('The webhook-id of the message.'),
        delivered: z.boolean(),
        status: z.int().nullable().describe('HTTP status of the answer, if there was one.'),
        errorCode: z.string().nullable(),
        durationMs: z.number(),
      }),
    },
  },
  refusals: unknown,
});

export const listWebhookDeliveries = route({
  ...shared,
  operation: 'listWebhookDeliveries',
  method: 'GET',
  path: '/v1/webhooks/:id/deliveries',
  summary: 'List what became of the events for a webhook, the newest first.',
  description: 'Delivered ones are kept for 7 days, those that were given up for 30.',
  params: path,
  query: z.strictObject({ tenant: tenantField, ...pageFields(DELIVERIES_PAGE_MAX) }),
  answers: {
    200: {
      description: 'One page.',
      schema: z.strictObject({
        tenant: z.string(),
        deliveries: z.array(deliverySchema),
        nextCursor: nextCursorField,
      }),
    },
  },
  refusals: unknown,
});

export const rotateWebhookSecret = route({
  ...shared,
  operation: 'rotateWebhookSecret',
  method: 'POST',
  path: '/v1/webhooks/:id/rotate-secret',
  summary: 'Sign with a new secret from the next message on.',
  secretAnswer: true,
  params: path,
  body: tenantBody,
  bodyOptional: true,
  answers: { 200: { description: 'The new secret, shown this once.', schema: withSecret } },
  refusals: unknown,
});

export const webhooksRoutes: readonly Route[] = [
  createWebhook,
  listWebhooks,
  updateWebhook,
  removeWebhook,
  testWebhook,
  listWebhookDeliveries,
  rotateWebhookSecret,
];
