import type { QueueBackend } from '@slowwave/queue';
import type { FailpointName, WorkerLimits } from '@slowwave/worker';

/** The three ways to run. */
export type QueueKind = 'redis' | 'postgres' | 'embedded';

/** What a process does when it comes by a failpoint. */
export interface Arming {
  name: FailpointName;
  /** From 1: the how-manieth time it comes by. */
  nth: number;
  /** `kill`: SIGKILL to itself; `exit`: process.exit(1); `throw`: an error without a code; `pause`: waits `ms`, or for `resume`. */
  action: 'kill' | 'exit' | 'throw' | 'pause';
  ms?: number;
}

/** The only argument of a worker process of this suite, as JSON. */
export interface WorkerSettings {
  databaseUrl: string;
  backend: QueueBackend;
  /** Base URL of the fake model; null: no model. */
  modelUrl: string | null;
  /** Questions of nights that are due wait for batches; default: they are asked directly. */
  batches?: boolean;
  /** A call of the model is given up after so long. */
  modelTimeoutMs: number;
  concurrency: number;
  limits: Partial<WorkerLimits>;
  lockDurationMs: number;
  stalledIntervalMs: number;
  graceMs: number;
  /** Added to what this process takes for the time. */
  clockShiftMs: number;
  /** Steps that some users do not survive (test/fixtures/poison.ts). */
  poison: boolean;
  /** Ends the process when its main thread has not turned for so long; 0: never. */
  stuckMs: number;
  armed: Arming[];
  /** Waits for `go` before it connects: a process kept ready, so that its start costs no time. */
  standby: boolean;
  /** Of its lines on stdout; default 'warn'. */
  logLevel?: 'debug' | 'info' | 'warn';
}

/** What the conductor tells a process over the channel between them. */
export type ToProcess = { go: true; armed?: Arming[] } | { arm: Arming } | { resume: true };

/** What a process tells the conductor. */
export type FromProcess = { standing: true } | { ready: true } | { reached: FailpointName; of: Arming };

/** A promise of the service found broken. Ids, counts and codes only. */
export interface Violation {
  invariant: string;
  detail: string;
}

/** What the conductor did and saw of one batch of users: what the promises are measured against. */
export interface Tally {
  /** Processes ended by SIGKILL, by themselves at a failpoint or by the conductor; exits of poisoned ones; crashes of servers. */
  kills: number;
  /** Calls of the model that were given up: too slow, cut, reset, half an answer. */
  timeouts: number;
  /** Calls that the model answered with an error of its own (429, 5xx and the like): nothing was paid for. */
  refusals: number;
  /** Calls that reached the model. */
  calls: number;
  /** Connections cut on the way, sessions terminated, leases lost by a stopped process: each may cost the calls under way. */
  cuts: number;
  /** When the queue was last emptied by force, epoch ms; null: never. */
  flushedAt: number | null;
}
