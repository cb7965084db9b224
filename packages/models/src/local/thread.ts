import { setImmediate as turn } from 'node:timers/promises';
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { type Extractor, openExtractor, TroubleError } from './extractor.ts';
import type { Answer, Question, ThreadOptions } from './protocol.ts';

/**
 * The thread of the local embedder. It loads the model with the first question and keeps it; every question gets one answer. The
 * caller asks one after another.
 */
function serve(port: MessagePort, options: ThreadOptions): void {
  let extractor: Promise<Extractor> | null = null;
  let stopped = -1;

  async function answer(id: number, texts: readonly string[]): Promise<Answer> {
    extractor ??= openExtractor(options);
    const extract = await extractor;
    const rows: Float32Array[] = [];
    for (const text of texts) {
      // A turn of the thread, so that a stop is heard between two texts.
      await turn();
      if (stopped >= id) return { id, status: 'stopped' };
      rows.push(await extract(text));
    }
    const dimensions = rows[0]?.length ?? 0;
    if (rows.some(({ length }) => length !== dimensions)) throw new TroubleError({ kind: 'no_vectors' });
    const vectors = new Float32Array(rows.length * dimensions);
    for (const [i, row] of rows.entries()) vectors.set(row, i * dimensions);
    return { id, status: 'done', vectors, dimensions };
  }

  port.on('message', async (question: Question) => {
    if (question.ask === 'stop') {
      stopped = Math.max(stopped, question.id);
      return;
    }
    const { id, texts } = question;
    const said = await answer(id, texts).catch((error: unknown): Answer => {
      // Anything else is a mistake here: it ends the thread, and the caller learns that it has ended.
      if (!(error instanceof TroubleError)) throw error;
      return { id, status: 'failed', trouble: error.trouble };
    });
    port.postMessage(said, said.status === 'done' ? [said.vectors.buffer as ArrayBuffer] : []);
  });
}

serve(parentPort!, workerData as ThreadOptions);
