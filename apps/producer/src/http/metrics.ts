import * as api from '@slowwave/api';
import { countPendingDeliveries } from '@slowwave/db';
import { TIERS, type Tier } from '@slowwave/fusion';
import { QUEUE_NAMES, type QueueCounts, type QueueName } from '@slowwave/queue';
import type { FastifyInstance } from 'fastify';
import type { ServiceGauges } from '../metrics.ts';
import { type Attempt, attempt, type Observation } from './observe.ts';
import type { AppOptions } from './options.ts';
import { serve } from './serve.ts';

const QUEUE_STATES = ['waiting', 'active', 'delayed', 'failed'] as const;

/** The numbers of this process and of the service, in the text format of Prometheus. Always answered: what nobody knows is left out. */
export function registerMetrics(
  app: FastifyInstance,
  options: AppOptions,
  observe: () => Promise<Observation>,
): void {
  const { registry, gauges } = options.metrics;
  serve(app, api.getMetrics, async ({ reply }) => {
    const [seen, depths, pending] = await Promise.all([
      observe(),
      attempt(() => depthsOf(options)),
      attempt(() => options.database.asDispatcher(countPendingDeliveries)),
    ]);
    showObservation(gauges, seen);
    showDepths(gauges, depths);
    gauges.webhooksPending.remove();
    gauges.webhookOldest.remove();
    if (pending.ok) {
      const { pending: count, oldestAt } = pending.value;
      gauges.webhooksPending.set(count);
      gauges.webhookOldest.set(oldestAt === null ? 0 : Math.max(0, options.now() - oldestAt) / 1000);
    }
    reply.type(registry.contentType);
    return registry.metrics();
  });
}

/** How long requests took, by the address as it was declared: never by what somebody asked for. */
export function measureRequests(app: FastifyInstance, { metrics }: AppOptions): void {
  app.addHook('onResponse', async (request, reply) => {
    const labels = {
      method: request.method,
      route: request.routeOptions.url ?? 'unknown',
      status: `${Math.floor(reply.statusCode / 100)}xx`,
    };
    metrics.requestSeconds.observe(labels, reply.elapsedTime / 1000);
  });
}

function showObservation(gauges: ServiceGauges, { load, ping, late, workers }: Observation): void {
  const { overdue, quarantined, paused, tierPaused, tickLate, partUp } = gauges;
  for (const gauge of [overdue, quarantined, paused, tierPaused, tickLate, partUp]) gauge.reset();
  for (const tier of TIERS) {
    if (load.ok) showLoad(gauges, tier, load.value[tier]);
    if (late.ok) tickLate.set({ tier }, Number(late.value.includes(tier)));
  }
  partUp.set({ part: 'database' }, Number(load.ok));
  partUp.set({ part: 'queue' }, Number(ping.ok));
  if (workers !== null) partUp.set({ part: 'workers' }, Number(workers.ok && workers.value.ok));
}

type Load = Extract<Observation['load'], { ok: true }>['value'][Tier];

function showLoad(gauges: ServiceGauges, tier: Tier, load: Load): void {
  gauges.overdue.set({ tier }, load.overdue);
  gauges.quarantined.set({ tier }, load.quarantined);
  gauges.paused.set({ tier }, load.paused);
  gauges.tierPaused.set({ tier }, Number(load.tierPaused));
}

async function depthsOf({ queues }: AppOptions): Promise<(readonly [QueueName, QueueCounts])[]> {
  return Promise.all(QUEUE_NAMES.map(async (name) => [name, await queues.counts(name)] as const));
}

function showDepths(
  { queueJobs }: ServiceGauges,
  depths: Attempt<(readonly [QueueName, QueueCounts])[]>,
): void {
  queueJobs.reset();
  if (!depths.ok) return;
  for (const [queue, counts] of depths.value) {
    for (const state of QUEUE_STATES) queueJobs.set({ queue, state }, counts[state]);
  }
}
