import { closeCalls, type Database, type ModelBatch, type OwnedCall, type SendLimits } from '@slowwave/db';
import type { BatchApi, Prices } from '@slowwave/models';
import type { Queues } from '@slowwave/queue';
import type { Logger } from 'pino';
import type { ModelCall } from '../model-calls.ts';
import type { BatchFailpoints } from './failpoints.ts';
import type { BatchSettings } from './options.ts';
import { groupBy } from './pages.ts';

/** Results of a page: as many as are held in memory with ease, with their answers. */
export const PAGE_SIZE = 1_000;

/** What whoever sends batches and fetches their results works with. */
export interface BatchDeps {
  database: Database;
  queues: Pick<Queues, 'addBulk'>;
  api: BatchApi;
  /** As the provider is called in the books. */
  provider: string;
  prices: Prices;
  settings: BatchSettings;
  logger: Logger;
  /** Epoch ms. */
  now: () => number;
  /** Told of every question that was answered, or not. */
  onCall?: (call: ModelCall) => void;
  /** How much one batch holds; by default as much as is held in memory with ease. */
  limits?: SendLimits;
  /** Results that are read and stored at a time, 1 to PAGE_SIZE; by default PAGE_SIZE. */
  pageSize?: number;
  /** Tests only. */
  failpoints?: BatchFailpoints;
}

/** Closes what was reserved, in one transaction for each user: see OwnedCall. */
export async function closeAll(
  { database }: Pick<BatchDeps, 'database'>,
  tenant: string,
  calls: readonly OwnedCall[],
  state: 'released' | 'lapsed',
): Promise<void> {
  for (const [user, ofUser] of groupBy(calls, (call) => call.user)) {
    const ends = ofUser.map(({ callId }) => ({ id: callId, end: { state } }));
    await database.withTenant(tenant, (tx) => closeCalls(tx, { tenant, user }, ends));
  }
}

/** The names of a batch that go with every log line. */
export function logOf({ tenant, id, model }: ModelBatch): { tenant: string; batch: string; model: string } {
  return { tenant, batch: id, model };
}
