/** A worker process of this suite. Its only argument is its settings (WorkerSettings), as JSON. */
import { enterProcess } from './enter-process.ts';

void enterProcess(() => import('./run-worker.ts'));
