import {
  listChangeSetsRoute,
  listConflictsRoute,
  listMemories,
  listReviewsRoute,
  readChangeSetRoute,
  readConflictRoute,
  resolveConflictRoute,
} from '@slowwave/api';
import { editMemory } from '@slowwave/db';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { seedConflict } from '../../fixtures/conflicts.ts';
import { proposeFusion } from '../../fixtures/reviews.ts';
import { type Asked, callerOf } from '../declared.ts';
import { addUsers, openStage, type Stage, tokenFor } from '../harness.ts';

type Listed = typeof listChangeSetsRoute | typeof listConflictsRoute | typeof listReviewsRoute;
const TEXTS = ['Ana grows beans.', 'Ana grows beans on the roof.', 'Ana waters beans on the roof.'];

describe('pages of what waits for people, and of what was changed', () => {
  let stage: Stage;
  let call: Awaited<ReturnType<typeof callerOf>>;
  let serial = 0;
  beforeAll(async () => {
    stage = await openStage();
    call = await callerOf(stage.newProducer().producer);
  });
  afterAll(() => stage.dispose());

  const newUser = () => `user-${++serial}`;

  /** Goes through a list two by two. @returns the given field of every entry, and how many pages there were */
  async function walk(route: Listed, items: string, field: string, asked: Asked) {
    const seen: unknown[] = [];
    for (let cursor: string | null = null, pages = 1; ; pages += 1) {
      const query: Asked['query'] = { ...asked.query, limit: 2, ...(cursor === null ? {} : { cursor }) };
      const { status, body } = await call(route, { ...asked, query });
      expect(status).toBe(200);
      seen.push(...(body[items] as Record<string, unknown>[]).map((entry) => entry[field]));
      cursor = body.nextCursor as string | null;
      if (cursor === null) return { seen, pages };
    }
  }
  const whole = async (route: Listed, items: string, field: string, asked: Asked) => {
    const { body } = await call(route, asked);
    return (body[items] as Record<string, unknown>[]).map((entry) => entry[field]);
  };

  it('reviews of everybody', async () => {
    const keys: string[] = [];
    for (let i = 0; i < 3; i += 1) {
      const user = newUser();
      await addUsers(stage.database, 'r', [user]);
      const made = { tenant: 'r', user, texts: TEXTS, summary: 'Ana grows and waters beans on the roof.' };
      keys.push((await proposeFusion(stage.database, made)).key);
    }
    const { seen, pages } = await walk(listReviewsRoute, 'reviews', 'key', { query: { tenant: 'r' } });
    expect(pages).toBe(2);
    expect(seen.toSorted()).toEqual(keys.toSorted());
    expect(seen).toEqual(await whole(listReviewsRoute, 'reviews', 'key', { query: { tenant: 'r' } }));
  });

  it('conflicts of everybody, one of which is settled by whoever the token names', async () => {
    for (let i = 0; i < 4; i += 1) await seedConflict(stage.database, { tenant: 'c', user: newUser() });
    const { seen, pages } = await walk(listConflictsRoute, 'conflicts', 'id', { query: { tenant: 'c' } });
    expect([pages, new Set(seen).size]).toEqual([2, 4]);
    const asked = { query: { tenant: 'c' } };
    expect(seen).toEqual(await whole(listConflictsRoute, 'conflicts', 'id', asked));
    const users = await whole(listConflictsRoute, 'conflicts', 'user', asked);
    const [id, user] = [seen[0] as string, users[0] as string];
    const writer = await tokenFor(stage.database, { tenant: 'c', role: 'write', name: 'assistant' });
    const headers = { authorization: writer.authorization };
    const settled = await call(resolveConflictRoute, {
      params: { id },
      body: { user, keep: 'both' },
      headers,
    });
    expect(settled.status).toBe(200);
    const shown = await call(readConflictRoute, { params: { id }, query: { user }, headers });
    expect(shown.body).toMatchObject({ tenant: 'c', status: 'resolved', actor: 'assistant' });
  });

  it('the journal of a user, by cursor and as before', async () => {
    const user = newUser();
    await addUsers(stage.database, 'j', [user]);
    const listed = await call(listMemories, { query: { tenant: 'j', user } });
    const [memory] = listMemories.answers[200].schema.parse(listed.body).memories;
    for (let i = 0; i < 5; i += 1) {
      const edit = { tenant: 'j', user, id: memory!.id, importance: i + 1, at: Date.now(), actor: null };
      await stage.database.withTenant('j', (tx) => editMemory(tx, edit));
    }
    const asked = { params: { user }, query: { tenant: 'j', memory: memory!.id } };
    const { seen, pages } = await walk(listChangeSetsRoute, 'changeSets', 'id', asked);
    const all = await whole(listChangeSetsRoute, 'changeSets', 'id', asked);
    expect(seen).toEqual(all);
    expect(pages).toBe(Math.ceil(all.length / 2));
    const query = { tenant: 'j', before: all[1] as string };
    expect(await whole(listChangeSetsRoute, 'changeSets', 'id', { params: { user }, query })).toEqual(
      all.slice(2),
    );
    const one = await call(readChangeSetRoute, {
      params: { id: all[0] as string },
      query: { tenant: 'j', user },
    });
    expect(one.body).toMatchObject({
      kind: 'edit',
      rows: [{ table: 'memories', how: 'changed', columns: { importance: { before: 4, after: 5 } } }],
    });
  });

  it('begin nowhere with the cursor of another list', async () => {
    for (let i = 0; i < 2; i += 1) await seedConflict(stage.database, { tenant: 'x', user: newUser() });
    const { body } = await call(listConflictsRoute, { query: { tenant: 'x', limit: 1 } });
    const cursor = body.nextCursor as string;
    expect(cursor).toEqual(expect.any(String));
    const other = await call(listReviewsRoute, { query: { tenant: 'x', cursor } });
    expect([other.status, other.body.code]).toEqual([400, 'invalid_request']);
    expect(other.body.detail).toContain('nextCursor of the page before');
  });
});
