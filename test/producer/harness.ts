import { createToken, type Database, loadImport, type TokenRole } from '@slowwave/db';
import { createProducer, type Producer, type ProducerOptions } from '@slowwave/producer';
import type { Queues } from '@slowwave/queue';
import { pino } from 'pino';
import { type BackendFixture, openOnRedis } from '../fixtures/backends.ts';

export const TOKEN = 'operator-token-of-the-tests';
export const BEARER = { authorization: `Bearer ${TOKEN}` };
export const HOST = { host: 'localhost:8787' };
/** Stands in memories only: found anywhere else, text has leaked. */
export const CANARY = 'CANARY-7f3a-plum-ladder';

/** A clock that stands with the real one until it is moved. */
export interface Clock {
  now: () => number;
  forward(ms: number): void;
}

export function movableClock(): Clock {
  let ahead = 0;
  return {
    now: () => Date.now() + ahead,
    forward: (ms) => {
      ahead += ms;
    },
  };
}

/** A logger whose lines are kept. */
export function keptLog(): {
  logger: ProducerOptions['logger'];
  text(): string;
  lines(): Record<string, unknown>[];
} {
  const kept: string[] = [];
  const logger = pino({ level: 'trace', base: null }, { write: (line) => void kept.push(line) });
  return {
    logger,
    text: () => kept.join(''),
    lines: () => kept.map((line) => JSON.parse(line) as Record<string, unknown>),
  };
}

export interface Stage {
  database: Database;
  queues: Queues;
  /** A producer over them; each has a log and a clock of its own. */
  newProducer(more?: Overrides): { producer: Producer; log: ReturnType<typeof keptLog>; clock: Clock };
  dispose(): Promise<void>;
}

export interface Overrides {
  database?: Database;
  queues?: Queues;
  tickMs?: number;
  queueCap?: number;
  overdueMs?: number;
  allowedHosts?: string[];
  operatorToken?: string | null;
  ratePerMinute?: number;
  bodyMaxBytes?: number;
  bodyMs?: number;
  trustProxy?: ProducerOptions['config']['http']['trustProxy'];
  port?: number;
  timing?: ProducerOptions['timing'];
  workerHealth?: ProducerOptions['workerHealth'];
  folders?: ProducerOptions['folders'];
  embedder?: ProducerOptions['embedder'];
  budgets?: ProducerOptions['config']['budgets'];
  webhooks?: ProducerOptions['webhooks'];
  mcp?: ProducerOptions['mcp'];
  /** Epoch ms; absent: the movable clock. */
  now?: () => number;
}

/** Producers over one database and its queues, as one process has them. All are closed with it. */
export function stageOf(fixture: Pick<BackendFixture, 'database' | 'queues' | 'drop'>): Stage {
  const { database, queues } = fixture;
  const producers: Producer[] = [];
  return {
    database,
    queues,
    newProducer(more = {}) {
      const log = keptLog();
      const clock = movableClock();
      const producer = createProducer({
        database: more.database ?? database,
        queues: more.queues ?? queues,
        config: {
          http: {
            host: '127.0.0.1',
            port: more.port ?? 0,
            allowedHosts: more.allowedHosts ?? [],
            operatorToken: more.operatorToken === undefined ? TOKEN : more.operatorToken,
            ratePerMinute: more.ratePerMinute ?? 0,
            bodyMaxBytes: more.bodyMaxBytes ?? 1024 * 1024,
            trustProxy: more.trustProxy ?? false,
          },
          producer: { tickMs: more.tickMs ?? 60_000, queueCap: more.queueCap ?? 100 },
          maxMemoryChars: 1_000,
          overdueMs: more.overdueMs ?? 15 * 60_000,
          ...(more.budgets === undefined ? {} : { budgets: more.budgets }),
        },
        logger: log.logger,
        now: more.now ?? clock.now,
        version: '1.2.3',
        ...(more.bodyMs === undefined ? {} : { bodyMs: more.bodyMs }),
        ...(more.timing === undefined ? {} : { timing: more.timing }),
        ...(more.workerHealth === undefined ? {} : { workerHealth: more.workerHealth }),
        ...(more.folders === undefined ? {} : { folders: more.folders }),
        ...(more.embedder === undefined ? {} : { embedder: more.embedder }),
        ...(more.webhooks === undefined ? {} : { webhooks: more.webhooks }),
        ...(more.mcp === undefined ? {} : { mcp: more.mcp }),
      });
      producers.push(producer);
      return { producer, log, clock };
    },
    async dispose() {
      await Promise.all(producers.map((producer) => producer.close(2_000)));
      await fixture.drop();
    },
  };
}

/** @param options with a pool of one connection, whatever keeps one to itself holds everything up */
export async function openStage(options: { poolSize?: number } = {}): Promise<Stage> {
  return stageOf(await openOnRedis(undefined, options));
}

/** One line of an import file. */
export function lineOf(user: string, content: string): string {
  return JSON.stringify({ user, content, category: 'fact' });
}

/** Users with one memory each, whose light tier is due at once. */
export async function addUsers(database: Database, tenant: string, users: readonly string[]): Promise<void> {
  const lines = users.map((user) => lineOf(user, `${CANARY} of ${user}`));
  const at = Date.now() - 60_000;
  const summary = await loadImport(database, lines.join('\n'), {
    format: 'jsonl',
    defaults: { tenant },
    at,
    maxContentChars: 1_000,
  });
  if (summary.problemCount > 0) throw new Error(summary.problems[0]?.message);
}

/** A token of one tenant. @returns the Authorization header */
export async function tokenFor(
  database: Database,
  of: { tenant: string; role: TokenRole; name?: string; expiresAt?: number },
): Promise<{ authorization: string; id: string }> {
  const { tenant, role, name = `${role} of ${tenant}`, expiresAt } = of;
  const { secret, token } = await database.withTenant(tenant, (tx) =>
    createToken(tx, { tenant, role, name, expiresAt, createdBy: 'operator', at: Date.now() }),
  );
  return { authorization: `Bearer ${secret}`, id: token.id };
}

/** Signs in. @returns the Cookie header */
export async function signIn(producer: Producer, token = TOKEN): Promise<{ cookie: string }> {
  const reply = await producer.app.inject({
    method: 'POST',
    url: '/login',
    headers: { ...HOST, 'content-type': 'application/x-www-form-urlencoded' },
    payload: new URLSearchParams({ token }).toString(),
  });
  const cookie = String(reply.headers['set-cookie'] ?? '').split(';')[0] ?? '';
  if (reply.statusCode !== 303) throw new Error(`signing in gave ${reply.statusCode}`);
  return { cookie };
}
