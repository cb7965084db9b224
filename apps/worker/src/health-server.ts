import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Worker } from './worker.ts';

/** GET /health/live and /health/ready of a worker process, which serves nothing else. @returns the port and how to stop */
export async function serveHealth(
  worker: Worker,
  at: { healthHost: string; healthPort: number },
): Promise<{ port: number; close(): Promise<void> }> {
  const server = createServer((request, response) => {
    void answer(worker, request.url ?? '').then(({ status, body }) => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(body));
    });
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

async function answer(worker: Worker, url: string): Promise<{ status: number; body: unknown }> {
  if (url === '/health/live') return { status: 200, body: { status: 'ok' } };
  if (url !== '/health/ready') return { status: 404, body: { status: 'unknown path' } };
  const health = await worker.health();
  return { status: health.ok ? 200 : 503, body: health };
}
