import type { Client } from '@modelcontextprotocol/client';
import { listTokens, revokeToken } from '@slowwave/db';
import { createOfflineEmbedder } from '@slowwave/models';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runTier } from '../fixtures/tier-runs.ts';
import { until } from '../fixtures/wait.ts';
import { callTool, type McpStage, openMcpStage } from './stage.ts';

const USER = 'ana';
const MEMORY = `slowwave://users/${USER}/memory.md`;
const REPORT = `slowwave://users/${USER}/reports/latest`;

describe('subscriptions/listen', () => {
  let stage: McpStage;
  beforeAll(async () => {
    stage = await openMcpStage({ embedder: createOfflineEmbedder(), mcp: { lookEveryMs: 20 } });
  });
  afterAll(() => stage.dispose());

  async function connect(url: string, tenant: string) {
    const client = await stage.connect({ url, tenant, user: USER });
    const told: string[] = [];
    client.setNotificationHandler('notifications/resources/updated', ({ params }) => {
      told.push(params.uri);
    });
    return { client, told };
  }

  async function night(client: Client, tenant: string, days: number): Promise<void> {
    const { data } = await callTool(client, 'run_consolidation', { tier: 'deep', preview: false });
    const at = Date.now() + days * 86_400_000;
    await runTier(stage.database, { tenant, user: USER, tier: 'deep', at, runId: data.run_id });
  }

  it('tells of each night that ends, of this tenant’s user alone, until the token is revoked', async () => {
    const { url } = await stage.producer.listen();
    const [mine, theirs] = await Promise.all([connect(url, 't'), connect(url, 'u')]);
    for (const { client } of [mine, theirs])
      await callTool(client, 'add_memory', { content: 'A hen is brown.' });
    const filter = { resourceSubscriptions: [MEMORY, REPORT] };
    const [subscription, other] = await Promise.all([
      mine.client.listen(filter),
      theirs.client.listen(filter),
    ]);
    expect(subscription.honoredFilter).toEqual(filter);
    await night(mine.client, 't', 1);
    await until('news of the night', () => mine.told.length === 2);
    expect([...mine.told].sort()).toEqual([MEMORY, REPORT]);
    await night(theirs.client, 'u', 1);
    await until('news of the other tenant’s night', () => theirs.told.length === 2);
    expect(mine.told).toHaveLength(2);
    await other.close();
    await night(theirs.client, 'u', 2);
    await night(mine.client, 't', 2);
    await until('news of the next night', () => mine.told.length === 4);
    expect(theirs.told).toHaveLength(2);
    await stage.database.withTenant('t', async (tx) => {
      const { rows } = await listTokens(tx, { tenant: 't', limit: 1 });
      await revokeToken(tx, { tenant: 't', id: rows[0]!.id, at: Date.now() });
    });
    expect(await subscription.closed).toBe('graceful');
  });
});
