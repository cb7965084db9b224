export {
  claimDueDeliveries,
  countPendingDeliveries,
  DELIVERIES_PER_LIST_MAX,
  holdDeliveries,
  listDeliveries,
  pruneDeliveries,
  recordDelivery,
} from './deliveries.ts';
export { enqueueEvents } from './events.ts';
export type {
  ClaimedDelivery,
  DeliveryOutcome,
  Webhook,
  WebhookDelivery,
  WebhookEvent,
  WebhookEventType,
} from './types.ts';
export { WEBHOOK_EVENTS } from './types.ts';
export {
  createWebhook,
  getWebhook,
  listWebhooks,
  removeWebhook,
  rotateWebhookSecret,
  updateWebhook,
  WEBHOOK_URL_CHARS_MAX,
  WEBHOOKS_PER_TENANT_MAX,
} from './webhooks.ts';
