import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { ThreadOptions } from './protocol.ts';

/** Starts the thread's module, as built or from source, where its TypeScript has to be loaded like ours. */
export function startThread(options: ThreadOptions): Worker {
  const how = { name: 'local-embedder', workerData: options };
  if (!import.meta.url.endsWith('.ts'))
    return new Worker(new URL('./thread.js', import.meta.url), { ...how, execArgv: [] });
  // Resolved as by require, which gives the way for CommonJS: the one for modules stands beside it.
  const beside = pathToFileURL(createRequire(import.meta.url).resolve('tsx/esm/api'));
  const loader = new URL('./index.mjs', beside).href;
  const module = new URL('./thread.ts', import.meta.url).href;
  const text = `import('${loader}').then((tsx) => { tsx.register(); return import('${module}'); })`;
  return new Worker(text, { ...how, eval: true, execArgv: ['--conditions=source'] });
}
