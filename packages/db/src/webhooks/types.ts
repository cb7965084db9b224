import type { WEBHOOK_EVENTS } from '../schema/access.ts';

export { WEBHOOK_EVENTS } from '../schema/access.ts';

export type WebhookEventType = (typeof WEBHOOK_EVENTS)[number];

/** Where a tenant wants to be told of what happened. Instants in epoch ms. The key of its signatures is not part of it. */
export interface Webhook {
  tenant: string;
  id: string;
  url: string;
  events: WebhookEventType[];
  /** Nothing is sent, and nothing kept for later, while it is not active. */
  active: boolean;
  createdAt: number;
  updatedAt: number;
}

/** Something that happened, for whoever asked to be told. Ids, counts and codes only. */
export interface WebhookEvent {
  type: WebhookEventType;
  data: Readonly<Record<string, unknown>>;
}

/** What became of one event for one webhook. Instants in epoch ms. */
export interface WebhookDelivery {
  /** The same at every attempt. */
  id: string;
  user: string | null;
  event: WebhookEventType;
  attempts: number;
  /** Null once it arrived or was given up. */
  nextAttemptAt: number | null;
  deliveredAt: number | null;
  gaveUpAt: number | null;
  /** HTTP status of the last answer, if there was one. */
  lastStatus: number | null;
  /** Why the last attempt failed. */
  errorCode: string | null;
  createdAt: number;
}

/** A delivery that this process has taken for one attempt. */
export interface ClaimedDelivery {
  tenant: string;
  id: string;
  webhookId: string;
  event: WebhookEventType;
  data: Record<string, unknown>;
  createdAt: number;
  /** This attempt included. */
  attempts: number;
  url: string;
  /** The key of the signature, base64. */
  secret: string;
}

/** How one attempt ended; `nextAttemptAt` null: it was the last one. */
export type DeliveryOutcome =
  | { status: 'delivered'; httpStatus: number }
  | { status: 'failed'; code: string; httpStatus: number | null; nextAttemptAt: number | null };
