import { openServer } from '@slowwave/db';
import { createModels } from '@slowwave/models';
import { createProducer } from '@slowwave/producer';
import { connectOptionsWithin, connectQueues } from '@slowwave/queue';
import { createLogger } from '@slowwave/worker';
import type { Armed } from './armed.ts';
import type { Running } from './enter-process.ts';
import type { WorkerSettings } from './types.ts';

/** What a producer process of this suite is told. */
export interface ProducerSettings
  extends Pick<WorkerSettings, 'databaseUrl' | 'backend' | 'graceMs' | 'clockShiftMs' | 'armed' | 'standby'> {
  tickMs: number;
  /** A wake-up put in the queue longer ago than this, and not taken up since, counts as lost, ms. */
  requeueAfterMs: number;
  operatorToken: string;
}

/** Servers of this suite come and go: whoever starts while one is away waits for it. */
const CONNECT_TIMEOUT_MS = 60_000;
const POOL_SIZE = 4;

/** The ticks and the HTTP service of a process, as the product makes them, on a free port. */
export async function startProducer(
  settings: Pick<ProducerSettings, 'tickMs' | 'requeueAfterMs' | 'operatorToken'>,
  parts: Pick<Parameters<typeof createProducer>[0], 'database' | 'queues' | 'embedder' | 'logger'>,
): Promise<Pick<ReturnType<typeof createProducer>, 'close'>> {
  const producer = createProducer({
    ...parts,
    config: {
      http: {
        host: '127.0.0.1',
        port: 0,
        allowedHosts: [],
        operatorToken: settings.operatorToken,
        ratePerMinute: 0,
        bodyMaxBytes: 1024 * 1024,
        trustProxy: false,
      },
      producer: { tickMs: settings.tickMs, queueCap: 1_000 },
      maxMemoryChars: 4_000,
      overdueMs: 60_000,
    },
    now: Date.now,
    version: '0.0.0',
    timing: { requeueAfterMs: settings.requeueAfterMs, watchEveryMs: 1_000 },
  });
  await producer.listen();
  await producer.startTicks();
  return producer;
}

/** A producer process, on the servers that the settings name. */
export async function run(settings: ProducerSettings, _armed: Armed): Promise<Running> {
  const logger = createLogger('warn').child({ app: 'producer' });
  const database = await openServer({
    url: settings.databaseUrl,
    poolSize: POOL_SIZE,
    connectTimeoutMs: CONNECT_TIMEOUT_MS,
  });
  const queues = await connectQueues(settings.backend, {
    connect: connectOptionsWithin(CONNECT_TIMEOUT_MS),
    onError: (event) => logger.warn(event, 'queue error'),
  });
  const { embedder } = createModels({ model: { provider: 'none' }, embedder: { embedder: 'offline' } });
  const producer = await startProducer(settings, { database, queues, embedder, logger });
  return {
    async close() {
      await producer.close(settings.graceMs);
      await queues.close();
      await database.close();
    },
  };
}
