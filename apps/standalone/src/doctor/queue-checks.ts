import type { Config } from '@slowwave/config';
import { TIERS, type Tier } from '@slowwave/fusion';
import {
  connectOptionsWithin,
  connectQueues,
  inspectRedis,
  type Queues,
  QueueUnavailable,
  queueBackendOf,
  type RedisFacts,
} from '@slowwave/queue';
import { type Check, type Finding, fail, ok, skipped, warn } from './check.ts';
import { skewFinding } from './database-checks.ts';

/** Below this BullMQ does not start, and below the other it warns. */
const LEAST_REDIS = [5, 0] as const;
const GOOD_REDIS = [6, 2] as const;
const CONNECT_MS = 3_000;
const NAMES = ['queue', 'queue-version', 'queue-eviction', 'queue-persistence', 'queue-clock'] as const;

function isBelow(version: string, [major, minor]: readonly [number, number]): boolean {
  const [theirMajor = 0, theirMinor = 0] = version.split('.').map(Number);
  return theirMajor < major || (theirMajor === major && theirMinor < minor);
}

function versionFinding({ product, version }: RedisFacts): Finding {
  const action = 'use Redis 6.2 or newer, or any Valkey';
  if (product === 'Redis' && isBelow(version, LEAST_REDIS))
    return fail(`Redis ${version} is too old`, action);
  if (product === 'Redis' && isBelow(version, GOOD_REDIS)) return warn(`Redis ${version} is old`, action);
  return ok(`${product} ${version}`);
}

function evictionFinding({ evictionPolicy, maxMemoryBytes, usedMemoryBytes }: RedisFacts): Finding {
  if (evictionPolicy === null) {
    return warn('the server does not tell its eviction policy', 'see that maxmemory-policy is noeviction');
  }
  if (evictionPolicy !== 'noeviction') {
    return fail(
      `the eviction policy is ${evictionPolicy}: a full server would drop jobs`,
      'CONFIG SET maxmemory-policy noeviction, and the same line in redis.conf',
    );
  }
  const share = maxMemoryBytes === 0 ? 0 : usedMemoryBytes / maxMemoryBytes;
  return share > 0.9
    ? warn(
        `${Math.round(share * 100)} % of its memory is used`,
        'raise maxmemory: a full server takes no jobs',
      )
    : ok('noeviction: what is queued stays');
}

function persistenceFinding({ appendOnly, snapshots, lastSaveWell }: RedisFacts): Finding {
  if (!lastSaveWell) {
    return fail('the last snapshot could not be written', 'see its log, and whether its disk is full');
  }
  if (appendOnly) return ok('each write is appended to a file');
  // Due times stand in the database: a lost queue costs a while, and no work.
  return snapshots === false
    ? warn(
        'nothing is written to disk: after a restart retries of failed fusions are gone, and everything else is found again within minutes',
        'CONFIG SET appendonly yes, and the same line in redis.conf',
      )
    : ok(snapshots === null ? 'the server does not tell; its last save went well' : 'snapshots are written');
}

function redisChecks(url: string, now: () => number): Check[] {
  let seen: Promise<{ facts: RedisFacts; before: number; after: number }> | null = null;
  const see = () => {
    seen ??= (async () => {
      const before = now();
      const facts = await inspectRedis({ url }, CONNECT_MS);
      return { facts, before, after: now() };
    })();
    return seen;
  };
  const of = (judge: (facts: RedisFacts) => Finding) => async (): Promise<Finding> => {
    const found = await see().catch(() => null);
    return found === null ? skipped('not looked at: the queue cannot be reached') : judge(found.facts);
  };
  const looks: Record<(typeof NAMES)[number], () => Promise<Finding>> = {
    async queue() {
      const { facts } = await see();
      return ok(`${facts.product} answers`);
    },
    'queue-version': of(versionFinding),
    'queue-eviction': of(evictionFinding),
    'queue-persistence': of(persistenceFinding),
    async 'queue-clock'() {
      const found = await see().catch(() => null);
      if (found === null) return skipped('not looked at: the queue cannot be reached');
      return skewFinding('the queue', found.facts.at, found);
    },
  };
  return NAMES.map((name) => ({
    name,
    look: name === 'queue' ? () => looks.queue().catch(unreachable) : looks[name],
  }));
}

function unreachable(error: unknown): Finding {
  if (!(error instanceof QueueUnavailable)) throw error;
  const action =
    error.reason === 'refused_login'
      ? 'correct user and password in QUEUE_URL'
      : 'start it, and see that QUEUE_URL names it and that this machine may reach it';
  return fail(error.message, action);
}

/** What can be said of the server behind the queue. */
export function queueChecks(config: Config, now: () => number): Check[] {
  const { queue } = config;
  if (queue.kind === 'redis') return redisChecks(queue.url, now);
  const cause = queue.kind === 'embedded' ? 'within the embedded database' : 'within PostgreSQL';
  return [{ name: 'queue', look: async () => ok(cause) }];
}

/** Opens the queues for a look; null where that would make them. @throws QueueUnavailable */
export async function openQueues(config: Config): Promise<Queues | null> {
  if (config.queue.kind !== 'redis') return null;
  const connect = { ...connectOptionsWithin(CONNECT_MS), attempts: 1 };
  return connectQueues(queueBackendOf(config.queue, null), { connect });
}

const distance = (ms: number): string =>
  ms < 120_000 ? `${Math.round(ms / 1000)} s` : `${Math.round(ms / 60_000)} min`;

/** Whether every tier's scheduler beats. @param tickMs how often */
export function schedulersCheck(
  queues: () => Promise<Queues | null>,
  { tickMs, now }: { tickMs: number; now: () => number },
): Check {
  return {
    name: 'schedulers',
    async look() {
      const open = await queues().catch(() => undefined);
      if (open === undefined) return skipped('not looked at: the queue cannot be reached');
      if (open === null) return skipped('not looked at: a running service says it under /health/ready');
      const beats = await Promise.all(TIERS.map(async (tier) => ({ tier, next: await open.nextTick(tier) })));
      return schedulersFinding(beats, { tickMs, at: now() });
    },
  };
}

function schedulersFinding(
  beats: readonly { tier: Tier; next: number | null }[],
  { tickMs, at }: { tickMs: number; at: number },
): Finding {
  const action = 'start a producer (slowwave producer), and read its log if one runs';
  const lost = beats.filter(({ next }) => next === null).map(({ tier }) => tier);
  if (lost.length > 0) return fail(`nobody has scheduled ${lost.join(', ')}`, action);
  const last = Math.min(...beats.map(({ next }) => next!)) - tickMs;
  const behind = at - last - tickMs;
  const said = `the last tick was ${distance(Math.max(0, at - last))} ago`;
  return behind > Math.max(5_000, 2 * tickMs)
    ? fail(`${said}: the producer does not tick`, action)
    : ok(said);
}
