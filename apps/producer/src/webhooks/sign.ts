import { createHmac } from 'node:crypto';

export interface SignedMessage {
  /** The same at every attempt, so that a receiver knows a message it has had. */
  id: string;
  /** Epoch ms of the attempt; receivers refuse old ones. */
  at: number;
  body: string;
}

/** As people see and store it. @param secret base64 */
export function shownSecret(secret: string): string {
  return `whsec_${secret}`;
}

/**
 * Headers of the Standard Webhooks scheme: HMAC-SHA256 over id, timestamp and body, joined by dots.
 * @param secret base64, without its prefix
 */
export function signatureHeaders(secret: string, { id, at, body }: SignedMessage): Record<string, string> {
  const timestamp = String(Math.floor(at / 1000));
  const key = Buffer.from(secret, 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${signature}`,
  };
}
