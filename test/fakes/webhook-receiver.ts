import { createHmac } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ReceivedWebhook {
  path: string;
  headers: IncomingHttpHeaders;
  /** As it was sent. */
  text: string;
  body: { id: string; type: string; createdAt: number; data: Record<string, unknown> };
}

export type Answer = (response: ServerResponse, received: ReceivedWebhook) => void;

/** A server that takes webhooks on loopback, remembers them and answers as it is told. */
export interface WebhookReceiver {
  url: string;
  port: number;
  received: ReceivedWebhook[];
  /** Default: 204. */
  answerWith(answer: Answer): void;
  close(): Promise<void>;
}

const NO_CONTENT: Answer = (response) => response.writeHead(204).end();

export async function startReceiver(): Promise<WebhookReceiver> {
  const received: ReceivedWebhook[] = [];
  let answer = NO_CONTENT;
  const server = createServer((request, response) => {
    void textOf(request).then((text) => {
      const taken = { path: request.url ?? '', headers: request.headers, text, body: JSON.parse(text) };
      received.push(taken);
      answer(response, taken);
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/hook`,
    port,
    received,
    answerWith(given) {
      answer = given;
    },
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

/** What a receiver does with a message before it believes it. @param secret as it was shown: whsec_ and base64 */
export function isSigned({ headers, text }: ReceivedWebhook, secret: string): boolean {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${text}`;
  const expected = createHmac('sha256', key).update(signed).digest('base64');
  return headers['webhook-signature'] === `v1,${expected}`;
}
