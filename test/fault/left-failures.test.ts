import { type LLMProvider, ModelError } from '@slowwave/fusion';
import { createOfflineProvider } from '@slowwave/models';
import { describe, expect, it } from 'vitest';
import { DATABASES } from '../fixtures/databases.ts';
import { NOW } from '../fixtures/memories.ts';
import { runTier, seedPerson } from '../fixtures/tier-runs.ts';
import { stormFacts } from './invariants/facts.ts';

const HOUR = 3_600_000;
const ana = { tenant: 't', user: 'ana' };

describe.each(DATABASES)('a fusion that failed for good (%s)', (_name, open) => {
  it('is put before the operator by the next run, when its own run ended on the way there', async () => {
    const { database, drop } = await open();
    try {
      await seedPerson(database, { ...ana, chains: stormFacts(ana, [4], NOW), at: NOW });
      let calls = 0;
      const provider: LLMProvider = {
        ...createOfflineProvider(),
        async complete() {
          calls += 1;
          throw new ModelError('invalid_request', { retryable: false, status: 400 });
        },
      };
      const deep = (hours: number, more: object = {}) =>
        runTier(database, { ...ana, tier: 'deep', at: NOW + hours * HOUR }, { provider, ...more });
      // As when the process ends, or the queue's server is away: the ledger has it, the queue does not.
      const gone = async () => {
        throw Object.assign(new Error('gone'), { code: 'ECONNRESET' });
      };
      const first = await deep(0, { queues: { addFusion: gone, rateLimit: async () => {} } });
      expect(first.run.status).toBe('failed');
      const second = await deep(1);
      expect(second.run.status).toBe('completed');
      expect(second.fusions).toEqual([
        expect.objectContaining({ ...ana, tier: 'deep', runId: second.run.id }),
      ]);
      // Once there, it is not put there again, and nothing was asked about it twice.
      expect((await deep(8)).fusions).toEqual([]);
      expect(calls).toBe(1);
    } finally {
      await drop();
    }
  }, 60_000);
});
