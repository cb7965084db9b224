import type { Processor, Queue, QueueOptions, Worker, WorkerOptions } from 'bullmq';
import { type BackendKind, passesByItself, QueueUnavailable, type UnavailableReason } from './errors.ts';
import type { QueueName } from './names.ts';

export type EngineQueueOptions = Omit<QueueOptions, 'connection' | 'prefix'>;
export type EngineWorkerOptions = Omit<WorkerOptions, 'connection' | 'prefix'>;

export interface EngineWorker {
  worker: Worker;
  /** Resolves when it can take jobs. @throws QueueUnavailable */
  ready(): Promise<void>;
  /** Releases what the worker alone used. Called after the worker is closed. */
  dispose(): Promise<void>;
}

/** A datastore as the rest of the package sees it: it makes queues and workers and knows whether it answers. */
export interface Engine {
  kind: BackendKind;
  /** Address without user and password. */
  address: string | null;
  /** How long its server is waited for when something is closed, ms; null: as long as it takes, since it is in this process. */
  goodbyeMs: number | null;
  createQueue(name: QueueName, options: EngineQueueOptions): Queue;
  createWorker(name: QueueName, processor: Processor, options: EngineWorkerOptions): EngineWorker;
  /** One round trip; throws the driver's error. */
  ping(): Promise<void>;
  /** What an error of the driver says of the server. */
  diagnose(error: unknown): Diagnosis;
  close(): Promise<void>;
}

/** How long a process waits for its queue's server at the start. */
export interface ConnectOptions {
  attempts: number;
  /** First pause between attempts, doubled each time up to the maximum, in milliseconds. */
  baseMs: number;
  maxMs: number;
  /** Limit of one attempt, in milliseconds. */
  timeoutMs: number;
  /**
   * How long a server may say nothing while it owes an answer, in milliseconds: then its connection counts as lost, since the other end may be
   * gone without a word. Longer than the longest wait for a job. Default per kind of server.
   */
  silentMs?: number;
}

/** How long a server gets to answer a farewell, ms. */
export const GOODBYE_MS = 1_500;

const WITHIN_BASE_MS = 250;
const WITHIN_MAX_MS = 5_000;

/** As many attempts, with growing pauses, as fit into the given time (milliseconds). */
export function connectOptionsWithin(timeoutMs: number): ConnectOptions {
  let attempts = 1;
  for (let spent = 0; spent < timeoutMs; attempts += 1) {
    spent += Math.min(WITHIN_MAX_MS, WITHIN_BASE_MS * 2 ** (attempts - 1));
  }
  return {
    attempts,
    baseMs: WITHIN_BASE_MS,
    maxMs: WITHIN_MAX_MS,
    timeoutMs: Math.min(WITHIN_MAX_MS, timeoutMs),
  };
}

export const CONNECT_DEFAULTS: ConnectOptions = {
  attempts: 6,
  baseMs: 250,
  maxMs: 5_000,
  timeoutMs: 5_000,
};

export interface Diagnosis {
  reason: UnavailableReason;
  detail: string | null;
}

/**
 * Tries to connect within the limit. Only an unreachable server is worth another attempt; a refused login is not.
 * @throws QueueUnavailable
 */
export async function connectWithin<T>(
  connect: () => Promise<T>,
  diagnose: (error: unknown) => Diagnosis,
  facts: { kind: BackendKind; address: string | null },
  options: ConnectOptions,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await connect();
    } catch (error) {
      const diagnosis = diagnose(error);
      if (!passesByItself(diagnosis.reason) || attempt >= options.attempts) {
        throw new QueueUnavailable({ ...facts, ...diagnosis, attempts: attempt });
      }
      await pause(Math.min(options.maxMs, options.baseMs * 2 ** (attempt - 1)));
    }
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/**
 * Host, port and path of a URL: what may stand in a log line.
 * @throws QueueUnavailable when it is no URL of these protocols
 */
export function addressOf(url: string, kind: BackendKind, protocols: readonly string[]): string {
  const parsed = URL.canParse(url) ? new URL(url) : null;
  if (parsed === null || !protocols.includes(parsed.protocol)) {
    const detail = `expected ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`;
    throw new QueueUnavailable({ kind, reason: 'invalid_url', address: null, attempts: 1, detail });
  }
  const path = parsed.pathname === '/' ? '' : parsed.pathname;
  return `${parsed.host}${path}`;
}

/** Errors that say nothing but that no server answered. */
export function isNetworkCode(code: unknown): code is string {
  return typeof code === 'string' && /^E[A-Z_]{3,20}$/.test(code);
}
