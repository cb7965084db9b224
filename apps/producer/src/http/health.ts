import { countOverdue } from '@slowwave/db';
import type { Tier } from '@slowwave/fusion';
import { errorFacts } from '@slowwave/queue';
import type { FastifyInstance } from 'fastify';
import type { AppOptions } from './options.ts';

/** A user is overdue when no run began this long after the due time, ms. */
const OVERDUE_AFTER_MS = 15 * 60_000;
const CHECK_TIMEOUT_MS = 5_000;

interface Check {
  ok: boolean;
  /** Why not: a class or code, no text. */
  reason?: string;
}

export interface Readiness {
  status: 'ready' | 'not_ready';
  version: string;
  checks: {
    database: Check & { kind: string };
    queue: Check & { kind: string };
    ticks: Check & { late: Tier[] };
    /** The workers of this process, where there are any. */
    workers?: Check & { reasons: string[] };
  };
  /** Users per tier who wait too long; null when the database cannot say. */
  overdue: Record<Tier, number> | null;
}

/** Whether the process lives, and whether it can do its work. Without a token, and without secrets. */
export function registerHealth(app: FastifyInstance, options: AppOptions): void {
  app.get('/health/live', async () => ({ status: 'live' }));

  // However many ask at once, the servers are asked once.
  let looking: Promise<Readiness> | null = null;
  app.get('/health/ready', async (_request, reply) => {
    looking ??= readiness(options).finally(() => {
      looking = null;
    });
    const report = await looking;
    return reply.code(report.status === 'ready' ? 200 : 503).send(report);
  });
}

async function readiness(options: AppOptions): Promise<Readiness> {
  const { database, queues, ticker, now, version, workerHealth } = options;
  const [overdue, ping, late, worked] = await Promise.all([
    attempt(() => database.asDispatcher((tx) => countOverdue(tx, { at: now(), graceMs: OVERDUE_AFTER_MS }))),
    attempt(() => queues.ping()),
    attempt(() => ticker.late()),
    workerHealth ? attempt(workerHealth) : null,
  ]);
  const ticks = late.ok && late.value.length > 0 ? { ok: false, reason: 'late' } : checkOf(late);
  const workers = worked && workersCheckOf(worked);
  const ready = overdue.ok && ping.ok && ticks.ok && workers?.ok !== false;
  return {
    status: ready ? 'ready' : 'not_ready',
    version,
    checks: {
      database: { kind: database.kind, ...checkOf(overdue) },
      queue: { kind: queues.kind, ...checkOf(ping) },
      ticks: { ...ticks, late: late.ok ? late.value : [] },
      ...(workers ? { workers } : {}),
    },
    overdue: overdue.ok ? overdue.value : null,
  };
}

type Attempt<T> = { ok: true; value: T } | { ok: false; reason: string };

function checkOf(attempted: Attempt<unknown>): Check {
  return attempted.ok ? { ok: true } : { ok: false, reason: attempted.reason };
}

function workersCheckOf(
  attempted: Attempt<{ ok: boolean; reasons: string[] }>,
): Check & { reasons: string[] } {
  return attempted.ok ? attempted.value : { ...checkOf(attempted), reasons: [] };
}

async function attempt<T>(look: () => Promise<T>): Promise<Attempt<T>> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<Attempt<T>>((resolve) => {
    timer = setTimeout(() => resolve({ ok: false, reason: 'timeout' }), CHECK_TIMEOUT_MS);
  });
  const looked = look().then(
    (value): Attempt<T> => ({ ok: true, value }),
    (error: unknown): Attempt<T> => {
      const facts = errorFacts(error);
      return { ok: false, reason: facts.code ?? facts.error };
    },
  );
  try {
    return await Promise.race([looked, limit]);
  } finally {
    clearTimeout(timer);
  }
}
