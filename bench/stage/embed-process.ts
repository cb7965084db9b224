/**
 * A process of its own that embeds what a user is missing, so that its memory is that of this work alone. Its argument is what to do as
 * JSON; what it measured goes to the process that started it.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { openServer } from '@slowwave/db';
import { embedMissing } from '@slowwave/worker';
import { sql } from 'drizzle-orm';
import { seededRandom, seedOf } from '../random.ts';
import { embedContext, embedderOf, makeVectors, TENANT } from './stored-vectors.ts';

export interface EmbedTask {
  url: string;
  user: string;
  seed: number;
  from: number;
  to: number;
  dimensions: number;
}

export interface EmbedFigures {
  grownBytes: number;
  ms: number;
  embedded: number;
  /** Times that neighbours were asked for meanwhile, and the longest that took, ms. */
  served: number;
  longestMs: number;
  /** The longest that the main thread did not turn, ms. */
  stillMs: number;
}

const LOOK_EVERY_MS = 5;
const SERVE_EVERY_MS = 20;

async function measure(task: EmbedTask): Promise<EmbedFigures> {
  const { user, from, to, dimensions } = task;
  const database = await openServer({ url: task.url, poolSize: 4, connectTimeoutMs: 10_000 });
  const vectors = makeVectors(seededRandom(seedOf(task.seed, 'fresh')), { from, to, dimensions });
  const context = embedContext(database, user, embedderOf(vectors, dimensions));
  const serve = async (): Promise<number> => {
    const begun = performance.now();
    await database.withTenant(TENANT, (tx) =>
      tx.rows(sql`
        select neighbour_id, cosine from slowwave.neighbours
        where tenant = ${TENANT} and user_id = ${user} and memory_id = (
          select id from slowwave.memories where tenant = ${TENANT} and user_id = ${user} and external_id = 'memory 0')`),
    );
    return performance.now() - begun;
  };
  await serve();
  (globalThis as { gc?: () => void }).gc?.();
  const before = process.memoryUsage.rss();
  const figures = { peak: before, served: 0, longestMs: 0 };
  const looking = setInterval(() => {
    figures.peak = Math.max(figures.peak, process.memoryUsage.rss());
  }, LOOK_EVERY_MS);
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  let done = false;
  const serving = (async () => {
    while (!done) {
      figures.longestMs = Math.max(figures.longestMs, await serve());
      figures.served += 1;
      await sleep(SERVE_EVERY_MS);
    }
  })();
  const begun = performance.now();
  const { embedded } = await embedMissing(context);
  const ms = performance.now() - begun;
  done = true;
  await serving;
  clearInterval(looking);
  delay.disable();
  await database.close();
  const { peak, served, longestMs } = figures;
  return { grownBytes: peak - before, ms, embedded, served, longestMs, stillMs: delay.max / 1e6 };
}

const figures = await measure(JSON.parse(process.argv[2]!) as EmbedTask);
process.send!(figures, () => process.exit(0));
