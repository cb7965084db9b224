import { randomBytes } from 'node:crypto';
import { requestRun } from '@slowwave/db';
import { connectQueues } from '@slowwave/queue';
import { sql } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fuse } from '../fakes/fuse.ts';
import { startMessagesServer } from '../fakes/messages-server.ts';
import type { FakeServer } from '../fakes/scripted-server.ts';
import { type DatabaseFixture, redisUrl, serverFixture } from '../fixtures/databases.ts';
import { facts, seedChains } from '../fixtures/memories.ts';
import { PRODUCER, type ProcessFixture, SLOWWAVE, startProcess, WORKER } from '../fixtures/processes.ts';
import { until } from '../fixtures/wait.ts';
import { gate } from '../queue/harness.ts';

const TENANT = 'acme';
const TOPICS = [
  ['sells rye bread', 'opens before seven', 'has a blue door'].map(
    (fact) => `Their corner bakery in Cork ${fact}.`,
  ),
  ['by the river', 'in an old mill', 'with two friends'].map(
    (place) => `Ana plays the cello ${place} on Sundays.`,
  ),
  ['chases the postman', 'sleeps on the stairs', 'barks at bicycles'].map((fact) => `The dog Rex ${fact}.`),
];

describe('a worker that is asked to stop in the middle of a run', () => {
  let fixture: DatabaseFixture;
  let model: FakeServer;
  const started: ProcessFixture[] = [];
  /** The model answers no request before. */
  const stopping = gate();

  beforeEach(async () => {
    fixture = await serverFixture();
    const answer = fuse();
    model = await startMessagesServer(async (call) => {
      const behaviour = await answer(call);
      await stopping.opened;
      return behaviour;
    });
  });
  afterEach(async () => {
    await Promise.all(started.splice(0).map((worker) => worker.stop()));
    await model.stop();
    await fixture.drop();
  });

  const rows = <Row extends object>(query: ReturnType<typeof sql>): Promise<Row[]> =>
    fixture.database.withTenant(TENANT, (tx) => tx.rows<Row>(query));

  it('keeps the answer in hand, puts the job back without using an attempt, and another one goes on', async () => {
    const prefix = `stop${randomBytes(4).toString('hex')}`;
    const environment = {
      DATABASE_URL: fixture.url!,
      QUEUE_URL: redisUrl(),
      SLOWWAVE_QUEUE_PREFIX: prefix,
      SLOWWAVE_MODEL_PROVIDER: 'anthropic',
      SLOWWAVE_MODEL: 'fake',
      ANTHROPIC_API_KEY: 'test-key-1234',
      ANTHROPIC_BASE_URL: model.url,
      SLOWWAVE_WORKER_HEALTH_PORT: '0',
      SLOWWAVE_SHUTDOWN_GRACE_SECONDS: '300',
    };
    const chains = TOPICS.map((texts, i) =>
      facts('ana', texts).map((memory) => ({ ...memory, externalId: `${i}${memory.externalId}` })),
    );
    await seedChains(fixture.database, { tenant: TENANT, user: 'ana', chains });
    const queues = await connectQueues({ kind: 'redis', url: redisUrl(), prefix });
    const asked = await fixture.database.withTenant(TENANT, (tx) =>
      requestRun(tx, { tenant: TENANT, user: 'ana', tier: 'deep', at: Date.now() }),
    );
    if (asked.status !== 'requested') throw new Error('not requested');
    await queues.addAdhoc({
      v: 1,
      tenant: TENANT,
      user: 'ana',
      tier: 'deep',
      why: 'adhoc',
      runId: asked.runId,
    });

    const first = startProcess(WORKER, environment);
    started.push(first);
    await model.waitForCalls(1);
    first.kill('SIGTERM');
    await until('the worker to hear it', () => first.logged().some(({ msg }) => msg === 'worker stopping'));
    stopping.open();
    // Long before its grace time is over; the test does not wait for that.
    expect(await first.exitCode()).toBe(0);
    // The answer that was under way is paid for: it is kept, and nothing further is asked, not even a judge.
    expect(model.calls).toHaveLength(1);
    expect(
      await rows(
        sql`select 1 from slowwave.fusions where status = 'generated' and answer_state = 'unjudged'`,
      ),
    ).toHaveLength(1);
    expect(await queues.counts('adhoc')).toMatchObject({ waiting: 1, failed: 0 });
    const [job] = await queues.queues.adhoc.getJobs(['waiting', 'delayed', 'prioritized']);
    expect(job!.attemptsMade).toBe(0);
    expect(await rows(sql`select status from slowwave.runs`)).toEqual([{ status: 'abandoned' }]);

    started.push(startProcess(WORKER, environment));
    await until('the rest', async () => {
      const [run] = await rows<{ status: string }>(sql`select status from slowwave.runs`);
      return run?.status === 'completed';
    });
    expect(await rows(sql`select 1 from slowwave.memories where memory_type = 'derived'`)).toHaveLength(3);
    // Three clusters, a statement of each and two votes on it: nothing was asked twice.
    expect(model.calls).toHaveLength(9);
    await queues.close();
  });
});

describe('a process that is told to stop while it starts', () => {
  /** Says on which signal the process begins to listen. */
  const TELL = "process.on('newListener', (name) => name === 'SIGTERM' && console.log('it listens'))";
  const SERVERS_AWAY = {
    DATABASE_URL: 'postgres://nobody:none@127.0.0.1:1/none',
    QUEUE_URL: 'redis://127.0.0.1:1',
    SLOWWAVE_CONNECT_TIMEOUT_SECONDS: '120',
    SLOWWAVE_OPERATOR_TOKEN: 'operator-token-of-the-tests',
  };

  it.each([
    ['worker', WORKER, []],
    ['producer', PRODUCER, []],
    ['slowwave worker', SLOWWAVE, ['worker']],
    ['slowwave producer', SLOWWAVE, ['producer']],
    ['slowwave start', SLOWWAVE, ['start']],
  ])('%s: ends with code 0, though its servers are away', async (_name, entry, args) => {
    const NODE_OPTIONS = `--import data:text/javascript,${encodeURIComponent(TELL)}`;
    const started = startProcess(entry, { ...SERVERS_AWAY, NODE_OPTIONS }, args);
    await until('it to listen', () => started.output().includes('it listens'));
    started.kill('SIGTERM');
    expect(await started.exitCode()).toBe(0);
    expect(started.output()).not.toMatch(/error/i);
  });
});
