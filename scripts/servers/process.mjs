/**
 * Child processes for the test servers: short commands with a time limit, long-running servers that are stopped by their
 * own process id, and the small waits that both need. Node built-ins only.
 */
import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

const KEPT_OUTPUT_CHARS = 8_000;
const TERM_MS = 5_000;

const keepTail = (text) => (text.length > KEPT_OUTPUT_CHARS ? text.slice(-KEPT_OUTPUT_CHARS) : text);

/**
 * Runs a command to its end and never rejects: a command that does not exist gives code 127, one that ran out of time or
 * was interrupted gives code 124.
 * @returns {Promise<{code: number, stdout: string, stderr: string}>} the tail of both outputs
 */
export function run(command, args, { timeoutMs = 60_000, signal, ...options } = {}) {
  return new Promise((resolve) => {
    let stdout = '';
    let stderr = '';
    let timer;
    let lastResort;
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], ...options });
    const interrupt = () => {
      child.kill('SIGTERM');
      lastResort = setTimeout(() => child.kill('SIGKILL'), TERM_MS);
    };
    const finish = (code) => {
      clearTimeout(timer);
      clearTimeout(lastResort);
      signal?.removeEventListener('abort', interrupt);
      resolve({ code, stdout, stderr });
    };
    child.stdout?.setEncoding('utf8').on('data', (text) => {
      stdout = keepTail(stdout + text);
    });
    child.stderr?.setEncoding('utf8').on('data', (text) => {
      stderr = keepTail(stderr + text);
    });
    child.on('error', (error) => {
      stderr += error.message;
      finish(127);
    });
    child.on('close', (code) => finish(code ?? 124));
    timer = setTimeout(interrupt, timeoutMs);
    if (signal?.aborted) interrupt();
    signal?.addEventListener('abort', interrupt, { once: true });
  });
}

/** The last lines of a failed command, for an error message. */
export function lastLines({ stdout, stderr }, count = 6) {
  const lines = (stderr.trim() || stdout.trim()).split('\n');
  return lines.slice(-count).join('\n');
}

/**
 * Starts a server that stays until `stop`. It gets a session of its own, so that Ctrl-C in a terminal reaches the script,
 * which then stops its servers in order, and not the servers behind its back.
 */
export function startDaemon(command, args, options = {}) {
  let output = '';
  const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  const keep = (text) => {
    output = keepTail(output + text);
  };
  child.stdout.setEncoding('utf8').on('data', keep);
  child.stderr.setEncoding('utf8').on('data', keep);
  const ended = new Promise((resolve) => {
    child.on('error', (error) => {
      keep(error.message);
      resolve();
    });
    child.on('exit', resolve);
  });
  let running = true;
  ended.then(() => {
    running = false;
  });
  return {
    pid: child.pid,
    isRunning: () => running,
    output: () => output.trim(),
    /** Sends the signals in turn, each with its time to work, until the process is gone. */
    async stop(signals, eachMs = 10_000) {
      for (const name of signals) {
        if (!running) return;
        child.kill(name);
        const timer = new AbortController();
        await Promise.race([ended, delay(eachMs, undefined, { signal: timer.signal }).catch(() => {})]);
        timer.abort();
      }
    },
  };
}

/** A TCP port on loopback that nothing listens on at this moment. Whoever takes it must be ready to lose the race. */
export function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

const STEADY_PORTS = { from: 12_000, to: 28_000 };

/**
 * A TCP port on loopback for a server that goes away and comes back: below the ports that a system gives to outgoing connections, so
 * that nobody takes it meanwhile, not even a client that tries to reach the absent server and would connect to itself.
 */
export async function steadyPort() {
  const count = STEADY_PORTS.to - STEADY_PORTS.from;
  for (let tries = 0; tries < 100; tries += 1) {
    const port = STEADY_PORTS.from + randomInt(count);
    if (await isFree(port)) return port;
  }
  throw new Error('found no free port on loopback');
}

function isFree(port) {
  return new Promise((resolve) => {
    const server = createServer();
    server.on('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}

/**
 * Calls `attempt` until it does not throw. Gives up with its last error after `limitMs`, or at once when `isHopeless` says so.
 */
export async function untilItWorks(attempt, { limitMs, isHopeless = () => false, everyMs = 50 }) {
  const end = Date.now() + limitMs;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (isHopeless() || Date.now() > end) throw error;
      await delay(everyMs);
    }
  }
}
