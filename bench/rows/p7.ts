import { strict as assert } from 'node:assert';
import { TIERS, type Tier } from '@slowwave/fusion';
import { createSleepModel } from '../../test/fakes/sleep-model.ts';
import type { BackendFixture } from '../../test/fixtures/backends.ts';
import type { BenchContext, Row, RowResult } from '../row.ts';
import { onRedis } from '../stage/on-redis.ts';
import { fadedMemories, seedPerson, unlikeEmbedder } from '../stage/people.ts';
import { type Runner, startRunner } from '../stage/runs.ts';
import {
  isFrame,
  type Recording,
  recordStatements,
  type Statement,
  transactionsOf,
} from '../stage/statements.ts';

const TENANT = 'counted';
const MOST_STATEMENTS = 6;
const MOST_ROUND_TRIPS = 8;
const CLUSTERS = 3;

interface Counted {
  /** Statements that are no frame of a transaction. */
  statements: number;
  transactions: number;
  /** Everything that waited for an answer of the server, frames included. */
  roundTrips: number;
  sent: Statement[];
}

function countOf(sent: Statement[]): Counted {
  return {
    statements: sent.filter((statement) => !isFrame(statement)).length,
    transactions: transactionsOf(sent).length,
    roundTrips: sent.length,
    sent,
  };
}

async function countRun(
  runner: Runner,
  recording: Recording,
  of: { tenant: string; user: string; tier: Tier },
): Promise<Counted> {
  const asked = await runner.ask(of);
  recording.take();
  await runner.carryOut(asked);
  return countOf(recording.take());
}

/** The transactions in which a derived memory came to be. */
function commitsOf(sent: readonly Statement[]): Statement[][] {
  return transactionsOf(sent).filter((all) =>
    all.some(({ text }) => /insert into slowwave\.memories/.test(text) && text.includes("'derived'")),
  );
}

function perSize(counted: readonly Counted[], of: (one: Counted) => number): string {
  const all = counted.map(of);
  return new Set(all).size === 1 ? String(all[0]) : all.join(', ');
}

/** The statements of each tier for users of so many memories with nothing to fuse, and of deep where there is. */
interface Counts {
  quiet: Record<Tier, Counted[]>;
  fusing: Counted[];
}

async function countSizes(
  bench: BenchContext,
  backend: BackendFixture,
  sizes: readonly number[],
): Promise<Counts> {
  const at = Date.now();
  const { provider } = createSleepModel();
  const runner = await startRunner(backend, { provider, embedder: unlikeEmbedder(), now: () => at });
  const recording = recordStatements(backend.database.pool!);
  const counts: Counts = { quiet: { light: [], deep: [], sleep: [] }, fusing: [] };
  try {
    for (const memories of sizes) {
      const users = [`alone-${memories}`, `clustered-${memories}`] as const;
      for (const [index, user] of users.entries()) {
        const person = fadedMemories(user, { memories, clusters: index * CLUSTERS, at });
        await seedPerson(backend.database, { tenant: TENANT, user, at, ...person });
        await runner.run({ tenant: TENANT, user, tier: 'light' });
      }
      const count = (user: string, tier: Tier) => countRun(runner, recording, { tenant: TENANT, user, tier });
      for (const tier of TIERS) counts.quiet[tier].push(await count(users[0], tier));
      counts.fusing.push(await count(users[1], 'deep'));
      bench.say(`${memories} memories counted`);
    }
    return counts;
  } finally {
    recording.stop();
    await runner.close();
  }
}

const areSame = (values: readonly number[]): boolean => new Set(values).size === 1;

function tierResult(tier: Tier, counted: readonly Counted[], sizes: readonly number[]): RowResult {
  const statements = counted.map((one) => one.statements);
  const constant = areSame(statements);
  return {
    name: `statements of a ${tier} job without a fusion, ${sizes.join(', ')} memories`,
    baseline: null,
    ours: perSize(counted, (one) => one.statements),
    met: Math.max(...statements) <= MOST_STATEMENTS && constant,
    note:
      `${constant ? 'independent of' : 'grows with'} the number of memories; in ${perSize(counted, (one) => one.transactions)} ` +
      `transactions, ${perSize(counted, (one) => one.roundTrips)} round trips with their begin, role and commit`,
  };
}

async function measure(bench: BenchContext, backend: BackendFixture): Promise<RowResult[]> {
  const sizes = bench.quick ? [20, 200] : [20, 200, 2_000];
  const { quiet, fusing } = await countSizes(bench, backend, sizes);
  const commits = fusing.flatMap(({ sent }) => commitsOf(sent)).map((commit) => countOf(commit));
  assert.equal(commits.length, CLUSTERS * sizes.length, 'every cluster is fused');
  const trips = commits.map(({ roundTrips }) => roundTrips);
  const each = fusing.map(({ statements }, i) => (statements - quiet.deep[i]!.statements) / CLUSTERS);
  return [
    ...TIERS.map((tier) => tierResult(tier, quiet[tier], sizes)),
    {
      name: 'round trips of a fusion commit',
      baseline: null,
      ours: perSize(commits, ({ roundTrips }) => roundTrips),
      met: Math.max(...trips) <= MOST_ROUND_TRIPS && areSame(trips),
      note: 'begin, role and commit among them',
    },
    {
      name: 'statements that each fusion adds to a deep job',
      baseline: null,
      ours: each.map((count) => count.toFixed(1)).join(', '),
      met: areSame(each),
      note: 'claim, stored answer, commit and embedding; judged by whether they are as many for all sizes',
    },
  ];
}

export const row: Row = {
  id: 'P7',
  measure: 'SQL statements of a user job besides per-fusion commits',
  against: 'what grows with the number of memories in the seeds',
  goal: { kind: 'most', value: MOST_STATEMENTS, unit: 'statements, 8 round trips a commit' },
  run: onRedis(measure),
};
