import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { createOfflineEmbedder } from '@slowwave/models';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SLOWWAVE } from '../fixtures/processes.ts';
import { callTool, clientOf, type Era, type McpStage, openMcpStage, tokenOf } from './stage.ts';

describe('slowwave mcp, asking a service somewhere else', () => {
  let stage: McpStage;
  let url: string;
  beforeAll(async () => {
    stage = await openMcpStage({ embedder: createOfflineEmbedder() });
    ({ url } = await stage.producer.listen());
  });
  afterAll(() => stage.dispose());

  async function start(era: Era, token: string, more: string[] = []) {
    const client = clientOf({ era });
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [SLOWWAVE, 'mcp', '--user', 'ana', ...more],
      env: { PATH: process.env.PATH ?? '', SLOWWAVE_URL: url, SLOWWAVE_TOKEN: token },
      stderr: 'pipe',
    });
    await client.connect(transport);
    return client;
  }

  it('the tools of the token and its limits, in either era', async () => {
    const writer = await start('legacy', await tokenOf(stage.database, { tenant: 't', role: 'write' }));
    const { data } = await callTool(writer, 'add_memory', { content: 'Ana keeps two hens.' });
    expect(data).toMatchObject({ status: 'written', origin: 'assistant' });
    await writer.close();
    const reader = await start('auto', await tokenOf(stage.database, { tenant: 't', role: 'read' }), [
      '--chatgpt',
    ]);
    const names = (await reader.listTools()).tools.map(({ name }) => name);
    expect(names).not.toContain('add_memory');
    expect(names).toContain('fetch');
    const found = await callTool(reader, 'search_memories', { query: 'hens' });
    expect(found.data.memories).toMatchObject([{ id: data.id }]);
    await reader.close();
  });
});
