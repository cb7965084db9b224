/** Processes with their children: ends them all at once, as a machine that loses its power does. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { run, untilItWorks } from './process.mjs';

const GONE_MS = 10_000;

/** State and parent of a process; null when there is none. The name before them may hold anything, brackets too. */
function statusOf(pid) {
  try {
    const [state, parent] = /\) (\S) (\d+) /.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')).slice(1);
    return { state, parent: Number(parent) };
  } catch {
    return null;
  }
}

/** @returns {Promise<number[]>} the ids of the processes that this one has started and that still run */
export async function childrenOf(pid) {
  if (existsSync('/proc/self/stat')) {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name) && statusOf(name)?.parent === pid)
      .map(Number);
  }
  const { stdout } = await run('ps', ['-axo', 'pid=,ppid=']);
  const pairs = stdout.split('\n').map((line) => line.trim().split(/\s+/).map(Number));
  return pairs.filter(([, parent]) => parent === pid).map(([child]) => child);
}

/** A process that ended may stay in the table until its parent asks: it holds nothing any more. */
function isGone(pid) {
  try {
    process.kill(pid, 0);
  } catch {
    return true;
  }
  return /[ZX]/.test(statusOf(pid)?.state ?? '');
}

export function sendSignal(pid, name) {
  try {
    process.kill(pid, name);
  } catch (error) {
    if (error.code !== 'ESRCH') throw error;
  }
}

/** SIGKILL to a process and its children. Resolves when none of them is left. */
export async function killTree(pid) {
  // A parent that stands still starts no more children.
  sendSignal(pid, 'SIGSTOP');
  const all = [...(await childrenOf(pid)), pid];
  for (const each of all) sendSignal(each, 'SIGKILL');
  await untilGone(all);
}

/** @throws {Error} when one of them is still there after a while */
export async function untilGone(pids) {
  await untilItWorks(
    async () => {
      if (!pids.every(isGone)) throw new Error('A process did not end in time.');
    },
    { limitMs: GONE_MS, everyMs: 5 },
  );
}
