import { readConfig } from '@slowwave/config';
import { durationText } from '../figures.ts';
import type { Row } from '../row.ts';
import { BACKLOG_GOAL_MS, measureBacklog } from '../stage/backlog.ts';
import { onRedis } from '../stage/on-redis.ts';

export const row: Row = {
  id: 'P15',
  measure: 'ad-hoc job start under a backlog of 10,000 users, p95',
  against: 'an idle service',
  goal: { kind: 'most', value: BACKLOG_GOAL_MS, unit: 'ms' },
  run: onRedis(async (bench, backend) => {
    const { queueCap } = readConfig({}).producer;
    const size = bench.quick
      ? { users: 1_000, cap: 200, asked: 10 }
      : { users: 10_000, cap: queueCap, asked: 100 };
    const figures = await measureBacklog(backend, { ...size, lookEveryMs: 2 });
    const { idle, loaded, queue, doneMeanwhile, seconds } = figures;
    return [
      {
        name: `start of an asked run under a backlog of ${size.users} users, p95`,
        baseline: durationText(idle.p95),
        ours: durationText(loaded.p95),
        met: loaded.p95 < BACKLOG_GOAL_MS,
        note:
          `${size.asked} asked, longest ${durationText(loaded.max)}, ${doneMeanwhile} users done meanwhile; the queue held at most ` +
          `${queue.largest} of ${size.cap} wake-ups; all had run after ${durationText(seconds * 1_000)}`,
      },
    ];
  }),
};
