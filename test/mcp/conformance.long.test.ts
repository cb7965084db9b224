import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createMcpServer } from '@slowwave/mcp';
import { createOfflineEmbedder } from '@slowwave/models';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createConformanceServer } from './conformance-server.ts';
import { INSTALL_MS, PEERS, type Peers, providePeers, runPeer } from './peers.ts';
import { type McpStage, openMcpStage, tokenOf } from './stage.ts';

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
  let peers: Peers;
  let results: string;
  beforeAll(async () => {
    peers = await providePeers();
    results = await mkdtemp(path.join(tmpdir(), 'slowwave-conformance-'));
    stage = await openMcpStage({ embedder: createOfflineEmbedder(), mcp: { createServer } });
    const { url } = await stage.producer.listen();
    proxy = await withToken(url, await tokenOf(stage.database, { tenant: 't', role: 'admin' }));
  }, INSTALL_MS);
  afterAll(async () => {
    proxy?.closeAllConnections();
    proxy?.close();
    await stage?.dispose();
    await rm(results, { recursive: true, force: true });
  });

  it.each(REVISIONS)('%s: every required check passes, but those that are listed', async (revision) => {
    const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/mcp`;
    const suite = path.join(peers.folder, 'node_modules/@modelcontextprotocol/conformance/dist/index.js');
    const expected = path.join(PEERS, `conformance-${served}-${revision}.yml`);
    const options = `--requirements ${revision} --expected-failures '${expected}' -o '${results}'`;
    const command = `node '${suite}' server --url ${url} ${options}`;
    const { code, stdout, stderr } = await runPeer(peers, command, { cwd: results });
    expect({ code, output: code === 0 ? '' : stdout + stderr }).toEqual({ code: 0, output: '' });
    expect(await readFile(expected, 'utf8')).toContain('server:');
  });
});
