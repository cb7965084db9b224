import { confirmMemory, getMemory, listMemories } from '@slowwave/api';
import { loadImport } from '@slowwave/db';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { supersede } from '../../fixtures/memory-rows.ts';
import { callerOf } from '../declared.ts';
import { openStage, type Stage, tokenFor } from '../harness.ts';

const DAY = 86_400_000;

describe('reading memories', () => {
  let stage: Stage;
  let call: Awaited<ReturnType<typeof callerOf>>;
  beforeAll(async () => {
    stage = await openStage();
    call = await callerOf(stage.newProducer().producer);
  });
  afterAll(() => stage.dispose());

  const daysAgo = (days: number) => new Date(Date.now() - days * DAY).toISOString();
  async function add(tenant: string, ...lines: object[]): Promise<void> {
    const summary = await loadImport(stage.database, lines.map((line) => JSON.stringify(line)).join('\n'), {
      format: 'jsonl',
      defaults: { tenant },
      at: Date.now(),
      maxContentChars: 1_000,
    });
    expect(summary.problems).toEqual([]);
  }
  async function list(query: Record<string, string | number | boolean>) {
    const { status, body } = await call(listMemories, { query });
    expect(status).toBe(200);
    return listMemories.answers[200].schema.parse(body);
  }
  const namesOf = ({ memories }: { memories: { externalId: string | null }[] }) =>
    memories.map(({ externalId }) => externalId);

  it('goes from page to page, each memory once, the newest first', async () => {
    const lines = Array.from({ length: 23 }, (_, i) => ({
      user: 'ana',
      id: `m${i}`,
      content: `c${i}`,
      date: daysAgo(i),
    }));
    await add('pages', ...lines, { user: 'ben', id: 'other', content: 'of ben' });
    const names: (string | null)[] = [];
    let cursor: string | null = null;
    do {
      const page = await list({
        tenant: 'pages',
        user: 'ana',
        limit: 10,
        ...(cursor === null ? {} : { cursor }),
      });
      names.push(...namesOf(page));
      cursor = page.nextCursor;
    } while (cursor !== null);
    expect(names).toEqual(lines.map(({ id }) => id));
  });

  it('by band, category, type and latest', async () => {
    const user = 'ana';
    await add(
      'filters',
      { user, id: 'fresh', content: 'a', category: 'fact', date: daysAgo(0) },
      { user, id: 'faded', content: 'b', category: 'event', date: daysAgo(20) },
      { user, id: 'gone', content: 'c', category: 'event', date: daysAgo(90) },
      {
        user,
        id: 'profile',
        content: 'd',
        category: 'fact',
        memoryType: 'static_profile',
        date: daysAgo(400),
      },
    );
    await supersede(stage.database, { tenant: 'filters', old: 'gone', by: 'faded' });
    const of = (more: Record<string, string | boolean>) =>
      list({ tenant: 'filters', user, ...more }).then(namesOf);
    expect(await of({ band: 'active' })).toEqual(['fresh', 'profile']);
    expect(await of({ band: 'dormant' })).toEqual(['faded']);
    expect(await of({ band: 'archived' })).toEqual(['gone']);
    expect(await of({ category: 'event' })).toEqual(['faded', 'gone']);
    expect(await of({ memoryType: 'static_profile' })).toEqual(['profile']);
    expect(await of({ latest: true })).toEqual(['fresh', 'faded', 'profile']);
    expect(await of({ latest: false })).toEqual(['gone']);
    expect(await of({ latest: true, category: 'event', band: 'dormant' })).toEqual(['faded']);
    const all = await list({ tenant: 'filters', user });
    expect(all.memories.map(({ externalId, band }) => [externalId, band])).toEqual([
      ['fresh', 'active'],
      ['faded', 'dormant'],
      ['gone', 'archived'],
      ['profile', 'active'],
    ]);
  });

  it('one, by our id or the writer\u2019s, with what hangs on it', async () => {
    await add(
      'one',
      { user: 'ana', id: 'old', content: 'Oslo', date: daysAgo(10) },
      {
        user: 'ana',
        id: 'new',
        content: 'Bergen',
        relations: [{ type: 'UPDATES', target: 'old' }],
        metadata: { a: 1 },
      },
    );
    await supersede(stage.database, { tenant: 'one', old: 'old', by: 'new' });
    await call(confirmMemory, { params: { id: 'new' }, body: { tenant: 'one' } });
    const found = (await call(getMemory, { params: { id: 'new' }, query: { tenant: 'one' } })).body;
    expect(found).toMatchObject({
      tenant: 'one',
      user: 'ana',
      content: 'Bergen',
      band: 'active',
      confirmations: 1,
      supersedes: 1,
      metadata: { a: 1 },
      relations: { outgoing: { UPDATES: 1 }, incoming: { UPDATES: 0 } },
      recalls: { count: 0, lastAt: null },
    });
    const id = String(found.id);
    const byId = await call(getMemory, { params: { id }, query: { tenant: 'one', user: 'ana' } });
    expect(byId.body).toMatchObject({ id, version: 1 });
    const old = await call(getMemory, { params: { id: 'old' }, query: { tenant: 'one' } });
    expect(old.body).toMatchObject({ supersededBy: id, isLatest: false, memoryType: 'superseded' });
  });

  it('that are not there, or whose is not clear, says so', async () => {
    await add('two', { user: 'ana', id: 'same', content: 'x' }, { user: 'ben', id: 'same', content: 'y' });
    const status = async (id: string, query: Record<string, string>) => {
      const reply = await call(getMemory, { params: { id }, query });
      return [reply.status, reply.body.code];
    };
    expect(await status('same', { tenant: 'two' })).toEqual([409, 'ambiguous']);
    expect(await status('same', { tenant: 'other' })).toEqual([404, 'unknown_memory']);
    expect(await status('none', { tenant: 'two', user: 'ana' })).toEqual([404, 'unknown_memory']);
    const nobody = await call(listMemories, { query: { tenant: 'two', user: 'zoe' } });
    expect([nobody.status, nobody.body.code]).toEqual([404, 'unknown_user']);
  });

  it.each([
    [{ user: 'ana', limit: 0 }, 'limit: expected a whole number from 1 to 100'],
    [{ user: 'ana', limit: 101 }, 'limit: expected a whole number from 1 to 100'],
    [{ user: 'ana', band: 'hot' }, 'band: expected one of active, dormant, archived'],
    [{ user: 'ana', latest: 'perhaps' }, 'latest: expected true or false'],
    [{ user: 'ana', cursor: 'W10' }, 'cursor must be the nextCursor of the page before'],
    [{ user: 'ana', cursor: 'a b' }, 'cursor: expected the nextCursor of the page before'],
    [{}, 'user: expected text'],
    [{ user: 'ana', page: 2 }, 'fields that are not known here'],
  ] as const)('refuses a list of %j', async (query, told) => {
    const reply = await call(listMemories, { query });
    expect([reply.status, reply.body.code]).toEqual([400, 'invalid_request']);
    expect(reply.body.detail).toContain(told);
  });

  it('is for callers of the tenant', async () => {
    await add('mine', { user: 'ana', id: 'x', content: 'mine' });
    const { authorization } = await tokenFor(stage.database, { tenant: 'theirs', role: 'read' });
    const headers = { authorization };
    const asked = await call(listMemories, { query: { tenant: 'mine', user: 'ana' }, headers });
    expect([asked.status, asked.body.code]).toEqual([403, 'wrong_tenant']);
    const own = await call(listMemories, { query: { user: 'ana' }, headers });
    expect([own.status, own.body.code]).toEqual([404, 'unknown_user']);
    const one = await call(getMemory, { params: { id: 'x' }, headers });
    expect([one.status, one.body.code]).toEqual([404, 'unknown_memory']);
  });
});
