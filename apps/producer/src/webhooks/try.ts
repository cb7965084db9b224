import { randomUUID } from 'node:crypto';
import type { Webhook } from '@slowwave/db';
import { bodyOf } from './deliveries.ts';
import { type SendOptions, sendWebhook } from './send.ts';
import { signatureHeaders } from './sign.ts';

/** What became of one message that somebody wanted to see sent. */
export interface TriedWebhook {
  /** The webhook-id of the message. */
  id: string;
  delivered: boolean;
  /** HTTP status of the answer, if there was one. */
  status: number | null;
  errorCode: string | null;
  durationMs: number;
}

/**
 * Sends one message of type webhook.test, once, whether the webhook is active or not.
 * @param webhook.secret the key of its signatures, base64
 * @param options.now epoch ms
 */
export async function tryWebhook(
  { tenant, url, secret }: Pick<Webhook, 'tenant' | 'url'> & { secret: string },
  { now, ...options }: SendOptions & { now: () => number },
): Promise<TriedWebhook> {
  const at = now();
  const id = randomUUID();
  const body = bodyOf({ id, type: 'webhook.test', createdAt: at, data: { tenant } });
  const headers = signatureHeaders(secret, { id, at, body });
  const startedMs = performance.now();
  const result = await sendWebhook(url, { headers, body }, options);
  const durationMs = Math.round(performance.now() - startedMs);
  const errorCode = result.status === 'failed' ? result.code : null;
  return { id, delivered: errorCode === null, status: result.httpStatus, errorCode, durationMs };
}
