/** Everything in one process, on a folder. Its only argument is its settings (EmbeddedSettings), as JSON. */
import { enterProcess } from './enter-process.ts';

void enterProcess(() => import('./run-embedded.ts'));
