import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Registry } from '@slowwave/telemetry';
import type { Worker } from './worker.ts';

interface Answer {
  status: number;
  type: string;
  body: string;
}

/** GET /health/live, /health/ready and /metrics of a worker process, which serves nothing else. @returns the port and how to stop */
export async function serveHealth(
  parts: { worker: Worker; metrics: Registry },
  at: { healthHost: string; healthPort: number },
): Promise<{ port: number; close(): Promise<void> }> {
  const server = createServer((request, response) => {
    answer(parts, request.url ?? '').then(
      ({ status, type, body }) => response.writeHead(status, { 'content-type': type }).end(body),
      () => response.writeHead(500).end(),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(at.healthPort, at.healthHost, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

async function answer(
  { worker, metrics }: { worker: Worker; metrics: Registry },
  url: string,
): Promise<Answer> {
  if (url === '/metrics') return { status: 200, type: metrics.contentType, body: await metrics.metrics() };
  if (url === '/health/live') return json(200, { status: 'ok' });
  if (url !== '/health/ready') return json(404, { status: 'unknown path' });
  const health = await worker.health();
  return json(health.ok ? 200 : 503, health);
}

function json(status: number, body: unknown): Answer {
  return { status, type: 'application/json', body: JSON.stringify(body) };
}
