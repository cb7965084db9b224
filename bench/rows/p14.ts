import { strict as assert } from 'node:assert';
import type { TierJob } from '@slowwave/queue';
import type { BackendFixture } from '../../test/fixtures/backends.ts';
import { medianOf, ratioOf } from '../compare.ts';
import { numberText, ratioText } from '../figures.ts';
import type { BenchContext, Row, RowResult } from '../row.ts';
import { onRedis } from '../stage/on-redis.ts';

const GOAL_PER_SECOND = 15_000;
/** Single adds take so much longer that fewer of them tell as much. */
const SINGLE_SHARE = 0.1;

function wakeUps(count: number, round: string): TierJob[] {
  return Array.from({ length: count }, (_, n) => ({
    v: 1,
    tenant: 'crowd',
    user: `user-${round}-${n}`,
    tier: 'light',
    why: 'schedule',
  }));
}

/** Adds the jobs, insists that each is there, and leaves an empty queue. @returns jobs a second */
async function addsPerSecond(
  { queues }: BackendFixture,
  jobs: readonly TierJob[],
  add: (jobs: readonly TierJob[]) => Promise<void>,
): Promise<number> {
  const begun = performance.now();
  await add(jobs);
  const seconds = (performance.now() - begun) / 1_000;
  const { waiting } = await queues.counts('light');
  assert.equal(waiting, jobs.length, 'every wake-up waits, once');
  await queues.queues.light.obliterate({ force: true });
  return jobs.length / seconds;
}

async function measure(bench: BenchContext, backend: BackendFixture): Promise<RowResult[]> {
  const { queues } = backend;
  const users = bench.quick ? 10_000 : 100_000;
  const singles = async (jobs: readonly TierJob[]) => {
    for (const job of jobs) await queues.add(job);
  };
  const bulk = (jobs: readonly TierJob[]) => queues.addBulk(jobs);
  const single = (round: string) =>
    addsPerSecond(backend, wakeUps(users * SINGLE_SHARE, `single-${round}`), singles);
  const many = (round: string) => addsPerSecond(backend, wakeUps(users, `bulk-${round}`), bulk);
  await single('first');
  await many('first');
  const [baseline, ours]: [number[], number[]] = [[], []];
  for (let round = 0; round < bench.rounds; round += 1) {
    if (round % 2 === 0) baseline.push(await single(String(round)));
    ours.push(await many(String(round)));
    if (round % 2 === 1) baseline.push(await single(String(round)));
  }
  // Times of one wake-up, in µs.
  const ratio = ratioOf(
    baseline.map((rate) => 1e6 / rate),
    ours.map((rate) => 1e6 / rate),
  );
  bench.say(`bulk against single: ${ratioText(ratio)}`);
  const rate = medianOf(ours);
  return [
    {
      name: `${users} user wake-ups`,
      baseline: `${numberText(medianOf(baseline))} a second`,
      ours: `${numberText(rate)} a second`,
      ratio,
      met: rate >= GOAL_PER_SECOND,
      note: `${users * SINGLE_SHARE} single adds a round, one after the other`,
    },
  ];
}

export const row: Row = {
  id: 'P14',
  measure: '100,000 user wake-ups',
  against: 'single adds',
  goal: { kind: 'most', value: 1e6 / GOAL_PER_SECOND, unit: 'µs each (15,000 a second)' },
  run: onRedis(measure),
};
