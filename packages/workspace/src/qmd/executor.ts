import { type ChildProcess, spawn } from 'node:child_process';

export interface QmdRunOptions {
  cwd?: string;
  /** Milliseconds; then the run has failed, whatever the process does. */
  timeout?: number;
  /** Of standard output and of standard error, in bytes. */
  maxBuffer?: number;
  /** The whole environment of the process; absent: that of this one. */
  env?: NodeJS.ProcessEnv;
  /** Keeps this process alive until the run has ended or timed out. */
  keepAlive?: boolean;
  /** Ends the run as its timeout would. */
  signal?: AbortSignal;
}

/** Runs an executable, without a shell. Rejects when it cannot be started, ends with another code than 0, or takes too long. */
export type QmdExecutor = (
  file: string,
  args: readonly string[],
  options?: QmdRunOptions,
) => Promise<{ stdout: string; stderr: string }>;

export type QmdReason = 'missing' | 'timeout' | 'exit' | 'output' | 'index' | 'skipped';

/** A run of qmd that gave no answer. What it printed can quote documents, so it is no part of the message. */
export class QmdFailure extends Error {
  override readonly name = 'QmdFailure';
  readonly reason: QmdReason;
  readonly exitCode: number | null;
  /** Not enumerable, so that no log takes it along. */
  declare readonly stderr: string;

  constructor(reason: QmdReason, exitCode: number | null = null, stderr = '') {
    super(exitCode === null ? `qmd: ${reason}` : `qmd: ${reason} ${exitCode}`);
    this.reason = reason;
    this.exitCode = exitCode;
    Object.defineProperty(this, 'stderr', { value: stderr.slice(0, 2_000), enumerable: false });
  }
}

/** Lets this process end while a child and its pipes are still open. Anything without such methods is left alone. */
export function unrefQmdChildProcess(child: unknown): void {
  type Held = { unref?: () => void } | null | undefined;
  if (!child || typeof child !== 'object') return;
  const { stdout, stderr, stdin } = child as { stdout?: Held; stderr?: Held; stdin?: Held };
  for (const held of [child as Held, stdout, stderr, stdin]) held?.unref?.();
}

const GRACE_MS = 500;
const condemned = new Set<ChildProcess>();
let isWatchingExit = false;

function kill(child: ChildProcess, signal: NodeJS.Signals): void {
  try {
    // The whole group: what qmd itself started would otherwise live on. Windows has no groups.
    if (child.pid !== undefined && process.platform !== 'win32') process.kill(-child.pid, signal);
    else child.kill(signal);
  } catch {
    // Already gone.
  }
}

/** Ends a child that is not waited for any longer: asked first, then made to, at the latest when this process ends. */
function condemn(child: ChildProcess): void {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  condemned.add(child);
  if (!isWatchingExit) {
    isWatchingExit = true;
    process.on('exit', () => {
      for (const left of condemned) kill(left, 'SIGKILL');
    });
  }
  kill(child, 'SIGTERM');
  const grace = setTimeout(() => kill(child, 'SIGKILL'), GRACE_MS);
  grace.unref?.();
  child.once('exit', () => {
    condemned.delete(child);
    clearTimeout(grace);
    // Its own children may have inherited the group and the wish to stay.
    kill(child, 'SIGKILL');
  });
}

interface Collected {
  text: () => string;
  size: number;
}

function collect(stream: NodeJS.ReadableStream | null, onData: (collected: Collected) => void): Collected {
  const chunks: Buffer[] = [];
  const collected: Collected = { text: () => Buffer.concat(chunks).toString('utf8'), size: 0 };
  stream?.on('data', (chunk: Buffer) => {
    collected.size += chunk.length;
    chunks.push(chunk);
    onData(collected);
  });
  // A pipe that breaks when the child is killed is no event of its own.
  stream?.on('error', () => undefined);
  return collected;
}

/** The executor of the service: a child in a process group of its own that never keeps this process alive. */
export const runQmd: QmdExecutor = (file, args, options = {}) =>
  new Promise((resolve, reject) => {
    if (options.signal?.aborted) {
      reject(new QmdFailure('timeout'));
      return;
    }
    const child = spawn(file, [...args], {
      cwd: options.cwd,
      env: options.env,
      stdio: ['ignore', 'pipe', 'pipe'],
      shell: false,
      detached: process.platform !== 'win32',
      windowsHide: true,
    });
    unrefQmdChildProcess(child);
    let isSettled = false;
    const onLate = () => settle(new QmdFailure('timeout'));
    const timer = setTimeout(onLate, options.timeout ?? 120_000);
    options.signal?.addEventListener('abort', onLate, { once: true });
    if (!options.keepAlive) timer.unref?.();
    const limit = options.maxBuffer ?? 1024 * 1024;
    const onData = (collected: Collected) => {
      if (collected.size > limit) settle(new QmdFailure('output'));
    };
    const stdout = collect(child.stdout, onData);
    const stderr = collect(child.stderr, onData);
    function settle(failure: QmdFailure | null): void {
      if (isSettled) return;
      isSettled = true;
      clearTimeout(timer);
      options.signal?.removeEventListener('abort', onLate);
      if (failure === null) {
        resolve({ stdout: stdout.text(), stderr: stderr.text() });
        return;
      }
      child.stdout?.destroy();
      child.stderr?.destroy();
      condemn(child);
      reject(failure);
    }

    child.on('error', (error: NodeJS.ErrnoException) => {
      // A missing working folder says ENOENT as well; either way there is no qmd to be had here.
      settle(new QmdFailure(['ENOENT', 'EACCES'].includes(error.code ?? '') ? 'missing' : 'exit'));
    });
    child.on('close', (code) => settle(code === 0 ? null : new QmdFailure('exit', code, stderr.text())));
  });
