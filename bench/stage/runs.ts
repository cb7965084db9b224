import { requestRun } from '@slowwave/db';
import type { Embedder, LLMProvider, Tier } from '@slowwave/fusion';
import type { OutcomeEvent } from '@slowwave/queue';
import {
  createLogger,
  createWorker,
  DEFAULT_LIMITS,
  type WorkerDeps,
  type WorkerEvent,
} from '@slowwave/worker';
import type { BackendFixture } from '../../test/fixtures/backends.ts';

type RunEnded = Extract<WorkerEvent, { type: 'run_ended' }>;

/** A worker in this process that runs what it is told and says when the job is over. */
export interface Runner {
  /** Asks for a run and waits until its job has ended. @throws Error when the run did not complete */
  run(of: { tenant: string; user: string; tier: Tier }): Promise<RunEnded>;
  /** Writes the request of a run without waking anybody: the work of asking can be done before a measurement begins. */
  ask(of: { tenant: string; user: string; tier: Tier }): Promise<AskedRun>;
  /** Wakes the worker for an asked run and waits for its end. */
  carryOut(asked: AskedRun): Promise<RunEnded>;
  close(): Promise<void>;
}

export type AskedRun = { tenant: string; user: string; tier: Tier; runId: string };

/** @param also is told of every event of the worker */
export async function startRunner(
  { database, queues }: BackendFixture,
  parts: { provider: LLMProvider | null; embedder: Embedder; now: () => number; more?: Partial<WorkerDeps> },
  also?: (event: WorkerEvent) => void,
): Promise<Runner> {
  const { provider, embedder, now, more } = parts;
  const ended = new Map<string, RunEnded>();
  const waiting = new Map<string, (event: OutcomeEvent) => void>();
  let under: string | null = null;
  const worker = await createWorker(
    {
      database,
      queues,
      provider,
      embedder,
      logger: createLogger('silent'),
      now,
      nowMs: () => performance.now(),
      limits: DEFAULT_LIMITS,
      onEvent(event) {
        also?.(event);
        if (event.type === 'run_ended') ended.set(event.runId, event);
      },
      ...more,
    },
    // One at a time: whose job has ended is the one under way.
    {
      concurrency: 1,
      onOutcome: (event) => {
        if (under !== null) waiting.get(under)?.(event);
      },
    },
  );
  await worker.ready();

  const runner: Runner = {
    async run(of) {
      return runner.carryOut(await runner.ask(of));
    },
    async ask({ tenant, user, tier }) {
      const asked = await database.withTenant(tenant, (tx) =>
        requestRun(tx, { tenant, user, tier, at: now() }),
      );
      if (asked.status !== 'requested') throw new Error(`no run: ${asked.status}`);
      return { tenant, user, tier, runId: asked.runId };
    },
    async carryOut(asked) {
      const { runId } = asked;
      const over = new Promise<OutcomeEvent>((resolve) => void waiting.set(runId, resolve));
      under = runId;
      await queues.addAdhoc({ v: 1, ...asked, why: 'adhoc' });
      await over;
      waiting.delete(runId);
      const event = ended.get(runId);
      ended.delete(runId);
      if (event?.outcome !== 'completed')
        throw new Error(`a ${asked.tier} run ended ${event?.outcome ?? 'unseen'}`);
      return event;
    },
    close: () => worker.close(5_000),
  };
  return runner;
}
