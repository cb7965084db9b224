import { randomBytes } from 'node:crypto';
import { readConfig } from '@slowwave/config';
import { createModels } from '@slowwave/models';
import { createRegistry } from '@slowwave/telemetry';
import { createLogger, startWorker } from '@slowwave/worker';
import { sql } from 'drizzle-orm';
import { expect, it } from 'vitest';
import { startBatchesServer } from '../fakes/batches-server.ts';
import { redisUrl, serverFixture } from '../fixtures/databases.ts';
import { newMemory } from '../fixtures/memories.ts';
import { seedPerson } from '../fixtures/tier-runs.ts';
import { until } from '../fixtures/wait.ts';

const DAY_MS = 86_400_000;
const LIMIT_MS = 300_000;

it('a worker that is configured to batch collects, sends, fetches and applies by itself', {
  timeout: 2 * LIMIT_MS,
}, async () => {
  const fixture = await serverFixture();
  const server = await startBatchesServer(Date.now);
  const config = readConfig({
    DATABASE_URL: fixture.url!,
    QUEUE_URL: redisUrl(),
    SLOWWAVE_QUEUE_PREFIX: `t${randomBytes(5).toString('hex')}`,
    SLOWWAVE_MODEL_PROVIDER: 'anthropic',
    SLOWWAVE_MODEL: 'claude-haiku-5-5',
    ANTHROPIC_API_KEY: 'key-of-a-test',
    ANTHROPIC_BASE_URL: server.url,
    SLOWWAVE_BATCH: 'sleep',
    SLOWWAVE_BATCH_WAIT_SECONDS: '0',
  });
  const [tenant, user] = ['t', 'ana'];
  const log: string[] = [];
  const registry = createRegistry({ process: false });
  const started = await startWorker({
    config,
    database: fixture.database,
    models: createModels({ model: config.model, embedder: config.embedder, steps: config.steps }),
    logger: createLogger('info', { write: (line) => log.push(line) }),
    registry,
  });
  try {
    const at = Date.now();
    const memories = ['by the canal', 'near the old bridge', 'behind the station'].map((place, i) =>
      newMemory(user, `c${i}`, `Ana has a garden ${place}.`, { documentDate: at - 90 * DAY_MS }),
    );
    await seedPerson(fixture.database, { tenant, user, chains: [memories], at });
    const rows = <Row extends object>(query: ReturnType<typeof sql>) =>
      fixture.database.withTenant(tenant, (tx) => tx.rows<Row>(query));
    await rows(sql`update slowwave.user_tiers set due_at = now() where user_id = ${user} and tier = 'sleep'`);
    await started.queues.addBulk([{ v: 1, tenant, user, tier: 'sleep', why: 'schedule' }]);
    await until(
      'the derived memory',
      async () =>
        (
          await rows(
            sql`select 1 from slowwave.memories where user_id = ${user} and learned_from = 'nrem_consolidation'`,
          )
        ).length > 0,
      LIMIT_MS,
    );
    expect(server.billed.directCalls).toBe(0);
    expect(server.billed.batchedCalls).toBeGreaterThan(0);
    const whys = await rows<{ why: string }>(
      sql`select distinct why from slowwave.runs where user_id = ${user}`,
    );
    expect(whys.map(({ why }) => why).sort()).toEqual(['batch', 'schedule']);
    expect(await registry.metrics()).toContain('slowwave_batched_calls_total{provider="anthropic"');
    expect(log.join('')).not.toContain('garden');
  } finally {
    await started.close();
    await server.stop();
    await fixture.drop();
  }
});
