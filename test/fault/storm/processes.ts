import { type ChildProcess, fork } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import type { FailpointName } from '@slowwave/worker';
import type { FromProcess, ToProcess } from '../types.ts';
import type { Bundles } from './bundle.ts';

/** How a process ended. */
export interface End {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** One process of the service. */
export interface Running {
  pid: number;
  /** It waits for `go`. */
  standing(): boolean;
  /** It takes jobs, or ticks. */
  ready(): boolean;
  /** It has done so, even if it is over by now. */
  wasReady(): boolean;
  over(): boolean;
  /** Somebody has sent it SIGKILL: on a busy machine it may be a while until it is over. */
  doomed(): boolean;
  /** What it said of failpoints, the latest last. */
  reached: FailpointName[];
  tell(message: ToProcess): void;
  signal(name: NodeJS.Signals): void;
  ended: Promise<End>;
}

function forkProcess(args: readonly string[], settings: object, log: string): ChildProcess {
  const out = openSync(log, 'a');
  const at = args.findIndex((arg) => !arg.startsWith('--'));
  try {
    return fork(args[at]!, [...args.slice(at + 1), JSON.stringify(settings)], {
      execArgv: args.slice(0, at),
      // Nothing of the machine's own environment leaks in.
      env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '' },
      stdio: ['ignore', out, out, 'ipc'],
    });
  } finally {
    closeSync(out);
  }
}

const WARM_UPS_MAX = 3;

/**
 * Lets one process of an entry come up and write its compiled code down, for the many that follow. On a busy machine a first one may give
 * up before its servers have answered.
 * @returns how long it took to come up, ms
 * @throws when none comes up within the limit
 */
export async function warmUp(
  bundles: Bundles,
  entry: string,
  settings: object,
  options: { log: string; limitMs: number },
): Promise<number> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await warmUpOnce(bundles.cachingArgs(entry), { ...settings, standby: false }, options);
    } catch (error) {
      if (attempt === WARM_UPS_MAX) throw error;
    }
  }
}

async function warmUpOnce(
  args: readonly string[],
  settings: object,
  { log, limitMs }: { log: string; limitMs: number },
): Promise<number> {
  const begun = performance.now();
  const child = forkProcess(args, settings, log);
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const cached = new Promise<number>((resolve, reject) => {
    let readyMs = 0;
    child.on('message', (message: object) => {
      if ('cached' in message) resolve(readyMs);
      if (!('ready' in message)) return;
      readyMs = performance.now() - begun;
      child.send({ cache: true });
    });
    void gone.then(() => reject(new Error(`the first process did not come up: see ${log}`)));
    setTimeout(
      () => reject(new Error(`no process was ready within ${limitMs} ms: see ${log}`)),
      limitMs,
    ).unref();
  });
  try {
    return await cached;
  } finally {
    child.kill('SIGKILL');
    // What it holds is free only when it is gone.
    await gone;
  }
}

/**
 * Started with settings of its own.
 * @param log file that its output is added to
 * @param onThrow told of each error that it throws on purpose
 */
export function startRunning(
  args: readonly string[],
  settings: object,
  log: string,
  onThrow: () => void = () => {},
): Running {
  const child = forkProcess(args, settings, log);
  const seen = { standing: false, ready: false };
  const reached: FailpointName[] = [];
  child.on('message', (message: FromProcess) => {
    if ('standing' in message) seen.standing = true;
    if ('ready' in message) seen.ready = true;
    if (!('reached' in message)) return;
    reached.push(message.reached);
    if (message.of.action === 'throw') onThrow();
  });
  // A message to a process that has just gone fails, which its end says anyway.
  child.on('error', () => {});
  let over = false;
  let doomed = false;
  const ended = new Promise<End>((resolve) => {
    const done = (end: End) => {
      over = true;
      resolve(end);
    };
    child.once('exit', (code, signal) => {
      over = true;
      // Its last words may still be on their way.
      if (child.connected) child.once('disconnect', () => done({ code, signal }));
      else done({ code, signal });
    });
    child.once('error', () => {
      if (child.pid === undefined) done({ code: null, signal: null });
    });
  });
  return {
    pid: child.pid ?? 0,
    standing: () => seen.standing && !over,
    ready: () => seen.ready && !over,
    wasReady: () => seen.ready,
    over: () => over,
    reached,
    tell: (message) => {
      if (child.connected) child.send(message, () => {});
    },
    doomed: () => doomed,
    signal: (name) => {
      doomed ||= name === 'SIGKILL';
      child.kill(name);
    },
    ended,
  };
}
