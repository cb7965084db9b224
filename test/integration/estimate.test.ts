import { estimateNight, type NewMemory } from '@slowwave/db';
import { sql } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { createBilledModel } from '../fakes/billed-model.ts';
import { createStatementModel, joinNotes } from '../fakes/statement-model.ts';
import { DATABASES } from '../fixtures/databases.ts';
import { DAY, NOW, newMemory } from '../fixtures/memories.ts';
import { ownDatabase } from '../fixtures/own-database.ts';
import { embedder, runTier, seedPerson, seedSession, stateOf } from '../fixtures/tier-runs.ts';

const tenant = 't';
const PLACES = ['by the canal', 'near the old bridge', 'behind the station'];

describe.each(DATABASES)('what a night would cost (%s)', (_name, open) => {
  const { database, rows, nextUser } = ownDatabase(open, tenant);
  const estimate = (user: string) => estimateNight(database, { tenant, user, at: NOW, embedder });

  const chain = (user: string, n: number): NewMemory[] =>
    PLACES.map((place, i) =>
      newMemory(user, `c${n}-${i}`, `Ana has garden number ${n}. It lies ${place}.`, {
        documentDate: NOW - 60 * DAY,
      }),
    );

  it('is what the night then asks, to the request and nearly to the token', async () => {
    const user = nextUser();
    await seedPerson(database, { tenant, user, chains: [1, 2, 3].map((n) => chain(user, n)) });
    // Embedded beforehand, as light ticks do by day.
    await runTier(database, { tenant, user, tier: 'light', at: NOW });
    const before = await stateOf(database, { tenant, user });
    const planned = await estimate(user);
    expect(await stateOf(database, { tenant, user })).toEqual(before);
    const nrem = planned!.find(({ step }) => step === 'nrem')!;
    expect(nrem.requests).toBeGreaterThan(0);
    const model = createBilledModel();
    const { step } = await runTier(
      database,
      { tenant, user, tier: 'sleep', at: NOW },
      { provider: model.provider },
    );
    const { usage } = step('nrem').counts as {
      usage: { calls: number; inputTokens: number; outputTokens: number };
    };
    expect(usage.calls).toBe(nrem.requests);
    // The schema of the answer is in the estimate, and in no bill of the fake.
    expect(nrem.inputTokens).toBeGreaterThanOrEqual(usage.inputTokens);
    expect(nrem.inputTokens).toBeLessThan(2 * usage.inputTokens);
    expect(nrem.outputTokens).toBeGreaterThan(usage.outputTokens / 2);
    expect(nrem.outputTokens).toBeLessThan(4 * usage.outputTokens);
  });

  it('counts both votes on each statement where a language model judges', async () => {
    const user = nextUser();
    const reworded = (n: number) =>
      chain(user, n).map((memory) => ({ ...memory, content: memory.content.replace('. It lies', '') }));
    await seedPerson(database, { tenant, user, chains: [1, 2, 3].map(reworded) });
    await runTier(database, { tenant, user, tier: 'light', at: NOW });
    const of = { tenant, user, at: NOW, embedder };
    const planned = (await estimateNight(database, of))!;
    const stepOf = (name: string) => planned.find(({ step }) => step === name)!;
    expect(stepOf('judge').requests).toBe(2 * stepOf('nrem').requests);
    const model = createStatementModel({ write: joinNotes });
    const { step } = await runTier(
      database,
      { tenant, user, tier: 'sleep', at: NOW },
      { provider: model, statements: { judge: true } },
    );
    const { usage } = step('nrem').counts as { usage: { calls: number } };
    expect(usage.calls).toBe(stepOf('nrem').requests + stepOf('judge').requests);
    const without = (await estimateNight(database, { ...of, isJudged: false }))!;
    expect(without.map(({ step: name }) => name)).not.toContain('judge');
  });

  it('does not count what was asked about before and came to nothing', async () => {
    const user = nextUser();
    const reworded = (n: number) =>
      chain(user, n).map((memory) => ({ ...memory, content: memory.content.replace('. It lies', '') }));
    await seedPerson(database, { tenant, user, chains: [reworded(1)] });
    const requestsOf = async () => (await estimate(user))!.find(({ step }) => step === 'nrem')!.requests;
    expect(await requestsOf()).toBe(1);
    const model = createStatementModel({ write: () => ({ statements: [], conflicts: [] }) });
    await runTier(database, { tenant, user, tier: 'sleep', at: NOW }, { provider: model });
    expect(await requestsOf()).toBe(0);
  });

  it('is nothing for who has nothing, and for whom nothing is fused; nobody for who is not there', async () => {
    const [user, off] = [nextUser(), nextUser()];
    await seedPerson(database, { tenant, user });
    expect((await estimate(user))!.map(({ requests }) => requests)).toEqual([0, 0, 0, 0, 0]);
    await seedPerson(database, { tenant, user: off, chains: [chain(off, 1)] });
    await rows(sql`update slowwave.users set mode = 'off' where id = ${off}`);
    expect(await estimate(off)).toEqual([]);
    expect(await estimate('nobody')).toBeNull();
  });

  it('holds one reflection where sessions were summarised', async () => {
    const user = nextUser();
    await seedPerson(database, { tenant, user });
    const texts = ['I paint the fence.', 'Which colour?', 'Green.', 'A good choice.'];
    await seedSession(database, { tenant, user, id: 's1', texts, endedAt: NOW - DAY / 4 });
    const model = createBilledModel();
    await runTier(database, { tenant, user, tier: 'deep', at: NOW - 60_000 }, { provider: model.provider });
    const reflection = (await estimate(user))!.find(({ step }) => step === 'reflection');
    expect(reflection).toMatchObject({ requests: 1 });
  });
});
