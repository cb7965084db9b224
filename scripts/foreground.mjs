import { spawn } from 'node:child_process';
import { constants } from 'node:os';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];
const SAME_SIGNAL_MS = 1_000;
const PARENT_MS = 500;

const { npm_lifecycle_event: startedByNpm } = process.env;
const parent = process.ppid;

/**
 * npm passes SIGTERM to the shell that it starts, and that shell passes it to nobody: the only sign here is that the shell is gone.
 * @returns {() => void} stops watching
 */
function watchShell(onGone) {
  if (!startedByNpm) return () => {};
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    onGone();
  }, PARENT_MS);
  return () => clearInterval(timer);
}

/**
 * Passes signals on to a child, each once: a Ctrl-C can arrive twice, from the terminal and from npm, and most programs take a
 * second one for "at once, without cleaning up". In a terminal the child gets Ctrl-C by itself.
 * @returns {() => void} stops passing them on
 */
function passSignals(child) {
  const inTerminal = [process.stdin, process.stdout, process.stderr].some((stream) => stream.isTTY);
  const seen = new Map();
  const pass = (name) => {
    const again = Date.now() - (seen.get(name) ?? -Infinity) < SAME_SIGNAL_MS;
    seen.set(name, Date.now());
    if (!again && !(name === 'SIGINT' && inTerminal)) child.kill(name);
  };
  for (const name of SIGNALS) process.on(name, pass);
  const unwatch = watchShell(() => pass('SIGTERM'));
  return () => {
    unwatch();
    for (const name of SIGNALS) process.removeListener(name, pass);
  };
}

/**
 * Runs a command with this process's input and output, passes signals on, and waits for its end.
 * @returns {Promise<number>} its exit code, as a shell would give it (128 + signal, 127 when it does not exist)
 */
export function runForeground(command, args, options = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { stdio: 'inherit', ...options });
    const release = passSignals(child);
    child.on('error', (error) => {
      release();
      console.error(`${command}: ${error.message}`);
      resolve(127);
    });
    child.on('exit', (code, signal) => {
      release();
      resolve(code ?? 128 + (constants.signals[signal] ?? 0));
    });
  });
}

/**
 * The same with its output kept back, for commands that interest nobody unless they fail.
 * @returns {Promise<{code: number, output: string}>}
 */
export function runQuiet(command, args, options = {}) {
  return new Promise((resolve) => {
    let output = '';
    const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
    const release = passSignals(child);
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text) => {
        output += text;
      });
    }
    child.on('error', (error) => {
      release();
      resolve({ code: 127, output: `${command}: ${error.message}\n` });
    });
    child.on('close', (code, signal) => {
      release();
      resolve({ code: code ?? 128 + (constants.signals[signal] ?? 0), output });
    });
  });
}

/** Resolves when this process is asked to end. */
export function waitForSignal() {
  return new Promise((resolve) => {
    // Signal handlers alone do not keep a process alive.
    const alive = setInterval(() => {}, 60_000);
    for (const name of SIGNALS) {
      process.once(name, () => {
        clearInterval(alive);
        resolve(name);
      });
    }
  });
}

/** @returns {string} such as "3.4 s" */
export const since = (start) => `${((Date.now() - start) / 1000).toFixed(1)} s`;

/** Ends a script with a plain line instead of a stack trace. */
export async function main(work) {
  try {
    process.exitCode = await work();
  } catch (error) {
    console.error(error.message);
    process.exitCode = 1;
  }
}
