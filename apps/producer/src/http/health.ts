import type { AnswerOf } from '@slowwave/api';
import * as api from '@slowwave/api';
import type { TierLoad } from '@slowwave/db';
import { TIERS, type Tier } from '@slowwave/fusion';
import type { FastifyInstance } from 'fastify';
import type { Attempt, Observation } from './observe.ts';
import type { AppOptions } from './options.ts';
import { serve } from './serve.ts';

type Readiness = AnswerOf<typeof api.getReadiness>;

interface Check {
  ok: boolean;
  /** Why not: a class or code, no text. */
  reason?: string;
}

/** Whether the process lives, and whether it can do its work. Without a token, and without secrets. */
export function registerHealth(
  app: FastifyInstance,
  options: AppOptions,
  observe: () => Promise<Observation>,
): void {
  serve(app, api.getLiveness, () => ({ status: 'live' as const }));

  serve(app, api.getReadiness, async ({ reply }) => {
    const report = readinessOf(options, await observe());
    reply.code(report.status === 'ready' ? 200 : 503);
    return report;
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
