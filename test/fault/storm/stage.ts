import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Database } from '@slowwave/db';
import type { Queues } from '@slowwave/queue';
import type { Plugin } from 'esbuild';
import { createLyingScript, type LyingScript } from '../../fakes/lying-writer.ts';
import { type FailingModel, startFailingModel } from '../failing-model.ts';
import type { OwnPostgres, OwnRedis } from '../own-servers.ts';
import { startProxy, type Proxy as WayProxy } from '../proxy.ts';
import type { QueueKind, WorkerSettings } from '../types.ts';
import type { End, Running } from './processes.ts';
import type { Slots } from './slots.ts';

/** Everything a storm rages over: what holds the data, the ways to it, the model, and the processes of the service. */
export interface Stage {
  kind: QueueKind;
  /** The conductor's own look, past the ways that are hurt; embedded only between `enter` and `leave`. */
  database: Database;
  queues(): Queues;
  /** Where the queue's keys are, when they are in Redis. */
  keys: { url: string; prefix: string } | null;
  /** Null when everything is in one process. */
  servers: { postgres: OwnPostgres; redis: OwnRedis | null } | null;
  /** Ways to what is outside of a process, by name. */
  ways: Readonly<Record<string, WayProxy>>;
  model: FailingModel;
  /** The writer that lies, where one does. */
  liar: LyingScript | null;
  /** Those who run jobs, and which storms hunt. */
  workers: Slots;
  producers: Slots | null;
  /** Folder of what the processes print. */
  logs: string;
  /** How often it may be looked whether all is done, ms. */
  lookEveryMs: number;
  /** How many times slower than an idle machine this one is; all limits are longer by it. */
  pace: number;
  start(): Promise<void>;
  /** Gives the data to the conductor, and back to the service: embedded, they cannot both have it. */
  enter(): Promise<void>;
  leave(): Promise<void>;
  dispose(): Promise<void>;
}

export interface StageOptions {
  kind: QueueKind;
  workers: number;
  folder: string;
  /** The writer of statements lies; their judge is honest. */
  lies: boolean;
  /** Questions of nights wait for batches. */
  batches: boolean;
  plugins?: Plugin[];
  /** Told of each process that ends unasked, or by a signal before it could see to its end. */
  onEnd(slot: string, end: End, process: Running): void;
  say(line: string): void;
}

export const WARM_UP_MS = 120_000;
export const GRACE_MS = 4_000;
export const CONCURRENCY = 4;

/**
 * Short enough that a storm sees many of each: leases, locks and limits of what hangs.
 * @param pace how many times slower than an idle machine this one is
 */
export function workerAt(pace: number) {
  return {
    modelTimeoutMs: 1_500 * pace,
    concurrency: CONCURRENCY,
    // Whoever is there when a process is killed is suspected; here that happens to everybody, again and again.
    limits: { leaseMs: 2_000 * pace, stepMs: 8_000 * pace, quarantineAfter: 1_000 },
    lockDurationMs: 3_000 * pace,
    stalledIntervalMs: 1_000 * pace,
    graceMs: GRACE_MS * pace,
    clockShiftMs: 0,
    poison: true,
    stuckMs: 4_000 * pace,
    armed: [],
    standby: false,
  } satisfies Partial<WorkerSettings>;
}

/** What the first start of a worker takes on a machine that has nothing else to do, and some more. */
const QUICK_START_MS = 2_000;
const PACE_MAX = 8;

/** A machine that is busy or slow gets more time for everything, or what is looked at is the machine. @param startMs of a first start */
export function paceOf(startMs: number): number {
  // Whole, as are the times that are made of it: Redis takes no others.
  return Math.min(PACE_MAX, Math.max(1, Math.round(startMs / QUICK_START_MS)));
}

/** Of a producer. */
export const TICKS = { tickMs: 500, requeueAfterMs: 5_000, operatorToken: 'operator-of-the-storm' };

/** What was opened, and is closed the last one first. */
export interface Opened {
  push(close: () => Promise<unknown>): void;
  closeAll(): Promise<void>;
}

/** Opens a stage; what stands of one that cannot be opened is closed. */
export async function openStage(open: (opened: Opened) => Promise<Stage>): Promise<Stage> {
  const closers: (() => Promise<unknown>)[] = [];
  const opened: Opened = {
    push: (close) => void closers.push(close),
    async closeAll() {
      for (const close of closers.splice(0).reverse()) await close().catch(() => {});
    },
  };
  try {
    return await open(opened);
  } catch (error) {
    await opened.closeAll();
    throw error;
  }
}

/** The model, the way to it, and the folder of the logs: the same for every stage. */
export async function openModel({ folder, lies }: Pick<StageOptions, 'folder' | 'lies'>, opened: Opened) {
  const logs = join(folder, 'logs');
  await mkdir(logs, { recursive: true });
  // What it does hangs on the question, and no two rounds ask the same ones.
  const liar = lies ? createLyingScript(0) : null;
  const script = liar === null ? {} : { script: liar };
  const model = await startFailingModel({ seed: 0, delayMs: [20, 80], slowMs: 2_500, ...script });
  opened.push(() => model.stop());
  const way = await startProxy(model.url);
  opened.push(() => way.stop());
  return { logs, model, liar, way };
}
