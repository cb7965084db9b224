import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, describe, expect, it } from 'vitest';
import { SLOWWAVE } from '../fixtures/processes.ts';
import { until } from '../fixtures/wait.ts';
import { callTool, clientOf, type Era } from './stage.ts';

const folder = await mkdtemp(path.join(tmpdir(), 'slowwave mcp '));
afterAll(() => rm(folder, { recursive: true, force: true }));

async function start(name: string, era: Era = 'legacy') {
  const client = clientOf({ era });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [SLOWWAVE, 'mcp', '--user', 'ana'],
    env: { PATH: process.env.PATH ?? '', SLOWWAVE_DATA_DIR: path.join(folder, name) },
    stderr: 'pipe',
  });
  await client.connect(transport);
  return { client, pid: transport.pid! };
}

/** Every memory of the user, page by page. */
async function contentsOf(client: Awaited<ReturnType<typeof start>>['client']): Promise<string[]> {
  const contents: string[] = [];
  let cursor: string | undefined;
  do {
    const { data } = await callTool(client, 'list_memories', { limit: 100, ...(cursor ? { cursor } : {}) });
    contents.push(...data.memories.map((memory: { content: string }) => memory.content));
    cursor = data.next_cursor ?? undefined;
  } while (cursor !== undefined);
  return contents;
}

describe('slowwave mcp on a folder of this machine', () => {
  it('two processes at once: 20 writes each, and all 40 are there', async () => {
    const [one, two] = await Promise.all([start('both'), start('both')]);
    const written = [one, two].flatMap(({ client }, process) =>
      Array.from({ length: 20 }, (_, at) =>
        callTool(client, 'add_memory', { content: `Note ${at} of process ${process}.` }),
      ),
    );
    expect((await Promise.all(written)).filter(({ isError }) => isError)).toEqual([]);
    expect(new Set(await contentsOf(two.client)).size).toBe(40);
    await Promise.all([one.client.close(), two.client.close()]);
  });

  it('the process that serves is killed: the other one takes over, and no acknowledged write is lost', async () => {
    const first = await start('killed');
    await callTool(first.client, 'add_memory', { content: 'Written before.' });
    const second = await start('killed');
    await callTool(second.client, 'add_memory', { content: 'Written by the other process.' });
    process.kill(first.pid, 'SIGKILL');
    const { data: read } = await callTool(second.client, 'list_memories');
    const edit = { id: read.memories[0].id, category: 'event', expected_version: 1 };
    const after = await callTool(second.client, 'add_memory', { content: 'Written after.' });
    expect(after.isError, after.text).toBe(false);
    expect((await contentsOf(second.client)).sort()).toEqual([
      'Written after.',
      'Written before.',
      'Written by the other process.',
    ]);
    await callTool(second.client, 'update_memory', edit);
    const { data } = await callTool(second.client, 'list_changes');
    expect(data.changes).toMatchObject([{ kind: 'edit', by: 'an agent over MCP' }]);
    await second.client.close();
  });

  it.each(['legacy', 'auto'] as Era[])(
    'tells a client that subscribed of a night that ended: %s',
    async (era) => {
      const { client } = await start(`told ${era}`, era);
      const uri = 'slowwave://users/ana/reports/latest';
      const told: string[] = [];
      client.setNotificationHandler('notifications/resources/updated', ({ params }) => {
        told.push(params.uri);
      });
      if (era === 'legacy') await client.subscribeResource({ uri });
      else await client.listen({ resourceSubscriptions: [uri] });
      await callTool(client, 'add_memory', { content: 'Ana keeps two hens.' });
      // The first look may come after a run that is asked for at once: later ones are seen.
      await until('news of a night', async () => {
        if (told.length === 0) await callTool(client, 'run_consolidation', { tier: 'deep', preview: false });
        return told.length > 0;
      });
      expect(new Set(told)).toEqual(new Set([uri]));
      await client.close();
    },
  );
});
