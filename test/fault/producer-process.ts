/** A producer process of this suite. Its only argument is its settings (ProducerSettings), as JSON. */
import { enterProcess } from './enter-process.ts';

void enterProcess(() => import('./run-producer.ts'));
