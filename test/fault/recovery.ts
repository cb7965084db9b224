/**
 * npm run test:recovery [-- --queue redis|postgres --samples N --repeats N --seed N]
 *
 * How soon work goes on after a worker was killed, and after a crash of Redis and of PostgreSQL, with the product as it is built and
 * its default settings. Prints a table for each queue (both without --queue); exits with 1 when a goal is missed.
 */
import { parseArgs } from 'node:util';
import type { QueueBackend } from '@slowwave/queue';
import { type Service, startService } from './limits/service.ts';
import { type OwnPostgres, type OwnRedis, startOwnPostgres, startOwnRedis } from './own-servers.ts';
import { type Ground, openGround, startHeldModel } from './recovery/ground.ts';
import { measureKills } from './recovery/kills.ts';
import { type Crashable, measureRestarts } from './recovery/restarts.ts';
import { isMet, type Measured, randomOf, tableOf } from './recovery/samples.ts';

const KILL_GOAL_SECONDS = 15;
const RESTART_GOAL_SECONDS = 20;
/** A crash that is over at once, and an outage. */
const DOWN_MS = [1_000, 30_000];

interface Options {
  queues: ('redis' | 'postgres')[];
  samples: number;
  repeats: number;
  seed: number;
}

function readOptions(): Options {
  const { values } = parseArgs({
    options: {
      queue: { type: 'string' },
      samples: { type: 'string', default: '40' },
      repeats: { type: 'string', default: '2' },
      seed: { type: 'string', default: '1' },
    },
  });
  const { queue } = values;
  const [samples, repeats, seed] = [values.samples, values.repeats, values.seed].map(Number);
  const whole = [samples, repeats, seed].every((value) => Number.isInteger(value) && value! >= 0);
  if (!whole || (queue !== undefined && queue !== 'redis' && queue !== 'postgres')) {
    throw new Error('expected --queue redis or postgres, and whole numbers');
  }
  return {
    queues: queue ? [queue] : ['redis', 'postgres'],
    samples: samples!,
    repeats: repeats!,
    seed: seed!,
  };
}

interface Site {
  postgres: OwnPostgres;
  redis: OwnRedis | null;
  backend: QueueBackend;
}

async function onSite(
  { postgres, redis, backend }: Site,
  modelUrl: string,
  work: (parts: { service: Service; ground: Ground }) => Promise<void>,
): Promise<void> {
  const ground = await openGround(postgres.url, backend);
  try {
    const queueUrl = redis?.url ?? postgres.url;
    const service = await startService({ databaseUrl: postgres.url, queueUrl, prefix: null, modelUrl });
    try {
      await service.allReady();
      await work({ service, ground });
    } finally {
      await service.stop();
    }
  } finally {
    await ground.close();
  }
}

const say = (line: string) => process.stderr.write(`${line}\n`);
const seconds = (ms: readonly number[]): number[] => ms.map((one) => one / 1_000);

async function measureOn(queue: 'redis' | 'postgres', options: Options): Promise<Measured[]> {
  const measured: Measured[] = [];
  const { samples, repeats, seed } = options;
  const downMs = Array.from({ length: repeats }, () => DOWN_MS).flat();
  const model = await startHeldModel();
  const postgres = await startOwnPostgres();
  const restarts = async (name: string, server: Crashable, ground: Ground) => {
    const found = await measureRestarts({ name, ground, server, say }, downMs);
    const goalSeconds = RESTART_GOAL_SECONDS;
    measured.push({ what: `${name}: first due user`, seconds: seconds(found.firstRun), goalSeconds });
    measured.push({ what: `${name}: last of 20 due`, seconds: seconds(found.lastRun), goalSeconds });
    measured.push({ what: `${name}: schedulers`, seconds: seconds(found.schedulers), goalSeconds });
  };
  try {
    for (const persistent of queue === 'redis' ? (['everysec', false] as const) : [null]) {
      const redis = persistent === null ? null : await startOwnRedis({ persistent });
      const backend: QueueBackend = redis
        ? { kind: 'redis', url: redis.url }
        : { kind: 'postgres', url: postgres.url };
      try {
        await onSite({ postgres, redis, backend }, model.url, async ({ service, ground }) => {
          if (redis) await restarts(`Redis ${persistent ? 'with' : 'without'} persistence`, redis, ground);
          if (redis && persistent === false) return;
          if (samples > 0) {
            const waits = await measureKills(
              { service, ground, model, random: randomOf(seed), say },
              samples,
            );
            measured.push({
              what: 'SIGKILL of a worker: runs begun again',
              seconds: seconds(waits),
              goalSeconds: KILL_GOAL_SECONDS,
            });
          }
          if (repeats > 0) await restarts('PostgreSQL', postgres, ground);
        });
      } finally {
        await redis?.dispose();
      }
    }
  } finally {
    await postgres.dispose();
    await model.stop();
  }
  return measured;
}

const options = readOptions();
let missed = false;
for (const queue of options.queues) {
  const measured = await measureOn(queue, options);
  const name = queue === 'redis' ? 'Redis' : 'PostgreSQL';
  process.stdout.write(`queue: ${name}; seconds\n${tableOf(measured)}\n\n`);
  missed ||= !measured.every(isMet);
}
process.exitCode = missed ? 1 : 0;
