import type { TierLoad } from '@slowwave/db';
import { TIERS, type Tier } from '@slowwave/fusion';
import type { FastifyInstance } from 'fastify';
import type { Attempt, Observation } from './observe.ts';
import type { AppOptions } from './options.ts';

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
  /** Users per tier who wait too long; null when the database cannot say, as with the following. They say nothing about readiness. */
  overdue: Record<Tier, number> | null;
  quarantined: Record<Tier, number> | null;
  paused: Record<Tier, number> | null;
  /** Tiers that are paused for everybody. */
  pausedTiers: Tier[] | null;
}

/** Whether the process lives, and whether it can do its work. Without a token, and without secrets. */
export function registerHealth(
  app: FastifyInstance,
  options: AppOptions,
  observe: () => Promise<Observation>,
): void {
  app.get('/health/live', async () => ({ status: 'live' }));

  app.get('/health/ready', async (_request, reply) => {
    const report = readinessOf(options, await observe());
    return reply.code(report.status === 'ready' ? 200 : 503).send(report);
  });
}

function readinessOf({ database, queues, version }: AppOptions, seen: Observation): Readiness {
  const { load, ping, late } = seen;
  const ticks = late.ok && late.value.length > 0 ? { ok: false, reason: 'late' } : checkOf(late);
  const workers = seen.workers && workersCheckOf(seen.workers);
  const ready = load.ok && ping.ok && ticks.ok && workers?.ok !== false;
  const perTier = (pick: (load: TierLoad) => number) =>
    load.ok
      ? (Object.fromEntries(TIERS.map((tier) => [tier, pick(load.value[tier])])) as Record<Tier, number>)
      : null;
  return {
    status: ready ? 'ready' : 'not_ready',
    version,
    checks: {
      database: { kind: database.kind, ...checkOf(load) },
      queue: { kind: queues.kind, ...checkOf(ping) },
      ticks: { ...ticks, late: late.ok ? late.value : [] },
      ...(workers ? { workers } : {}),
    },
    overdue: perTier((tier) => tier.overdue),
    quarantined: perTier((tier) => tier.quarantined),
    paused: perTier((tier) => tier.paused),
    pausedTiers: load.ok ? TIERS.filter((tier) => load.value[tier].tierPaused) : null,
  };
}

function checkOf(attempted: Attempt<unknown>): Check {
  return attempted.ok ? { ok: true } : { ok: false, reason: attempted.reason };
}

function workersCheckOf(
  attempted: Attempt<{ ok: boolean; reasons: string[] }>,
): Check & { reasons: string[] } {
  return attempted.ok ? attempted.value : { ...checkOf(attempted), reasons: [] };
}
