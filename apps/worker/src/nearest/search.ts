import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { NearestResult } from '@slowwave/fusion';
import type { Answer, Question, SearchOptions } from './thread.ts';

/** A search for neighbours in a thread of its own. One call at a time; the arrays that are given are gone afterwards. */
export interface NearestSearch {
  /** Begins a search with vectors whose nearest are sought; they are also rows themselves, numbered from 0. */
  setQueries(vectors: Float32Array): Promise<void>;
  /** More rows. @param firstIndex the number of the first one */
  addTile(vectors: Float32Array, firstIndex: number): Promise<void>;
  /** What was found. Another search may begin. */
  finish(): Promise<NearestResult>;
  /** Ends the thread, whatever it does. */
  close(): Promise<void>;
}

/** Starts the thread's module, as built or from source, where its TypeScript has to be loaded like ours. */
function startThread(options: SearchOptions): Worker {
  const how = { name: 'nearest', workerData: options };
  if (!import.meta.url.endsWith('.ts'))
    return new Worker(new URL('./thread.js', import.meta.url), { ...how, execArgv: [] });
  // Loaded as CommonJS, which takes a third of the time: a loader of modules has a thread of its own.
  const loader = createRequire(import.meta.url).resolve('tsx/cjs/api');
  const module = fileURLToPath(new URL('./thread.ts', import.meta.url));
  const text = `require(${JSON.stringify(loader)}).register(); require(${JSON.stringify(module)});`;
  return new Worker(text, { ...how, eval: true, execArgv: ['--conditions=source'] });
}

/**
 * Starts the thread.
 * @param signal ends what is being waited for with its reason
 */
export function startSearch(options: SearchOptions, signal: AbortSignal): NearestSearch {
  const thread = startThread(options);
  thread.unref();
  let failure: Error | null = null;
  let waiting: { resolve: (answer: Answer) => void; reject: (error: unknown) => void } | null = null;
  const settle = (how: (waiter: NonNullable<typeof waiting>) => void) => {
    const waiter = waiting;
    waiting = null;
    thread.unref();
    if (waiter) how(waiter);
  };
  const fail = (error: Error) => {
    failure ??= error;
    settle(({ reject }) => reject(failure));
  };
  thread.on('message', (answer: Answer) => settle(({ resolve }) => resolve(answer)));
  thread.on('error', fail);
  thread.on('exit', () => fail(new Error('the search for neighbours ended without an answer')));
  const onAbort = () => settle(({ reject }) => reject(signal.reason));
  signal.addEventListener('abort', onAbort);

  function ask(question: Question): Promise<Answer> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason);
      if (failure) return reject(failure);
      waiting = { resolve, reject };
      // Somebody waits for it: the process stays alive until then.
      thread.ref();
      thread.postMessage(question, 'vectors' in question ? [question.vectors.buffer as ArrayBuffer] : []);
    });
  }
  return {
    setQueries: async (vectors) => void (await ask({ ask: 'queries', vectors })),
    addTile: async (vectors, firstIndex) => void (await ask({ ask: 'tile', vectors, firstIndex })),
    finish: async () => (await ask({ ask: 'finish' }))!,
    async close() {
      signal.removeEventListener('abort', onAbort);
      thread.off('exit', fail);
      await thread.terminate();
    },
  };
}
