import { getUserProfile } from '@slowwave/db';
import { sql } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { batchNights, billOf } from '../fixtures/batch-nights.ts';
import { DATABASES } from '../fixtures/databases.ts';
import { seedWholeNight } from '../fixtures/whole-night.ts';

/** One pair of them is two steps apart: for any more, the questions of two nights would not be the same. */
const WORDS = ['lamp', 'kettle', 'basket'];

describe.each(DATABASES)('a whole night in batches (%s)', (_name, open) => {
  const { database, begin } = batchNights(open);

  /** What came of a night, whichever ids it was given. */
  const outcomeOf = (tenant: string, user: string) =>
    database.withTenant(tenant, async (tx) => ({
      memories: await tx.rows<{ learned: string | null }>(sql`
        select content, category, memory_type as type, importance, learned_from as learned, is_latest as latest
        from slowwave.memories where user_id = ${user} order by content, memory_type`),
      hypotheses: await tx.rows(sql`
        select least(s.content, t.content) as one, greatest(s.content, t.content) as other, r.confidence, r.explanation from slowwave.relations r
        join slowwave.memories s on s.tenant = r.tenant and s.user_id = r.user_id and s.id = r.source_id
        join slowwave.memories t on t.tenant = r.tenant and t.user_id = r.user_id and t.id = r.target_id
        where r.user_id = ${user} and r.hypothesis order by 1, 2`),
      conflicts: await tx.rows(sql`
        select status, type, slot, description from slowwave.conflicts where user_id = ${user}`),
      profile: (await getUserProfile(tx, { tenant, user }))?.profile,
    }));

  it('comes to the same as one that is asked for directly: labels, fusions, hypotheses and insights, each question once', async () => {
    const { server, stage, canary } = await begin({ promptCache: false });
    const { tenant } = stage;
    for (const user of ['direct', 'batched'])
      await seedWholeNight(database, { tenant, user, canary, words: WORDS, disputed: true });
    await stage.night('direct', { collect: false });
    const directly = { ...server.billed };
    const outcome = await outcomeOf(tenant, 'direct');
    expect(outcome.memories.filter(({ learned }) => learned === 'nrem_consolidation')).toHaveLength(1);
    expect(outcome.memories.filter(({ learned }) => learned === 'self_reflection')).toHaveLength(1);
    expect(outcome.hypotheses).toHaveLength(1);
    expect(outcome.conflicts).toEqual([expect.objectContaining({ type: expect.any(String) })]);

    const first = await stage.night('batched');
    expect(first.run.report).toMatchObject({ spend: { calls: 0 } });
    await stage.settle({ rounds: 20 });
    expect(await outcomeOf(tenant, 'batched')).toEqual(outcome);
    expect(server.billed).toMatchObject({
      directCalls: directly.directCalls,
      batchedCalls: directly.directCalls,
    });
    // Rounded up for each call: to half a nano-dollar.
    const batched = server.billed.nanos - directly.nanos;
    expect(Math.abs(Number(2n * batched - directly.nanos))).toBeLessThanOrEqual(2 * directly.directCalls);
    expect(await stage.requests()).toEqual([]);
    expect((await stage.spend('batched')).tenant_day).toEqual({
      spent: billOf(server),
      reserved: { tokens: 0, nanos: 0n },
    });
    expect(stage.log.join()).not.toContain(canary);
  });
});
