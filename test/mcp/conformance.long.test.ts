import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createMcpServer } from '@slowwave/mcp';
import { createOfflineEmbedder } from '@slowwave/models';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createConformanceServer } from './conformance-server.ts';
import { type McpStage, openMcpStage, tokenOf } from './stage.ts';

const run = promisify(execFile);
const { provideNode } = (await import(new URL('../../scripts/provide-node.mjs', import.meta.url).href)) as {
  provideNode: (major: string) => Promise<string>;
};
const PEERS = fileURLToPath(new URL('../peers/', import.meta.url));
const CACHE = fileURLToPath(new URL('../../node_modules/.cache/slowwave/peers', import.meta.url));

/** The suite has no option for a token: it comes in between. */
async function withToken(service: string, token: string): Promise<Server> {
  const server = createServer((asked, answer) => {
    const headers = { ...asked.headers, authorization: `Bearer ${token}` };
    const target = new URL('/mcp/ana', service);
    const passed = request(target, { method: asked.method, headers }, (told) => {
      answer.writeHead(told.statusCode!, told.headers);
      told.pipe(answer);
    });
    passed.on('error', () => answer.destroy());
    asked.pipe(passed);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

const REVISIONS = ['2025-11-25', '2026-07-28'];

describe.each([
  { served: 'product', createServer: createMcpServer },
  { served: 'fixtures', createServer: createConformanceServer },
])('the public conformance suite of MCP, $served behind /mcp', ({ served, createServer }) => {
  let stage: McpStage;
  let proxy: Server;
  let node: string;
  let results: string;
  beforeAll(async () => {
    node = await provideNode('22');
    await mkdir(CACHE, { recursive: true });
    await cp(path.join(PEERS, 'package.json'), path.join(CACHE, 'package.json'));
    await run('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: CACHE });
    results = await mkdtemp(path.join(tmpdir(), 'slowwave-conformance-'));
    stage = await openMcpStage({ embedder: createOfflineEmbedder(), mcp: { createServer } });
    const { url } = await stage.producer.listen();
    proxy = await withToken(url, await tokenOf(stage.database, { tenant: 't', role: 'admin' }));
  });
  afterAll(async () => {
    proxy?.closeAllConnections();
    proxy?.close();
    await stage?.dispose();
    await rm(results, { recursive: true, force: true });
  });

  it.each(REVISIONS)('%s: every required check passes, but those that are listed', async (revision) => {
    const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/mcp`;
    const suite = path.join(CACHE, 'node_modules/@modelcontextprotocol/conformance/dist/index.js');
    const expected = path.join(PEERS, `conformance-${served}-${revision}.yml`);
    const args = [suite, 'server', '--url', url, '--requirements', revision];
    args.push('--expected-failures', expected, '-o', results);
    const { code, output } = await run(node, args, { cwd: results, maxBuffer: 64e6 }).then(
      ({ stdout, stderr }) => ({ code: 0, output: stdout + stderr }),
      (error) => ({ code: error.code, output: `${error.stdout}${error.stderr}` }),
    );
    expect({ code, output: code === 0 ? '' : output }).toEqual({ code: 0, output: '' });
    expect(await readFile(expected, 'utf8')).toContain('server:');
  });
});
