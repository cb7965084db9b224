import {
  type GivenMemory,
  type GivenResult,
  getMemory,
  pageMemories,
  type Transaction,
  writeGiven,
} from '@slowwave/db';
import { sql } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { DATABASES } from '../fixtures/databases.ts';
import { DAY, NOW } from '../fixtures/memories.ts';
import { ownDatabase } from '../fixtures/own-database.ts';

describe.each(DATABASES)('memories that a caller gives (%s)', (_name, open) => {
  const tenant = 't';
  const { inTenant, rows, nextUser } = ownDatabase(open);
  const give = (user: string, ...memories: GivenMemory[]): Promise<GivenResult> =>
    inTenant((tx) => writeGiven(tx, { tenant, user, at: NOW, maxContentChars: 1_000, memories }));
  const statusesOf = ({ outcomes }: GivenResult) =>
    outcomes.map((outcome) => (outcome.status === 'refused' ? outcome.code : outcome.status));

  it('stand under one id, whoever comes first, and nobody is told that other words were kept', async () => {
    for (let round = 0; round < 10; round++) {
      const user = nextUser();
      const contents = ['one', 'two', 'one', 'two'];
      const results = await Promise.all(
        contents.map((content, i) => give(user, { content, externalId: 'a', documentDate: NOW - i * DAY })),
      );
      const [stored] = await rows<{ id: string; content: string }>(
        sql`select id, content from slowwave.memories where user_id = ${user}`,
      );
      expect(results.filter((result) => statusesOf(result)[0] === 'written').length).toBeGreaterThan(0);
      for (const [i, { outcomes }] of results.entries()) {
        const [outcome] = outcomes;
        if (contents[i] === stored!.content) expect(outcome).toMatchObject({ id: stored!.id });
        else expect(outcome).toMatchObject({ status: 'refused', code: 'id_taken' });
      }
    }
  });

  it('are known in cold storage too', async () => {
    const user = nextUser();
    const given = { content: 'long ago', externalId: 'old', documentDate: NOW - 900 * DAY };
    const { outcomes } = await give(user, given);
    const { id } = outcomes[0] as { id: string };
    await rows(sql`
      insert into slowwave.cold_memories (tenant, user_id, id, memory, relations, fusion_sources, utility, pruned_at)
      select tenant, user_id, id, to_jsonb(m) - 'words', '[]', '[]', 0, now() from slowwave.memories m where user_id = ${user}`);
    await rows(sql`delete from slowwave.memories where user_id = ${user}`);
    const again = await give(user, given);
    expect(again.outcomes).toEqual([{ status: 'known', user, externalId: 'old', id }]);
    expect(statusesOf(await give(user, { ...given, content: 'other' }))).toEqual(['id_taken']);
    expect(await rows(sql`select 1 from slowwave.memories where user_id = ${user}`)).toEqual([]);
  });

  it('cost as many statements whether they are one or five hundred', async () => {
    const count = async (many: number): Promise<number> => {
      let statements = 0;
      const memories = Array.from({ length: many }, (_, i) => ({
        content: `memory ${i}`,
        externalId: `m${i}`,
        relations: [{ type: 'EXTENDS' as const, target: 'm0', confidence: 0.5 }].slice(i === 0 ? 1 : 0),
      }));
      await inTenant((tx) => {
        const counted: Transaction = {
          rows: (query) => {
            statements++;
            return tx.rows(query);
          },
        };
        const user = nextUser();
        return writeGiven(counted, { tenant, user, at: NOW, maxContentChars: 100, memories });
      });
      return statements;
    };
    const few = await count(2);
    expect(few).toBeLessThan(10);
    expect(await count(500)).toBe(few);
  });

  it('are listed the newest first, and read one by one', async () => {
    const user = nextUser();
    const memories = [3, 1, 2].map((days) => ({
      content: `of ${days} days ago`,
      externalId: String(days),
      documentDate: NOW - days * DAY,
    }));
    await give(user, ...memories);
    const first = await inTenant((tx) => pageMemories(tx, { tenant, user, at: NOW, limit: 2 }));
    const cursor = first.nextCursor ?? undefined;
    const second = await inTenant((tx) => pageMemories(tx, { tenant, user, at: NOW, limit: 2, cursor }));
    const all = [...first.rows, ...second.rows];
    expect(all.map(({ externalId }) => externalId)).toEqual(['1', '2', '3']);
    expect(second.nextCursor).toBeNull();
    for (const memory of all) {
      const one = await inTenant((tx) => getMemory(tx, { tenant, user, id: memory.id, at: NOW }));
      expect(one).toMatchObject(memory);
    }
  });
});
