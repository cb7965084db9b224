import { Worker } from 'node:worker_threads';

export interface StuckWatch {
  /** Ends the watch; from then on nobody looks. */
  stop(): Promise<void>;
}

export interface StuckWatchOptions {
  /** The process ends when its main thread has not turned for this many ms. */
  limitMs: number;
  /** Told when the watching thread itself fails: the process goes on unwatched. */
  onError: (error: unknown) => void;
}

/** Looks per limit: the process ends between the limit and one look more. */
const LOOKS = 8;
/** How long the last words may take: where nobody reads them, the process ends without. */
const LAST_WORDS_MS = 1_000;

/**
 * The watching thread, as text, so that it needs no file of its own in whatever way the process was built or started. It counts its
 * own looks instead of reading a clock: they stand still together with the main thread while the machine sleeps or the process is
 * stopped. Its process.stderr would go through the main thread and its process.exit() would end the thread alone; hence the bare
 * descriptor and the signal.
 */
export const WATCH_THREAD = `
const { write } = require('node:fs');
const { workerData } = require('node:worker_threads');
const { beats, everyMs, looks, lastWordsMs, line } = workerData;
let seen = Atomics.load(beats, 0);
let silent = 0;
const end = () => process.kill(process.pid, 'SIGKILL');
const watch = setInterval(() => {
  const now = Atomics.load(beats, 0);
  silent = now === seen ? silent + 1 : 0;
  seen = now;
  if (silent < looks) return;
  clearInterval(watch);
  setTimeout(end, lastWordsMs);
  write(2, line, end);
}, everyMs);
`;

/**
 * Ends this process when its main thread does not turn any more, because a job never gave it back: no timer of ours would fire, so
 * nothing else could end that job, and every other user of the process would wait for it. What the process held is taken over when
 * its leases run out, and whatever supervises it starts it again. As the first process of a container it needs an init before it
 * (`init: true`): the kernel spares a process with the id 1.
 */
export function startStuckWatch({ limitMs, onError }: StuckWatchOptions): StuckWatch {
  const everyMs = Math.max(1, Math.floor(limitMs / LOOKS));
  const beats = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const seconds = Math.round(limitMs / 100) / 10;
  const line = `The main thread has not turned for ${seconds} s: a job does not give it back. This process ends (SIGKILL).\n`;
  const thread = new Worker(WATCH_THREAD, {
    eval: true,
    // Loaders that the process was started with are none of this thread's business.
    execArgv: [],
    name: 'stuck-watch',
    workerData: { beats, everyMs, looks: LOOKS, lastWordsMs: LAST_WORDS_MS, line },
  });
  thread.on('error', onError);
  thread.unref();
  const beating = setInterval(() => Atomics.add(beats, 0, 1), everyMs / 2);
  beating.unref();
  return {
    async stop() {
      clearInterval(beating);
      await thread.terminate();
    },
  };
}
