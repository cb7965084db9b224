import type { FusionJob, OutcomeEvent, QueueName, Queues, QueuesOptions, TierJob } from '@slowwave/queue';

export { until } from '../fixtures/wait.ts';

/** One isolated place for queues: a prefix, a schema or a database of its own. */
export interface Place {
  /** Opens the queues as one process would; call it twice for two processes. */
  open(options?: QueuesOptions): Promise<Queues>;
  /** Gives a running job's lock to somebody else. */
  stealLock(queue: QueueName, jobId: string): Promise<void>;
  /** Everything the datastore holds of this place, as text. */
  dump(): Promise<string>;
  /** Cuts every connection of this place; null where there is none to cut. */
  dropConnections: (() => Promise<void>) | null;
  dispose(): Promise<void>;
}

export interface BackendUnderTest {
  name: string;
  newPlace(): Promise<Place>;
}

/** A promise that somebody else resolves. */
export function gate(): { opened: Promise<void>; open: () => void } {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

export function wakeUp(user: string, more: Partial<TierJob> = {}): TierJob {
  return { v: 1, tenant: 't1', user, tier: 'deep', why: 'schedule', ...more };
}

export function fusion(digit: string, more: Partial<FusionJob> = {}): FusionJob {
  return { v: 1, tenant: 't1', user: 'u1', key: digit.repeat(64), tier: 'deep', runId: 'run1', ...more };
}

/** An error in the project's convention. */
export function failure(code: string, retryable: boolean, message = 'told to fail'): Error {
  return Object.assign(new Error(message), { code, retryable });
}

/** Collects how jobs ended. */
export function recorder(): {
  outcomes: OutcomeEvent[];
  onOutcome: (event: OutcomeEvent) => void;
  list(): string[];
} {
  const outcomes: OutcomeEvent[] = [];
  return {
    outcomes,
    onOutcome: (event) => outcomes.push(event),
    list: () => outcomes.map((event) => event.outcome),
  };
}

/** Retries without a wait worth noticing. */
export const QUICK: QueuesOptions = { backoff: { baseMs: 5, maxMs: 20 } };

export function requiredUrl(name: 'TEST_REDIS_URL' | 'TEST_DATABASE_URL'): string {
  const url = process.env[name];
  if (!url)
    throw new Error(`${name} is not set: run these tests with "npm test", which provides the servers`);
  return url;
}
