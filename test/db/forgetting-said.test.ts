import { getUserProfile, listIdleSessions, storeReflection } from '@slowwave/db';
import { sql } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { DATABASES } from '../fixtures/databases.ts';
import { forgettingPeople, forgettingTalks, TEXT } from '../fixtures/forgetting.ts';
import { DAY, NOW } from '../fixtures/memories.ts';

const tenant = 't';

describe.each(DATABASES)('forgetting what was said (%s)', (_name, open) => {
  const people = forgettingPeople(open);
  const { inTenant, rows, forgetting, person, fuse, whyOf, findIn } = people;
  const { talk, summarise, said, learn } = forgettingTalks(people);

  describe('what was said of it', () => {
    it('goes: in its own session what says the same, elsewhere what holds its words', async () => {
      const { user } = await person(2, { session: 'own' });
      await talk(user, 'own', ['i was in quillbrook', 'How nice.', 'The weather is fine.', `So: ${TEXT}`]);
      await talk(user, 'other', [
        'i was in quillbrook',
        `ANA keeps the zymurgist-4711 in the quillbrook  CELLAR!`,
        'Bye.',
      ]);
      await talk(user, 'apart', ['Nothing of it.']);
      await summarise(user, 'own', 'About the zymurgist-4711.', 4);
      await summarise(user, 'other', 'About something.', 3);
      await summarise(user, 'apart', 'About nothing.', 1);
      const { removed } = await forgetting(user, { memory: 'a' });
      expect(removed).toMatchObject({ messages: 3, summaries: 2, sessions: 0 });
      expect(await said(user, 'own')).toEqual(['1 How nice.', '2 The weather is fine.']);
      expect(await said(user, 'other')).toEqual(['1 i was in quillbrook', '2 Bye.']);
      const sessions = await rows(sql`
        select id, message_count as count, summarized_count as covered from slowwave.sessions where user_id = ${user} order by id`);
      expect(sessions).toEqual([
        { id: 'apart', count: 1, covered: 1 },
        { id: 'other', count: 2, covered: 0 },
        { id: 'own', count: 2, covered: 0 },
      ]);
      // What follows goes on from there, and what is left is summarised anew.
      await talk(user, 'own', ['One more.', 'And more.']);
      expect(await said(user, 'own')).toHaveLength(4);
      const idle = await inTenant((tx) =>
        listIdleSessions(tx, { tenant, user, at: NOW + DAY, idleMs: 0, minMessages: 4, limit: 9 }),
      );
      expect(idle).toMatchObject([{ id: 'own', messageCount: 4, summarizedCount: 0 }]);
    });

    it('goes from what was learned of it: insights, profile, behaviour', async () => {
      const { user } = await person(2, { session: 's' });
      await talk(user, 's', [TEXT, 'Fine.', 'x', 'y']);
      await summarise(user, 's', 'About the zymurgist-4711.', 4);
      await learn(user, 's');
      const result = await forgetting(user, { memory: 'a' });
      expect(Object.values(whyOf(result)).sort()).toEqual(['asked', 'derived']);
      expect(result.removed.profiles).toBe(1);
      const profile = await inTenant((tx) => getUserProfile(tx, { tenant, user }));
      expect(profile).toMatchObject({
        profile: null,
        profileAt: null,
        behaviour: null,
        behaviourThrough: null,
      });
      expect(await findIn(user, ['zymurgist'])).toEqual([]);
    });

    it('stays untouched where nothing of it was said', async () => {
      const { user } = await person(2, { session: 's' });
      await talk(user, 'far', ['Something else.', 'Fine.', 'x', 'y']);
      await summarise(user, 'far', 'About birds.', 4);
      await inTenant((tx) =>
        storeReflection(tx, {
          tenant,
          user,
          runId: null,
          at: NOW,
          profile: 'Is brief.',
          insights: [{ content: 'Likes birds.', sessionIds: ['far'] }],
          sessionIds: ['far'],
          confidence: 0.6,
          trust: 0.5,
        }),
      );
      const { removed } = await forgetting(user, { memory: 'a' });
      expect(removed).toMatchObject({ messages: 0, summaries: 0, profiles: 0 });
      expect(removed.memories).toHaveLength(1);
      expect(await inTenant((tx) => getUserProfile(tx, { tenant, user }))).toMatchObject({
        profile: 'Is brief.',
      });
    });

    it('goes from questions: those that brought it back, hold it, or are a part of it', async () => {
      const { user, id } = await person(3);
      const ask = (query: string, hit: string | null) =>
        rows(sql`
          with asked as (
            insert into slowwave.recall_events (tenant, user_id, id, query, recalled_at, hits)
            values (${tenant}, ${user}, gen_random_uuid(), ${query}, now(), 1) returning id
          )
          insert into slowwave.recall_hits (tenant, user_id, event_id, memory_id, position, score)
          select ${tenant}, ${user}, asked.id, ${hit}::uuid, 1, 1 from asked where ${hit}::uuid is not null`);
      await ask('what brought it back', id.a!);
      await ask(`is it so that ${TEXT}`, null);
      await ask('QUILLBROOK  cellar', null);
      await ask('what brought another back', id.b!);
      await ask('?', null);
      expect((await forgetting(user, { memory: 'a' })).removed.recallEvents).toBe(3);
      const left = await rows(
        sql`select query from slowwave.recall_events where user_id = ${user} order by 1`,
      );
      expect(left).toEqual([{ query: '?' }, { query: 'what brought another back' }]);
    });
  });

  describe('a session', () => {
    it('goes with all that was said in it and made of it', async () => {
      const { user, id } = await person(3);
      await rows(sql`update slowwave.memories set session = 's' where id in (${id.a}::uuid, ${id.b}::uuid)`);
      const { derivedId } = await fuse(user, ['b', 'c']);
      await talk(user, 's', ['Anything.', 'At all.', 'x', 'y']);
      await talk(user, 'far', [TEXT, 'Bye.']);
      await summarise(user, 's', 'About anything.', 4);
      await learn(user, 's');
      await rows(sql`
        insert into slowwave.feedback (tenant, user_id, id, kind, session_id, given_at)
        values (${tenant}, ${user}, gen_random_uuid(), 'accepted', 's', now())`);
      const result = await forgetting(user, { session: 's' });
      const why = whyOf(result);
      expect(why).toMatchObject({ [id.a!]: 'session', [id.b!]: 'session', [derivedId]: 'derived' });
      expect(Object.keys(why)).toHaveLength(4);
      expect(result.reopened).toEqual([id.c]);
      expect(result.removed).toMatchObject({
        sessions: 1,
        messages: 5,
        summaries: 1,
        feedback: 1,
        profiles: 1,
      });
      expect(
        await rows(sql`select session_id as session from slowwave.feedback where user_id = ${user}`),
      ).toEqual([{ session: null }]);
      expect(await said(user, 'far')).toEqual(['1 Bye.']);
      expect(await rows(sql`select id from slowwave.sessions where user_id = ${user}`)).toEqual([
        { id: 'far' },
      ]);
      expect(await findIn(user, ['zymurgist'])).toEqual([]);
      await expect(forgetting(user, { session: 's' })).rejects.toMatchObject({ code: 'unknown_session' });
    });

    it('may have memories alone, or messages alone', async () => {
      const { user, id } = await person(2);
      await rows(sql`update slowwave.memories set session = 'only' where id = ${id.a}::uuid`);
      await talk(user, 'talk', ['Fine.']);
      expect(whyOf(await forgetting(user, { session: 'only' }))).toEqual({ [id.a!]: 'session' });
      expect((await forgetting(user, { session: 'talk' })).removed).toMatchObject({
        sessions: 1,
        messages: 1,
      });
    });
  });
});
