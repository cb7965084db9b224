import { appendMessages, setUserSettings } from '@slowwave/db';
import { type LLMProvider, ModelError, type TIERS } from '@slowwave/fusion';
import { sql } from 'drizzle-orm';
import { FACT_SCRIPT } from '../../fakes/fact-model.ts';
import { createJoiningProvider } from '../../fakes/joining-provider.ts';
import type { BackendFixture } from '../../fixtures/backends.ts';
import { setDue } from '../../fixtures/dues.ts';
import { DAY, newMemory, seedChains } from '../../fixtures/memories.ts';
import { until } from '../../fixtures/wait.ts';
import { startWorker } from '../../fixtures/workers.ts';
import type { Tally } from '../types.ts';
import { canaryOf, sentenceOf, stormFacts } from './facts.ts';
import { createInvariants, type Given, type Invariants, type SecondPass, type Snapshot } from './index.ts';

export const tenant = 't';
/** Ana says one thing twice and has a conversation, ben's is the plain case, eva is asked first, fay's fusion fails for good. */
export const PEOPLE = ['ana', 'ben', 'eva', 'fay'] as const;
/** A thing of the same kind, in the same place, under another code. */
const SAME_THING = 16;

/** People whose memories were consolidated as in service, and how they were before. */
export interface Consolidated {
  backend: BackendFixture;
  invariants: Invariants;
  snapshot: Snapshot;
  given(): Given;
  /** Runs what was asked for, as ticks do, and waits for its end. */
  pass: SecondPass;
  stopWorker(): Promise<void>;
  drop(): Promise<void>;
}

export async function consolidated(open: () => Promise<BackendFixture>): Promise<Consolidated> {
  const backend = await open();
  const invariants = createInvariants({
    database: backend.database,
    queues: backend.queues,
    redis: backend.prefix === null ? null : { url: backend.queueUrl!, prefix: backend.prefix },
    tenants: [tenant],
  });
  await seedPeople(backend);
  const snapshot = await invariants.snapshot();
  const asked = countedProvider();
  const { log, close } = await startWorker(backend, asked.provider);
  const settle = () => settled(backend, invariants);
  await ask(backend);
  await settle();
  return {
    backend,
    invariants,
    snapshot,
    given: () => ({
      snapshot,
      logs: log,
      tally: { kills: 0, timeouts: 0, cuts: 0, flushedAt: null, ...asked.counts() },
    }),
    pass: { settle, calls: () => asked.counts().calls },
    stopWorker: close,
    async drop() {
      await close();
      await backend.drop();
    },
  };
}

async function seedPeople({ database }: BackendFixture): Promise<void> {
  const at = Date.now();
  const beside = { ana: 1, eva: SAME_THING + 1 } as Record<string, number>;
  for (const user of PEOPLE) {
    const of = { tenant, user };
    const nth = beside[user];
    const more =
      nth === undefined
        ? []
        : [newMemory(user, 'beside', sentenceOf(of, nth), { documentDate: at - 120 * DAY })];
    await seedChains(database, { tenant, user, chains: [...stormFacts(of, [4], at), more] });
  }
  await database.withTenant(tenant, async (tx) => {
    await setUserSettings(tx, { tenant, user: 'eva', mode: 'review', at });
    const messages = [1, 2, 3, 1].map((nth, i) => ({
      role: i % 2 === 0 ? ('user' as const) : ('assistant' as const),
      content: sentenceOf({ tenant, user: 'ana' }, nth),
      saidAt: at - 2 * DAY + i * 1_000,
    }));
    await appendMessages(tx, { tenant, user: 'ana', session: { id: 's' }, messages, at });
  });
  await setDue(database, { tenant, at: null });
}

/** The offline model, which refuses whatever is fay's. */
function countedProvider(): { provider: LLMProvider; counts(): Pick<Tally, 'calls' | 'refusals'> } {
  const good = createJoiningProvider(FACT_SCRIPT);
  const counts = { calls: 0, refusals: 0 };
  return {
    counts: () => ({ ...counts }),
    provider: {
      ...good,
      async complete(request) {
        counts.calls += 1;
        if (!JSON.stringify(request.messages).includes(canaryOf({ tenant, user: 'fay' })))
          return good.complete(request);
        counts.refusals += 1;
        throw new ModelError('invalid_request', { retryable: false, status: 400 });
      },
    },
  };
}

/** Deep is due for everybody, as the schedule has it. */
async function ask({ database, queues }: BackendFixture): Promise<void> {
  await setDue(database, { tenant, tier: 'deep', at: Date.now() - 1_000 });
  await queues.addBulk(PEOPLE.map((user) => ({ v: 1, tenant, user, tier: 'deep', why: 'schedule' })));
}

async function settled({ database, queues }: BackendFixture, invariants: Invariants): Promise<void> {
  const requested = await database.asOwner((tx) =>
    tx.rows<{ user: string; tier: (typeof TIERS)[number]; runId: string }>(sql`
      select user_id as "user", tier, requested_run as "runId" from slowwave.user_tiers where requested_run is not null`),
  );
  for (const one of requested) await queues.addAdhoc({ v: 1, tenant, why: 'adhoc', ...one });
  // A wake-up of light that the fusion left behind has no ticks to carry it here.
  await until('everything to be done', async () => {
    await setDue(database, { tenant, tier: 'light', at: null });
    return (await invariants.quiescent()) === null;
  });
}
