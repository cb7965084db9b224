import type { Worker } from 'node:worker_threads';
import { ModelError } from '@slowwave/fusion';
import { withDeadline } from '../deadline.ts';
import { aborted } from '../errors.ts';
import type { Answer, Question, ThreadOptions, Trouble } from './protocol.ts';
import { startThread } from './start-thread.ts';

export interface InferenceOptions extends ThreadOptions {
  /** Longest wait for one answer, the loading of the model included, in milliseconds. */
  timeoutMs: number;
  /** What the error of a trouble is. */
  errorOf: (trouble: Trouble) => ModelError;
}

/** A model in a thread of its own, which is started when it is first asked. */
export interface Inference {
  /** The vectors of some texts, in order. Questions are answered one after another. @throws {ModelError} */
  ask(texts: string[], signal?: AbortSignal): Promise<Float32Array[]>;
  /** Ends the thread for good; every caller that still waits, or asks later, gets `aborted`. */
  close(): Promise<void>;
}

/** A thread that is gone. What it was asked can be asked again: the next question starts another one. */
const lost = (): ModelError =>
  new ModelError('server_error', { retryable: true, hint: 'the thread of the local embedder ended' });

/** A running thread, one question at a time. */
interface Thread {
  ask(question: Question & { ask: 'vectors' }): Promise<Answer>;
  /** The answer to this question is not needed any more; it still comes, perhaps as `stopped`. */
  stop(id: number): void;
  end(error: ModelError): Promise<void>;
}

function runThread(worker: Worker, onEnd: () => void): Thread {
  worker.unref();
  let ended: ModelError | null = null;
  let waiting: { resolve: (answer: Answer) => void; reject: (error: ModelError) => void } | null = null;
  const settle = (how: (waiter: NonNullable<typeof waiting>) => void) => {
    const waiter = waiting;
    waiting = null;
    worker.unref();
    if (waiter) how(waiter);
  };
  const fail = (error: ModelError) => {
    if (ended) return;
    ended = error;
    onEnd();
    settle(({ reject }) => reject(error));
  };
  worker.on('message', (answer: Answer) => settle(({ resolve }) => resolve(answer)));
  // What the thread died of may quote a text: it goes no further.
  worker.on('error', () => fail(lost()));
  worker.on('messageerror', () => fail(lost()));
  worker.on('exit', () => fail(lost()));
  return {
    ask(question) {
      return new Promise((resolve, reject) => {
        if (ended) return reject(ended);
        waiting = { resolve, reject };
        // Its answer is waited for: the process stays alive until then.
        worker.ref();
        worker.postMessage(question);
      });
    },
    stop: (id) => worker.postMessage({ ask: 'stop', id } satisfies Question),
    async end(error) {
      fail(error);
      await worker.terminate();
    },
  };
}

/** Rejects with `aborted` as soon as the signal fires, and leaves the work to itself. */
function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work;
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(aborted());
    signal.addEventListener('abort', onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}

function rowsOf({ vectors, dimensions }: Answer & { status: 'done' }, count: number): Float32Array[] {
  return Array.from({ length: count }, (_, i) => vectors.slice(i * dimensions, (i + 1) * dimensions));
}

export function createInference(options: InferenceOptions): Inference {
  const { timeoutMs, errorOf, ...threadOptions } = options;
  let thread: Thread | null = null;
  let tail: Promise<unknown> = Promise.resolve();
  let asked = 0;
  let isClosed = false;

  function running(): Thread {
    if (thread) return thread;
    const started = runThread(startThread(threadOptions), () => {
      if (thread === started) thread = null;
    });
    thread = started;
    return started;
  }

  /** One question, from the moment when the thread is free for it until the thread is free again. */
  async function exchange(texts: string[], signal: AbortSignal | undefined) {
    if (isClosed || signal?.aborted) throw aborted();
    const used = running();
    asked += 1;
    const question = { ask: 'vectors', id: asked, texts } as const;
    const stop = () => used.stop(question.id);
    signal?.addEventListener('abort', stop, { once: true });
    try {
      const answer = await withDeadline(timeoutMs, undefined, (deadline) =>
        Promise.race([used.ask(question), whenFired(deadline)]),
      );
      return { used, answer };
    } catch (error) {
      // A thread that does not answer in time may never do so.
      if (error instanceof ModelError) await used.end(error);
      throw error;
    } finally {
      signal?.removeEventListener('abort', stop);
    }
  }

  async function answerOf(texts: string[], signal: AbortSignal | undefined): Promise<Float32Array[]> {
    const { used, answer } = await exchange(texts, signal);
    if (answer.status === 'done') return rowsOf(answer, texts.length);
    if (answer.status === 'stopped') throw aborted();
    const failure = errorOf(answer.trouble);
    // What is missing may be there the next time; a new thread looks again.
    if (answer.trouble.kind !== 'text') await used.end(failure);
    throw failure;
  }

  return {
    ask(texts, signal) {
      const work = tail.then(() => answerOf(texts, signal));
      tail = work.catch(() => {});
      return unlessAborted(work, signal);
    },
    async close() {
      isClosed = true;
      await thread?.end(aborted());
    },
  };
}

function whenFired(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
}
