import { type LLMProvider, ModelError } from '@slowwave/fusion';
import { createRegistry } from '@slowwave/telemetry';
import { afterEach, describe, expect, it } from 'vitest';
import { serveHealth } from './health-server.ts';
import { createWorkerMetrics } from './metrics.ts';
import { type ModelCall, watchModels } from './model-calls.ts';
import type { Worker, WorkerHealth } from './worker.ts';

const IDS = { tenant: 't', user: 'ana', tier: 'deep', runId: 'r' } as const;
const CALL: ModelCall = {
  provider: 'p',
  model: 'large',
  outcome: 'answered',
  inputTokens: 2_000_000,
  outputTokens: 100_000,
  durationMs: 1_500,
};
const RUN = { ...IDS, type: 'run_ended', outcome: 'completed', errorCode: null, durationMs: 2_000 } as const;

function open(prices = {}) {
  const registry = createRegistry({ process: false });
  const metrics = createWorkerMetrics(registry, { prices });
  return { registry, metrics, lines: async () => (await registry.metrics()).split('\n') };
}

describe('the metrics of a worker', () => {
  it('count calls and tokens, and what they cost by the price of the model', async () => {
    const { metrics, lines } = open({ large: { inputDollars: 1, outputDollars: 5 } });
    metrics.modelCalled(CALL);
    metrics.modelCalled({ ...CALL, model: 'unpriced' });
    metrics.modelCalled({ ...CALL, outcome: 'rate_limited', inputTokens: 0, outputTokens: 0 });
    const text = await lines();
    expect(text).toContain('slowwave_model_calls_total{provider="p",model="large",outcome="answered"} 1');
    expect(text).toContain('slowwave_model_calls_total{provider="p",model="large",outcome="rate_limited"} 1');
    expect(text).toContain(
      'slowwave_model_tokens_total{provider="p",model="large",direction="input"} 2000000',
    );
    expect(text).toContain('slowwave_model_cost_dollars_total{provider="p",model="large"} 2.5');
    expect(text.some((line) => line.includes('cost_dollars') && line.includes('unpriced'))).toBe(false);
  });

  it('count runs and their steps in seconds, and leave previews out', async () => {
    const { metrics, lines } = open();
    const counts = { stopped: 'tokens', labels: { contradictory: 2, something_else: 9 } };
    const done = { step: 'conflicts', status: 'done', durationMs: 5, counts } as const;
    const skipped = { step: 'nrem', status: 'skipped', reason: 'mode_off', durationMs: 0 } as const;
    metrics.event({ ...RUN, preview: false, steps: [done, skipped] });
    metrics.event({ ...RUN, preview: true, steps: [done] });
    const text = await lines();
    expect(text).toEqual(
      expect.arrayContaining([
        'slowwave_runs_total{tier="deep",outcome="completed"} 1',
        'slowwave_run_duration_seconds_sum{tier="deep"} 2',
        'slowwave_steps_total{tier="deep",step="conflicts",outcome="done"} 1',
        'slowwave_steps_total{tier="deep",step="nrem",outcome="skipped"} 1',
        'slowwave_model_stops_total{step="conflicts",reason="tokens"} 1',
        'slowwave_conflicts_labelled_total{label="contradictory"} 2',
      ]),
    );
    expect(text.join('\n')).not.toMatch(/something_else|ana/);
  });
});

describe('watched models', () => {
  const provider = (complete: LLMProvider['complete']): LLMProvider => ({
    name: 'p',
    model: 'm',
    isAvailable: () => true,
    complete,
  });

  it('tell of each call, whatever came of it, and hand on what it brought', async () => {
    const calls: ModelCall[] = [];
    const usage = { inputTokens: 3, outputTokens: 4 };
    const response = { content: [], stopReason: 'end_turn', usage, model: 'm-2' };
    const good = provider(async () => response);
    const bad = provider(() => Promise.reject(new ModelError('overloaded', { retryable: true })));
    const odd = provider(() => Promise.reject(new Error('plum ladder')));
    const watched = watchModels(
      { provider: good, providers: { nrem: bad, rem: odd, fusion: good } },
      (call) => calls.push(call),
    );
    expect(await watched.provider!.complete({ messages: [] })).toBe(response);
    await expect(watched.providers!.nrem!.complete({ messages: [] })).rejects.toThrow(ModelError);
    await expect(watched.providers!.rem!.complete({ messages: [] })).rejects.toThrow('plum ladder');
    expect(watched.providers!.fusion).toBe(watched.provider);
    expect(calls).toMatchObject([
      { provider: 'p', model: 'm', outcome: 'answered', ...usage },
      { outcome: 'overloaded', inputTokens: 0 },
      { outcome: 'unexpected_error' },
    ]);
    expect(JSON.stringify(calls)).not.toContain('plum');
  });
});

describe('the health server', () => {
  let close = async (): Promise<void> => {};
  afterEach(() => close());

  it('shows the metrics, and whether the worker is ready at the time', async () => {
    const { registry, metrics } = open();
    let health: WorkerHealth = { ok: true, reasons: [], active: 2, clockSkewMs: 0, model: null, rates: [] };
    const worker: Worker = { ready: async () => {}, close: async () => {}, health: async () => health };
    metrics.watch(worker);
    const server = await serveHealth(
      { worker, metrics: registry },
      { healthHost: '127.0.0.1', healthPort: 0 },
    );
    close = server.close;
    const read = async () => {
      const reply = await fetch(`http://127.0.0.1:${server.port}/metrics`);
      expect(reply.headers.get('content-type')).toContain('text/plain; version=0.0.4');
      return reply.text();
    };
    expect(await read()).toMatch(/^slowwave_worker_ready 1$[\s\S]*/m);
    expect(await read()).toMatch(/^slowwave_worker_jobs 2$/m);
    health = { ...health, ok: false, model: { open: true, leftMs: 5 } };
    const text = await read();
    expect(text).toMatch(/^slowwave_worker_ready 0$/m);
    expect(text).toMatch(/^slowwave_worker_model_paused 1$/m);
    expect((await fetch(`http://127.0.0.1:${server.port}/nothing`)).status).toBe(404);
  });
});
