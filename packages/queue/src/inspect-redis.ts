import { Redis } from 'ioredis';
import { addressOf, connectOptionsWithin } from './engine.ts';
import { QueueUnavailable } from './errors.ts';
import type { RedisConfig } from './redis-engine.ts';
import { diagnose, probe, within } from './redis-probe.ts';

/** What a Redis or Valkey server says of itself. */
export interface RedisFacts {
  product: 'Redis' | 'Valkey';
  /** "7.2.5" */
  version: string;
  /** "noeviction" keeps what is queued; null where the server does not tell. */
  evictionPolicy: string | null;
  /** Most memory that it takes, bytes; 0: no limit. */
  maxMemoryBytes: number;
  usedMemoryBytes: number;
  appendOnly: boolean;
  /** Whether it saves snapshots; null where it does not tell. */
  snapshots: boolean | null;
  /** Whether the last write of a snapshot went well. */
  lastSaveWell: boolean;
  /** Its clock, epoch ms. */
  at: number;
}

const numberOf = (text: string | undefined): number => Number(text ?? 0) || 0;

function fieldsOf(info: string): Map<string, string> {
  const lines = info.split(/\r?\n/).filter((line) => line.includes(':'));
  return new Map(lines.map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1)]));
}

/** Looks at the server on a connection of its own, and changes nothing. @throws QueueUnavailable */
export async function inspectRedis(config: Pick<RedisConfig, 'url'>, timeoutMs: number): Promise<RedisFacts> {
  const address = addressOf(config.url, 'redis', ['redis:', 'rediss:']);
  const client = new Redis(config.url, {
    lazyConnect: true,
    connectTimeout: timeoutMs,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  });
  client.on('error', () => undefined);
  try {
    // The first attempt tells why there is no connection; this client only says that there is none.
    await probe(config.url, { ...connectOptionsWithin(timeoutMs), timeoutMs });
    return await within(timeoutMs, look(client));
  } catch (error) {
    throw new QueueUnavailable({ kind: 'redis', address, attempts: 1, ...diagnose(error) });
  } finally {
    client.disconnect();
  }
}

async function look(client: Redis): Promise<RedisFacts> {
  await client.connect();
  const [info, [seconds, micros], save] = await Promise.all([
    client.info(),
    client.time(),
    // Hosted servers forbid it.
    client.config('GET', 'save').catch(() => null),
  ]);
  const fields = fieldsOf(info);
  const valkey = fields.get('valkey_version');
  const saved = Array.isArray(save) ? String(save[1] ?? '') : null;
  return {
    product: valkey === undefined ? 'Redis' : 'Valkey',
    version: valkey ?? fields.get('redis_version') ?? 'unknown',
    evictionPolicy: fields.get('maxmemory_policy') ?? null,
    maxMemoryBytes: numberOf(fields.get('maxmemory')),
    usedMemoryBytes: numberOf(fields.get('used_memory')),
    appendOnly: fields.get('aof_enabled') === '1',
    snapshots: saved === null ? null : saved.trim() !== '',
    lastSaveWell: fields.get('rdb_last_bgsave_status') !== 'err',
    at: Number(seconds) * 1000 + Number(micros) / 1000,
  };
}
