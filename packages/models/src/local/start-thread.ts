import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { ThreadOptions } from './protocol.ts';

/** Starts the thread's module, as built or from source, where its TypeScript has to be loaded like ours. */
export function startThread(options: ThreadOptions): Worker {
  const how = { name: 'local-embedder', workerData: options };
  if (!import.meta.url.endsWith('.ts'))
    return new Worker(new URL('./thread.js', import.meta.url), { ...how, execArgv: [] });
  // Loaded as CommonJS, which takes a third of the time: a loader of modules has a thread of its own.
  const loader = createRequire(import.meta.url).resolve('tsx/cjs/api');
  const module = fileURLToPath(new URL('./thread.ts', import.meta.url));
  const text = `require(${JSON.stringify(loader)}).register(); require(${JSON.stringify(module)});`;
  return new Worker(text, { ...how, eval: true, execArgv: ['--conditions=source'] });
}
