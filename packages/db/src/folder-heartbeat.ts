import { Worker } from 'node:worker_threads';

/**
 * Touches the lock file while it is this owner's. A thread, since a statement of the embedded database may keep the main one for longer than
 * a heartbeat. When the file is another owner's or gone it tells the main thread. It ends the process itself where another
 * owner is at work and the main thread cannot listen.
 * Plain text: a module would be loaded with every loader of the process.
 */
const THREAD = `
const { readFileSync, utimesSync, writeSync } = require('node:fs');
const { parentPort, workerData } = require('node:worker_threads');
const { file, id, beatMs, answerMs, heard, message } = workerData;
function look() {
  try {
    if (JSON.parse(readFileSync(file, 'utf8')).id !== id) return 'taken';
    const now = new Date();
    utimesSync(file, now, now);
  } catch (error) {
    if (error.code === 'ENOENT' || error instanceof SyntaxError) return 'gone';
  }
  return 'own';
}
setInterval(() => {
  const found = look();
  if (found === 'own') return;
  Atomics.store(heard, 0, 0);
  parentPort.postMessage(found);
  // Where the file is gone, no other process writes beside the main thread.
  if (found === 'gone' || Atomics.wait(heard, 0, 0, answerMs) !== 'timed-out') return;
  writeSync(2, message + '\\n');
  process.kill(process.pid, 'SIGKILL');
}, beatMs);
`;
/** How long the main thread may be busy after the folder was lost. */
const ANSWER_MS = 2_000;

export interface Heartbeat {
  stop(): Promise<void>;
}

/** Begins at once, and keeps no process alive. @param onLost may be called more than once, and although the file is still its own */
export function startHeartbeat(options: {
  file: string;
  id: string;
  beatMs: number;
  /** Said when the thread itself has to end the process. */
  message: string;
  onLost: () => void;
}): Heartbeat {
  const { onLost, ...rest } = options;
  const heard = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(THREAD, {
    eval: true,
    execArgv: [],
    env: {},
    workerData: { ...rest, answerMs: ANSWER_MS, heard },
  });
  worker.on('message', () => {
    Atomics.store(heard, 0, 1);
    Atomics.notify(heard, 0);
    onLost();
  });
  // Without a heartbeat another process may take the folder: the owner finds that at its next statement.
  worker.on('error', () => undefined);
  // After the listeners, since the first of them keeps the process alive again.
  worker.unref();
  return { stop: async () => void (await worker.terminate()) };
}
