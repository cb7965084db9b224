import type { Database, Question } from '@slowwave/db';
import { sql } from 'drizzle-orm';
import { beforeAll, describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS } from '../../apps/worker/src/context.ts';
import { createLook, type TierQuestion } from '../../apps/worker/src/look.ts';
import { serverFixture } from '../fixtures/databases.ts';
import { ownDatabase } from '../fixtures/own-database.ts';

const OF = {
  tenant: 't',
  user: 'ana',
  tier: 'deep',
  at: 0,
  lastSuccessAt: null,
  embedder: { model: 'none' },
  limits: DEFAULT_LIMITS,
} as const;

const asks = (name: string, expression: string): TierQuestion<unknown> => {
  const question: Question<unknown> = { value: sql.raw(`to_json(${expression})`), read: (value) => value };
  return { name, ask: () => question };
};
/** Another number each time that it is asked. */
const counted = (name: string) => asks(name, "nextval('looks')");

describe('the look of a run', () => {
  const { database } = ownDatabase(serverFixture);
  let transactions = 0;
  beforeAll(async () => {
    await database.asOwner(async (tx) => {
      await tx.rows(sql`create sequence public.looks`);
      await tx.rows(sql`grant usage on sequence public.looks to public`);
    });
  });

  const lookAt = (questions: TierQuestion<unknown>[][]) => {
    transactions = 0;
    const watched: Pick<Database, 'withTenant'> = {
      withTenant(tenant, work) {
        transactions += 1;
        return database.withTenant(tenant, work);
      },
    };
    return createLook(watched, OF, questions);
  };

  it('is one for all steps, until something is written', async () => {
    const [one, other] = [asks('one', '1'), counted('other')];
    const look = lookAt([[one], [one, other]]);
    expect(await look.seen(one)).toBe(1);
    const before = await look.seen(other);
    expect(await look.seen(other)).toBe(before);
    expect(transactions).toBe(1);
    look.changed();
    expect(await look.seen(other)).not.toBe(before);
    expect(transactions).toBe(2);
  });

  it('is kept where a write says what it changes', async () => {
    const [one, other] = [counted('one'), counted('other')];
    const look = lookAt([[one, other]]);
    const [first, second] = [await look.seen(one), await look.seen(other)];
    look.changed([one]);
    expect(await look.seen(other)).toBe(second);
    expect(await look.seen(one)).not.toBe(first);
    look.changed();
    const third = await look.seen(one);
    expect(await look.seen(one)).toBe(third);
  });

  it('asks nothing any more for steps that are over', async () => {
    const [over, next] = [asks('over', '1 / 0'), asks('next', '2')];
    const look = lookAt([[over], [next]]);
    look.reach(1);
    expect(await look.seen(next)).toBe(2);
    expect(transactions).toBe(1);
  });

  it('fails only the step whose question cannot be answered', async () => {
    const [broken, whole] = [asks('broken', '1 / 0'), asks('whole', '3')];
    const look = lookAt([[broken], [whole]]);
    await expect(look.seen(broken)).rejects.toMatchObject({ name: 'DatabaseError' });
    expect(await look.seen(whole)).toBe(3);
  });

  it('answers what no step of the tier has said that it would ask', async () => {
    expect(await lookAt([]).seen(asks('else', '4'))).toBe(4);
  });
});
