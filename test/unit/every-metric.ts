import { createRegistry } from '@slowwave/telemetry';
import { createWorkerMetrics } from '@slowwave/worker';
import { createProducerMetrics } from '../../apps/producer/src/metrics.ts';

const IDS = { tenant: 't', user: 'u', tier: 'deep', runId: 'r' } as const;

/** The text that a process with producer and workers shows once everything that is counted has happened. */
export async function everyMetric(): Promise<string> {
  const registry = createRegistry({ process: true });
  const metrics = createWorkerMetrics(registry, { prices: { m: { inputDollars: 1, outputDollars: 5 } } });
  const rate = { provider: 'p', model: 'm', perMinute: 30, pausedMs: 0, retryTokens: 20 };
  const health = { ok: true, reasons: [], active: 1, clockSkewMs: 0, model: null, rates: [rate] };
  metrics.watch({ health: async () => health });
  const step = {
    step: 'fusion',
    status: 'done',
    durationMs: 5,
    counts: { stopped: 'tokens', labels: { contradictory: 1 } },
  } as const;
  metrics.event({
    ...IDS,
    type: 'run_ended',
    outcome: 'completed',
    errorCode: null,
    preview: false,
    durationMs: 12,
    steps: [step],
    refusal: { scope: 'tenant_day', unit: 'dollars', renewsAt: 1 },
  });
  metrics.event({ ...IDS, type: 'lease_lost' });
  metrics.event({ ...IDS, type: 'embedded', count: 3 });
  metrics.event({
    ...IDS,
    type: 'fusion',
    event: { type: 'judged', key: 'k', code: 'invalid_output', durationMs: 2, judgeMs: 0 },
  });
  const counts = { sources: 2 } as never;
  const committed = {
    status: 'committed' as const,
    key: 'k',
    derivedIds: ['d'],
    superseded: 2,
    already: false,
    decided: [{ lane: 'judged' as const, sourceIds: ['a', 'b'] }],
  };
  const usage = { calls: 1, inputTokens: 10, outputTokens: 5 };
  const outcome = { ...committed, conflicts: [], counts, memberIds: [], usage, durationMs: 3 };
  metrics.event({ ...IDS, type: 'fusion', event: { type: 'cluster_ended', index: 0, outcome } });
  metrics.jobEnded({
    queue: 'deep',
    jobId: 'j',
    outcome: 'completed',
    ids: {},
    code: null,
    attempt: 1,
    durationMs: 1,
  });
  metrics.modelCalled({
    provider: 'p',
    model: 'm',
    outcome: 'answered',
    inputTokens: 1,
    outputTokens: 1,
    durationMs: 1,
  });
  metrics.heldBack({ provider: 'p', model: 'm', reason: 'rate' });
  metrics.modelCalled({
    provider: 'p',
    model: 'm',
    outcome: 'answered',
    inputTokens: 1,
    cacheReadTokens: 1,
    cacheWriteTokens: 1,
    outputTokens: 1,
    durationMs: null,
    batch: true,
  });
  const { gauges, requestSeconds, webhookAttempts } = createProducerMetrics(registry);
  const { partUp, queueJobs, webhooksPending, webhookOldest, ...perTier } = gauges;
  for (const gauge of Object.values(perTier)) gauge.set({ tier: 'light' }, 1);
  partUp.set({ part: 'queue' }, 1);
  queueJobs.set({ queue: 'deep', state: 'waiting' }, 1);
  webhooksPending.set(1);
  webhookOldest.set(1);
  requestSeconds.observe({ method: 'GET', route: '/v1/runs', status: '2xx' }, 0.01);
  webhookAttempts.inc({ outcome: 'delivered' });
  return registry.metrics();
}
