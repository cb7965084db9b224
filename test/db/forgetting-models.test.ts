import { findAnswer, reportConflicts, storeAnswer, storeVerdicts } from '@slowwave/db';
import { sql } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { DATABASES } from '../fixtures/databases.ts';
import { forgettingPeople, forgettingTalks, TEXT } from '../fixtures/forgetting.ts';
import { NOW } from '../fixtures/memories.ts';

const tenant = 't';
const ANSWER = { stopReason: 'end_turn', inputTokens: 7, outputTokens: 3, model: 'm' };

describe.each(DATABASES)('forgetting what models made of a memory (%s)', (_name, open) => {
  const people = forgettingPeople(open);
  const { inTenant, rows, forgetting, person, findIn } = people;
  const { talk } = forgettingTalks(people);

  describe('what models made of it', () => {
    const answer = (
      user: string,
      key: string,
      of: { memoryIds?: string[]; sessionIds?: string[]; step?: 'rem' },
    ) =>
      inTenant((tx) =>
        storeAnswer(tx, {
          tenant,
          user,
          key: key.repeat(64),
          attempt: 1,
          step: of.step ?? 'summaries',
          runId: null,
          answer: { ...ANSWER, text: `{"zymurgist":"${key}"}` },
          memoryIds: of.memoryIds ?? [],
          sessionIds: of.sessionIds ?? [],
          at: NOW,
        }),
      );

    it('is emptied, and what it cost stays on record', async () => {
      const { user, id } = await person(3, { session: 's' });
      await talk(user, 's', [TEXT, 'Fine.']);
      await talk(user, 'far', ['Something else.']);
      await answer(user, 'a', { sessionIds: ['s'] });
      await answer(user, 'b', { memoryIds: [id.a!, id.b!] });
      await answer(user, 'c', { memoryIds: [id.b!, id.c!], sessionIds: ['far'] });
      expect((await forgetting(user, { memory: 'a' })).removed.answers).toBe(2);
      const kept = await rows(sql`
        select left(key, 1) as key, output, state, input_tokens::int as tokens, cardinality(memory_ids) as ids
        from slowwave.model_answers where user_id = ${user} order by 1`);
      expect(kept).toEqual([
        { key: 'a', output: '', state: 'rejected', tokens: 7, ids: 0 },
        { key: 'b', output: '', state: 'rejected', tokens: 7, ids: 0 },
        { key: 'c', output: '{"zymurgist":"c"}', state: 'unjudged', tokens: 7, ids: 2 },
      ]);
      const found = await inTenant((tx) => findAnswer(tx, { tenant, user, key: 'a'.repeat(64) }));
      expect(found.answer).toBeNull();
    });

    it('goes even where it is about others: hypotheses and verdicts of the same answer', async () => {
      const { user, id } = await person(4);
      await answer(user, 'a', { step: 'rem', memoryIds: [id.a!, id.b!, id.c!] });
      const verdict = (other: string, explanation: string) => ({
        id: other,
        version: 1,
        novelty: 4,
        plausibility: 4,
        usefulness: 4,
        accepted: true,
        explanation,
      });
      const store = (seed: string, verdicts: ReturnType<typeof verdict>[]) =>
        inTenant((tx) =>
          storeVerdicts(tx, {
            tenant,
            user,
            at: NOW,
            runId: null,
            model: 'm',
            seed: { id: seed, version: 1 },
            verdicts,
          }),
        );
      await store(id.b!, [verdict(id.a!, 'zymurgist one'), verdict(id.c!, 'as the zymurgist, so the dog')]);
      await store(id.d!, [verdict(id.c!, 'Dogs both.')]);
      const { removed } = await forgetting(user, { memory: 'a' });
      expect(removed).toMatchObject({ relations: 2, verdicts: 2, changeSets: 1, images: 2 });
      const left = await rows(sql`select explanation from slowwave.relations where user_id = ${user}`);
      expect(left).toEqual([{ explanation: 'Dogs both.' }]);
      expect(await findIn(user, ['zymurgist'])).toEqual([]);
    });

    it('takes its words off conflicts between others, which are labelled anew', async () => {
      const { user, id } = await person(4);
      const pair = { a: id.b!, b: id.c!, kind: 'ambiguous' as const, slot: 'where the zymurgist is' };
      await inTenant((tx) =>
        reportConflicts(tx, { tenant, user, runId: null, at: NOW, source: 'fusion', pairs: [pair] }),
      );
      await rows(sql`
        update slowwave.conflicts set status = 'open', type = 'ambiguous', confidence = 0.9, description = 'Both name the zymurgist.'
        where user_id = ${user}`);
      await inTenant((tx) =>
        storeAnswer(tx, {
          tenant,
          user,
          key: 'd'.repeat(64),
          attempt: 1,
          step: 'conflicts',
          runId: null,
          answer: { ...ANSWER, text: 'zymurgist' },
          memoryIds: [id.a!, id.b!, id.c!, id.d!],
          sessionIds: [],
          at: NOW,
        }),
      );
      expect((await forgetting(user, { memory: 'a' })).removed.conflicts).toBe(0);
      const [conflict] = await rows(sql`
        select status, type, slot, description, confidence from slowwave.conflicts where user_id = ${user}`);
      expect(conflict).toEqual({
        status: 'reported',
        type: null,
        slot: null,
        description: null,
        confidence: null,
      });
      expect(await findIn(user, ['zymurgist'])).toEqual([]);
    });
  });
});
