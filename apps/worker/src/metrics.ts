import { CONFLICT_TYPES, type FusionEvent, type Tier } from '@slowwave/fusion';
import { dollarsOf, inputTokensOf, type Prices } from '@slowwave/models';
import type { OutcomeEvent } from '@slowwave/queue';
import { Counter, Gauge, Histogram, type Registry } from '@slowwave/telemetry';
import type { WorkerEvent } from './context.ts';
import type { ModelCall } from './model-calls.ts';
import type { HeldBack, ModelRate } from './pacing.ts';

/** What is asked of a worker for its numbers. */
interface Watched {
  health(): Promise<{ ok: boolean; active: number; model: { open: boolean } | null; rates: ModelRate[] }>;
}

/** What the workers of a process have done, for whoever collects numbers. Labels are words of closed lists and names of models. */
export interface WorkerMetrics {
  event(event: WorkerEvent): void;
  jobEnded(event: OutcomeEvent): void;
  modelCalled(call: ModelCall): void;
  /** A call was not made now. */
  heldBack(held: HeldBack): void;
  /** From now on the readiness of this worker is among the numbers. */
  watch(worker: Watched): void;
}

const RUN_SECONDS = [0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300, 900, 3600];
const CALL_SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 60, 120];

/** @param options.prices by the names under which models are asked */
export function createWorkerMetrics(registry: Registry, options: { prices: Prices }): WorkerMetrics {
  const registers = [registry];
  const runs = createRunMetrics(registry);
  const fusions = createFusionMetrics(registry);
  const models = createModelMetrics(registry, options.prices);
  const jobs = new Counter({
    name: 'slowwave_jobs_total',
    help: 'Turns of jobs, by how they ended. A job that is postponed or tried again has several.',
    labelNames: ['queue', 'outcome'],
    registers,
  });
  const leases = new Counter({
    name: 'slowwave_leases_lost_total',
    help: 'Runs that were broken off since another worker had taken the user over.',
    registers,
  });
  const embedded = new Counter({
    name: 'slowwave_memories_embedded_total',
    help: 'Memories whose vectors were made.',
    registers,
  });
  const heldBack = new Counter({
    name: 'slowwave_model_calls_held_back_total',
    help: 'Calls of language models that were put off: too many for the rate that the endpoint allows, or retries while it fails for everybody.',
    labelNames: ['provider', 'model', 'reason'],
    registers,
  });
  return {
    event(event) {
      if (event.type === 'run_ended') runs(event);
      if (event.type === 'fusion') fusions(event.tier, event.event);
      if (event.type === 'embedded') embedded.inc(event.count);
      if (event.type === 'lease_lost') leases.inc();
    },
    jobEnded: ({ queue, outcome }) => jobs.inc({ queue, outcome }),
    modelCalled: models,
    heldBack: (labels) => heldBack.inc({ ...labels }),
    watch: (worker) => watchReadiness(registry, worker),
  };
}

type RunEnded = Extract<WorkerEvent, { type: 'run_ended' }>;

function createRunMetrics(registry: Registry): (run: RunEnded) => void {
  const registers = [registry];
  const ended = new Counter({
    name: 'slowwave_runs_total',
    help: 'Runs that ended, previews apart.',
    labelNames: ['tier', 'outcome'],
    registers,
  });
  const seconds = new Histogram({
    name: 'slowwave_run_duration_seconds',
    help: 'How long runs took.',
    labelNames: ['tier'],
    buckets: RUN_SECONDS,
    registers,
  });
  const steps = new Counter({
    name: 'slowwave_steps_total',
    help: 'Steps of runs, by how they ended.',
    labelNames: ['tier', 'step', 'outcome'],
    registers,
  });
  const stops = new Counter({
    name: 'slowwave_model_stops_total',
    help: 'Steps whose model work ended before its time, by why.',
    labelNames: ['step', 'reason'],
    registers,
  });
  const conflicts = new Counter({
    name: 'slowwave_conflicts_labelled_total',
    help: 'Pairs of memories of which a model said how they disagree, or that they do not.',
    labelNames: ['label'],
    registers,
  });
  const refusals = new Counter({
    name: 'slowwave_budget_refusals_total',
    help: 'Runs whose model work a budget ended, by whose budget and what was used up.',
    labelNames: ['scope', 'unit'],
    registers,
  });
  return ({ tier, outcome, preview, durationMs, steps: reports, refusal }) => {
    // Previews spend as well.
    if (refusal) refusals.inc({ scope: refusal.scope, unit: refusal.unit });
    if (preview) return;
    ended.inc({ tier, outcome });
    seconds.observe({ tier }, durationMs / 1000);
    for (const report of reports) {
      steps.inc({ tier, step: report.step, outcome: report.status });
      if (report.status !== 'done') continue;
      const { stopped, labels } = report.counts;
      if (typeof stopped === 'string') stops.inc({ step: report.step, reason: stopped });
      for (const label of CONFLICT_TYPES) {
        const count = (labels as Record<string, unknown> | undefined)?.[label];
        if (typeof count === 'number') conflicts.inc({ label }, count);
      }
    }
  };
}

function createFusionMetrics(registry: Registry): (tier: Tier, event: FusionEvent) => void {
  const registers = [registry];
  const ended = new Counter({
    name: 'slowwave_fusions_total',
    help: 'Clusters that were worked on, by how that ended.',
    labelNames: ['tier', 'outcome'],
    registers,
  });
  const refusals = new Counter({
    name: 'slowwave_gate_refusals_total',
    help: 'Answers of models that the checks refused, by why. A refused answer may be followed by a repaired one.',
    labelNames: ['reason'],
    registers,
  });
  const gateSeconds = new Histogram({
    name: 'slowwave_gate_duration_seconds',
    help: 'How long the checks of one answer took.',
    buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1],
    registers,
  });
  const changed = new Counter({
    name: 'slowwave_memories_changed_total',
    help: 'Memories that fusions derived, and that they superseded.',
    labelNames: ['change'],
    registers,
  });
  const statements = new Counter({
    name: 'slowwave_statements_total',
    help: 'Statements that were proposed, by what the gate made of them: repeat and judged were accepted.',
    labelNames: ['lane'],
    registers,
  });
  return (tier, event) => {
    if (event.type === 'judged') {
      gateSeconds.observe(event.durationMs / 1000);
      if (event.code !== null) refusals.inc({ reason: event.code });
    }
    if (event.type !== 'cluster_ended') return;
    const { outcome } = event;
    ended.inc({ tier, outcome: outcome.status });
    if ('decided' in outcome) for (const { lane } of outcome.decided) statements.inc({ lane });
    if (outcome.status !== 'committed' || outcome.already) return;
    changed.inc({ change: 'derived' }, outcome.derivedIds.length);
    changed.inc({ change: 'superseded' }, outcome.superseded);
  };
}

function createModelMetrics(registry: Registry, prices: Prices): (call: ModelCall) => void {
  const registers = [registry];
  const labelNames = ['provider', 'model'] as const;
  const calls = new Counter({
    name: 'slowwave_model_calls_total',
    help: 'Calls of language models, by what came of them.',
    labelNames: [...labelNames, 'outcome'],
    registers,
  });
  const seconds = new Histogram({
    name: 'slowwave_model_call_duration_seconds',
    help: 'How long language models took to answer, or to fail.',
    labelNames,
    buckets: CALL_SECONDS,
    registers,
  });
  const tokens = new Counter({
    name: 'slowwave_model_tokens_total',
    help: 'Tokens that language models read (input) and wrote (output).',
    labelNames: [...labelNames, 'direction'],
    registers,
  });
  const dollars = new Counter({
    name: 'slowwave_model_cost_dollars_total',
    help: 'What calls cost in US dollars by the prices of the day; models without a price are left out.',
    labelNames,
    registers,
  });
  const batched = new Counter({
    name: 'slowwave_batched_calls_total',
    help: 'Of the calls of language models: those asked for in batches, by what came of them.',
    labelNames: [...labelNames, 'outcome'],
    registers,
  });
  const cached = new Counter({
    name: 'slowwave_model_cached_tokens_total',
    help: "Of the tokens that were read: those found in the provider's cache (read), and put there (write).",
    labelNames: [...labelNames, 'direction'],
    registers,
  });
  return (call) => {
    const { provider, model, outcome, durationMs, cacheReadTokens = 0, cacheWriteTokens = 0 } = call;
    calls.inc({ provider, model, outcome });
    if (call.batch) batched.inc({ provider, model, outcome });
    if (durationMs !== null) seconds.observe({ provider, model }, durationMs / 1000);
    tokens.inc({ provider, model, direction: 'input' }, inputTokensOf(call));
    tokens.inc({ provider, model, direction: 'output' }, call.outputTokens);
    if (cacheReadTokens > 0) cached.inc({ provider, model, direction: 'read' }, cacheReadTokens);
    if (cacheWriteTokens > 0) cached.inc({ provider, model, direction: 'write' }, cacheWriteTokens);
    const cost = dollarsOf(prices, call);
    if (cost !== null) dollars.inc({ provider, model }, cost);
  };
}

/** Asked for when the numbers are; once, however many of them need it. */
function watchReadiness(registry: Registry, worker: Watched): void {
  let asking: ReturnType<Watched['health']> | null = null;
  const ask = () => {
    asking ??= worker.health().finally(() => {
      asking = null;
    });
    return asking;
  };
  const gauge = (name: string, help: string, read: (health: Awaited<ReturnType<typeof ask>>) => number) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      async collect() {
        this.set(read(await ask()));
      },
    });
  gauge('slowwave_worker_ready', '1 for a worker process that can do its work.', ({ ok }) => Number(ok));
  gauge('slowwave_worker_jobs', 'Jobs that this worker process has in hand.', ({ active }) => active);
  gauge(
    'slowwave_worker_model_paused',
    '1 while no model is asked, since its provider refused the key or the account.',
    ({ model }) => Number(model?.open ?? false),
  );
  const ofModels = (name: string, help: string, read: (rate: ModelRate) => number | null) =>
    new Gauge({
      name,
      help,
      labelNames: ['provider', 'model'],
      registers: [registry],
      async collect() {
        const { rates } = await ask();
        this.reset();
        for (const rate of rates) {
          const { provider, model } = rate;
          const value = read(rate);
          if (value !== null) this.set({ provider, model }, value);
        }
      },
    });
  ofModels(
    'slowwave_model_calls_per_minute_allowed',
    'Calls a minute that all workers together make at most; absent for a model whose endpoint has not objected.',
    ({ perMinute }) => perMinute,
  );
  ofModels(
    'slowwave_model_retry_tokens',
    'What is left of the budget of retries, of 20; at 10 or below the endpoint fails for everybody and only a few calls ask how it is.',
    ({ retryTokens }) => retryTokens,
  );
}
