import { parentPort, workerData } from 'node:worker_threads';
import { createKernel, createNearest, type Nearest, type NearestResult } from '@slowwave/fusion/nearest';

/** What the search compares, and how many it keeps. */
export interface SearchOptions {
  dimensions: number;
  limit: number;
  /** The least cosine, inclusive. */
  floor: number;
}

/** Arrays are handed over, not copied. */
export type Question =
  | { ask: 'queries'; vectors: Float32Array }
  | { ask: 'tile'; vectors: Float32Array; firstIndex: number }
  | { ask: 'finish' };
export type Answer = NearestResult | null;

/**
 * The thread of a search for neighbours: each question is answered once it is done, one after another. Comparing takes seconds, and the
 * main thread has locks and leases to renew meanwhile. The rows numbered from 0 are the queries themselves.
 */
function serve(options: SearchOptions): void {
  const kernel = createKernel();
  let nearest: Nearest | null = null;
  parentPort!.on('message', (question: Question) => {
    if (question.ask === 'queries') {
      const count = question.vectors.length / options.dimensions;
      nearest = createNearest({ ...options, kernel });
      nearest.setQueries(
        question.vectors,
        Uint32Array.from({ length: count }, (_, i) => i),
      );
      nearest.addTile(question.vectors, 0);
      parentPort!.postMessage(null);
    } else if (question.ask === 'tile') {
      nearest!.addTile(question.vectors, question.firstIndex);
      parentPort!.postMessage(null);
    } else {
      parentPort!.postMessage(nearest!.finish());
      nearest = null;
    }
  });
}

serve(workerData as SearchOptions);
