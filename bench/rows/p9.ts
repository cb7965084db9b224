import { strict as assert } from 'node:assert';
import { randomBytes } from 'node:crypto';
import { ensureUsers, insertMemories, insertRelations } from '@slowwave/db';
import { connectQueues, type Queues } from '@slowwave/queue';
import { sql } from 'drizzle-orm';
import { fuse } from '../../test/fakes/fuse.ts';
import { startMessagesServer } from '../../test/fakes/messages-server.ts';
import { type DatabaseFixture, serverFixture } from '../../test/fixtures/databases.ts';
import { chainRelations } from '../../test/fixtures/memories.ts';
import { type ProcessFixture, startProcess } from '../../test/fixtures/processes.ts';
import { until } from '../../test/fixtures/wait.ts';
import { comparedResult } from '../figures.ts';
import type { BenchContext, Row, RowResult } from '../row.ts';
import { fadedMemories } from '../stage/people.ts';

const GOAL = { kind: 'ratio', atLeast: 1.9 } as const;
const MODEL_MS = 100;
/** So few that one process leaves the machine idle, as one with a real model does: the model is what is waited for. */
const CALLS_PER_USER = 3;
const USERS_AT_A_TIME = 2;
const LIMIT_MS = 2 * 60_000;
const TENANT = 'shared';

/** Queues of their own with so many worker processes on them, from source. */
interface Crew {
  queues: Queues;
  processes: ProcessFixture[];
}

async function startCrew(
  size: number,
  urls: { database: string; redis: string; model: string },
): Promise<Crew> {
  const prefix = `b${randomBytes(5).toString('hex')}`;
  const queues = await connectQueues({ kind: 'redis', url: urls.redis, prefix });
  const environment = {
    DATABASE_URL: urls.database,
    QUEUE_URL: urls.redis,
    SLOWWAVE_QUEUE_PREFIX: prefix,
    SLOWWAVE_MODEL_PROVIDER: 'anthropic',
    SLOWWAVE_MODEL: 'fake',
    ANTHROPIC_API_KEY: 'test-key-1234',
    ANTHROPIC_BASE_URL: urls.model,
    SLOWWAVE_WORKER_HEALTH_PORT: '0',
    SLOWWAVE_WORKER_CONCURRENCY: String(USERS_AT_A_TIME),
  };
  const processes = Array.from({ length: size }, () =>
    startProcess('--conditions=source', environment, ['--import', 'tsx', 'apps/worker/src/main.ts']),
  );
  for (const worker of processes) {
    await until(
      'a worker to take jobs',
      () => {
        if (worker.exited()) throw new Error(`a worker ended: ${worker.output().slice(-500)}`);
        return worker.logged().some(({ msg }) => msg === 'worker takes jobs');
      },
      LIMIT_MS,
    );
  }
  return { queues, processes };
}

/** Users with one cluster each, whose deep tier is due and nothing else. */
async function seed({ database }: DatabaseFixture, users: readonly string[]): Promise<void> {
  const at = Date.now();
  const chains = users.map((user) => fadedMemories(user, { memories: 4, clusters: 1, at }).chains[0]!);
  await database.withTenant(TENANT, async (tx) => {
    await ensureUsers(
      tx,
      users.map((user) => ({ tenant: TENANT, user })),
      at,
    );
    await insertMemories(tx, { tenant: TENANT, memories: chains.flat(), at });
    await insertRelations(tx, { tenant: TENANT, relations: chainRelations(chains), at });
    await tx.rows(sql`
      update slowwave.user_tiers set due_at = case when tier = 'deep' then now() - interval '1 minute' else 'infinity' end
      where due_at <> 'infinity'`);
  });
}

/** Wakes everybody and waits until all are consolidated. @returns derived memories, and users who have not exactly one */
async function consolidateAll({ database }: DatabaseFixture, { queues }: Crew, users: readonly string[]) {
  const group = users[0]!.replace(/\d+$/, '%');
  const rows = <Found extends object>(query: ReturnType<typeof sql>) =>
    database.withTenant(TENANT, (tx) => tx.rows<Found>(query));
  await queues.addBulk(users.map((user) => ({ v: 1, tenant: TENANT, user, tier: 'deep', why: 'schedule' })));
  const ended = async () => {
    const [row] = await rows<{ n: number }>(sql`
      select count(*)::int as n from slowwave.user_tiers
      where tenant = ${TENANT} and tier = 'deep' and user_id like ${group} and last_success_at is not null`);
    return row!.n === users.length;
  };
  await until('every run to be over', ended, LIMIT_MS);
  const [found] = await rows<{ derived: number; odd: number }>(sql`
    select coalesce(sum(derived), 0)::int as derived, count(*) filter (where derived <> 1 or superseded <> 4)::int as odd from (
      select count(*) filter (where memory_type = 'derived') as derived,
        count(*) filter (where memory_type = 'superseded') as superseded
      from slowwave.memories where tenant = ${TENANT} and user_id like ${group} group by user_id) each`);
  return found!;
}

async function measure(bench: BenchContext, fixture: DatabaseFixture): Promise<RowResult[]> {
  const model = await startMessagesServer(fuse({ delayMs: MODEL_MS }));
  const urls = { database: fixture.url!, redis: bench.servers.redisUrl, model: model.url };
  const crews: Crew[] = [];
  try {
    for (const size of [1, 2]) crews.push(await startCrew(size, urls));
    const size = bench.quick ? 20 : 200;
    const groups = { one: [] as string[][], two: [] as string[][] };
    for (let round = 0; round <= bench.rounds; round += 1) {
      for (const crew of ['one', 'two'] as const) {
        const users = Array.from({ length: size }, (_, i) => `${crew}-${round}-${i}`);
        await seed(fixture, users);
        groups[crew].push(users);
      }
    }
    const compared = await bench.compare('two processes against one', {
      baseline: () => consolidateAll(fixture, crews[0]!, groups.one.shift()!),
      ours: () => consolidateAll(fixture, crews[1]!, groups.two.shift()!),
      equal(one, two) {
        assert.deepEqual(one, { derived: size, odd: 0 });
        assert.deepEqual(two, one);
      },
    });
    const runs = 2 * (bench.rounds + 1) * size;
    assert.equal(
      model.calls.length,
      CALLS_PER_USER * runs,
      'a statement of each user and two votes on it, whoever asked',
    );
    const note = `${USERS_AT_A_TIME} users at a time in each process, ${MODEL_MS} ms a model call, ${CALLS_PER_USER * runs} calls for ${runs} users`;
    return [comparedResult(`${size} users with a fusion each: one process, two`, compared, GOAL, note)];
  } finally {
    for (const { queues, processes } of crews) {
      await Promise.all(processes.map((worker) => worker.stop()));
      await queues.close();
    }
    await model.stop();
  }
}

export const row: Row = {
  id: 'P9',
  measure: '1 to 2 worker processes, 100 ms stub model',
  against: '1 process',
  goal: GOAL,
  async run(bench) {
    const fixture = await serverFixture();
    try {
      return await measure(bench, fixture);
    } finally {
      await fixture.drop();
    }
  },
};
