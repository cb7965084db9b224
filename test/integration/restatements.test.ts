import {
  approveFusion,
  editMemory,
  expireReviews,
  forget,
  getMemory,
  insertMemories,
  listReviews,
  type NewMemory,
  pageFusions,
  previewOf,
  readFusion,
  redo,
  rejectFusion,
  setMode,
  undo,
} from '@slowwave/db';
import { ModelError } from '@slowwave/fusion';
import { sql } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { createStatementModel, type StatementScript } from '../fakes/statement-model.ts';
import { DATABASES } from '../fixtures/databases.ts';
import { DAY, NOW, newMemory } from '../fixtures/memories.ts';
import { ownDatabase } from '../fixtures/own-database.ts';
import { runAgainAfter, runTier, seedPerson } from '../fixtures/tier-runs.ts';

const tenant = 't';
const NOTES = [
  'Mara keeps two hens in the garden.',
  'One of the hens that Mara keeps in the garden is called Frieda.',
  'Frieda, the brown hen of Mara, lays no eggs in winter.',
];
const HENS = 'Mara keeps two hens in the garden; Frieda, the brown one, lays no eggs in winter.';
const AGAIN = 'The brown hen Frieda lays no eggs in the winter.';
const SAID = { from: NOW - 90 * DAY, to: NOW - 88 * DAY };

describe.each(DATABASES)('a note that says a statement again (%s)', (_name, open) => {
  const { database, rows } = ownDatabase(open, tenant);
  let serial = 0;

  const write: StatementScript['write'] = (notes) => ({
    statements: notes.length > 1 ? [{ sources: notes.map(({ n }) => n), text: HENS }] : [],
    conflicts: [],
  });

  async function run(
    user: string,
    script: Partial<StatementScript> = {},
    more: { preview?: boolean; judge?: boolean; at?: number } = {},
  ) {
    const model = createStatementModel({ write, ...script });
    const { judge = true, at = NOW, preview } = more;
    const ended = await runTier(
      database,
      { tenant, user, tier: 'deep', at, ...(preview ? { preview } : {}) },
      { provider: model, statements: { judge } },
    );
    return { ...ended, kinds: model.kinds, counts: ended.step('fusion').counts! };
  }

  const say = (user: string, content: string, more: Partial<NewMemory> = {}) => {
    const memory = newMemory(user, `again-${++serial}`, content, { documentDate: NOW - 60 * DAY, ...more });
    return database.withTenant(tenant, (tx) => insertMemories(tx, { tenant, memories: [memory], at: NOW }));
  };

  /** A user with one statement of three notes, and a note that was said later. */
  async function start(content = AGAIN, more: Partial<NewMemory> = {}): Promise<string> {
    const user = `again-${++serial}`;
    const memories = NOTES.map((text, at) =>
      newMemory(user, `d${at}`, text, { documentDate: SAID.from + at * DAY }),
    );
    await seedPerson(database, { tenant, user, memories });
    const { counts } = await run(user);
    expect(counts).toMatchObject({ lanes: { judged: 1 }, superseded: 3 });
    await say(user, content, more);
    return user;
  }

  const latest = async (user: string) =>
    (
      await rows<{ content: string }>(
        sql`select content from slowwave.memories where user_id = ${user} and is_latest order by content`,
      )
    ).map(({ content }) => content);
  const statementOf = async (user: string) => {
    const [found] = await rows<{ id: string }>(
      sql`select id from slowwave.memories where user_id = ${user} and memory_type = 'derived'`,
    );
    return database.withTenant(tenant, (tx) => getMemory(tx, { tenant, user, id: found!.id, at: NOW }));
  };
  const fusionsOf = async (user: string, status: 'applied' | 'closed' | 'review') => {
    const { rows: entries } = await database.withTenant(tenant, (tx) =>
      pageFusions(tx, { tenant, user, status, limit: 10 }),
    );
    return entries;
  };
  const mergeOf = async (user: string) =>
    (await fusionsOf(user, 'applied')).find(({ kind }) => kind === 'merge')!;
  const edited = async (user: string, content: string, to: string) => {
    const [found] = await rows<{ id: string }>(
      sql`select id from slowwave.memories where user_id = ${user} and content = ${content}`,
    );
    const edit = { tenant, user, id: found!.id, content: to, actor: 'x', at: NOW };
    await database.withTenant(tenant, (tx) => editMemory(tx, edit));
  };
  /** Forgets one memory. @returns what is latest then */
  async function forgotten(user: string, content: string): Promise<string[]> {
    const [found] = await rows<{ id: string }>(
      sql`select id from slowwave.memories where user_id = ${user} and content = ${content}`,
    );
    await forget(database, { tenant, user, at: NOW, actor: 'x', target: { memory: found!.id } });
    return latest(user);
  }
  const expectNoClaims = async (user: string) => {
    const [live] = await rows<{ claims: number }>(
      sql`select count(*)::int as claims from slowwave.fusion_sources where user_id = ${user} and live`,
    );
    expect(live).toEqual({ claims: 0 });
  };

  it('is superseded where the judge finds nothing lost; the statement is confirmed, and its last day of saying moves', async () => {
    const user = await start();
    const before = await statementOf(user);
    expect(before).toMatchObject({ said: SAID, confirmations: 0 });
    const { kinds, counts } = await run(user);
    expect(kinds).toEqual(['judge', 'judge']);
    expect(counts).toMatchObject({
      clusters: { committed: 1 },
      lanes: { judged: 1 },
      superseded: 1,
      usage: { calls: 2 },
    });
    expect(await latest(user)).toEqual([HENS]);
    expect(await statementOf(user)).toMatchObject({
      content: HENS,
      said: { from: SAID.from, to: NOW - 60 * DAY },
      confirmations: 1,
      version: before!.version,
    });
    await expectNoClaims(user);
    expect((await run(user)).kinds).toEqual([]);
  });

  it('keeps the last day of a statement where the note is older, and moves the first one', async () => {
    const user = await start(AGAIN, { documentDate: NOW - 100 * DAY });
    await run(user);
    expect(await statementOf(user)).toMatchObject({ said: { from: NOW - 100 * DAY, to: SAID.to } });
  });

  it('stays where it says more, as the statement does; the pair is not asked about again until one of them changes', async () => {
    const user = await start();
    const { kinds, counts } = await run(user, { judge: () => 'changed' });
    expect(kinds).toEqual(['judge', 'judge']);
    expect(counts).toMatchObject({ clusters: { closed: 1 }, lanes: { differs: 1 }, superseded: 0 });
    expect(await latest(user)).toEqual([HENS, AGAIN].sort());
    await expectNoClaims(user);
    // Not even in a request together with other pairs, which would have another key.
    expect((await run(user)).counts).toMatchObject({ clusters: { skipped: 0 }, usage: { calls: 0 } });
    const request = (await fusionsOf(user, 'closed')).find(({ kind }) => kind === 'restatement')!;
    const shown = await database.withTenant(tenant, (tx) =>
      readFusion(tx, { tenant, user, key: request.key, at: NOW }),
    );
    expect(shown).toMatchObject({
      kind: 'restatement',
      errorCode: 'differs',
      statements: [],
      proposals: [{ text: HENS, accepted: false, lane: 'differs', details: ['something else'] }],
    });
    await edited(user, AGAIN, 'The brown hen Frieda lays no eggs in winter.');
    expect((await run(user)).kinds).toEqual(['judge', 'judge']);
    expect(await latest(user)).toEqual([HENS]);
  });

  it('is superseded without a model where it is a sentence of the statement', async () => {
    const user = await start(
      'Mara keeps two hens in the garden; Frieda, the brown one, lays no eggs in winter',
    );
    const { kinds, counts } = await run(user, {}, { judge: false });
    expect(kinds).toEqual([]);
    expect(counts).toMatchObject({ lanes: { repeat: 1 }, superseded: 1 });
    expect(await latest(user)).toEqual([HENS]);
  });

  it('is undone alone: the note is latest again, the statement as it was, and a later run leaves the pair', async () => {
    const user = await start();
    const before = await statementOf(user);
    await run(user);
    const merge = await mergeOf(user);
    const of = { tenant, user, at: NOW, actor: 'x' };
    await undo(database, { ...of, target: { fusion: merge.key } });
    expect(await latest(user)).toEqual([HENS, AGAIN].sort());
    expect(await statementOf(user)).toMatchObject({ said: before!.said, confirmations: 0 });
    expect((await run(user)).kinds).toEqual([]);
    await redo(database, { ...of, target: { fusion: merge.key } });
    expect(await latest(user)).toEqual([HENS]);
    expect(await statementOf(user)).toMatchObject({ said: { to: NOW - 60 * DAY }, confirmations: 1 });
    // By the key of the request too.
    await undo(database, { ...of, target: { fusion: merge.request! } });
    expect(await latest(user)).toEqual([HENS, AGAIN].sort());
  });

  it('stands in the way of undoing the statement, as what was merged since does', async () => {
    const user = await start();
    await run(user);
    const fusion = (await fusionsOf(user, 'applied')).find(({ kind }) => kind === 'fusion')!;
    const target = { fusion: fusion.key };
    await expect(undo(database, { tenant, user, at: NOW, actor: 'x', target })).rejects.toMatchObject({
      code: 'depends',
    });
  });

  it('takes the statement with it when it is forgotten, and the other sources come back', async () => {
    const user = await start();
    await run(user);
    expect(await forgotten(user, AGAIN)).toEqual([...NOTES].sort());
  });

  it('comes back when another source of the statement is forgotten', async () => {
    const user = await start();
    await run(user);
    expect(await forgotten(user, NOTES[0]!)).toEqual([AGAIN, NOTES[1], NOTES[2]].sort());
  });

  it.each<[string, string]>([
    ['a source of the statement', NOTES[0]!],
    ['the statement', HENS],
    ['the note', AGAIN],
  ])('is latest again after an edit of %s', async (_which, content) => {
    const user = await start();
    await run(user);
    await edited(user, content, 'Mara keeps three ducks.');
    const rest = content === AGAIN ? [HENS] : [AGAIN, ...NOTES];
    expect(await latest(user)).toEqual(
      ['Mara keeps three ducks.', ...rest.filter((text) => text !== content)].sort(),
    );
  });

  it('is undone with all later ones by an edit of a source of the statement', async () => {
    const user = await start();
    await run(user);
    await say(user, 'Frieda, the brown hen, lays no eggs in winter.', { documentDate: NOW - 50 * DAY });
    await run(user, {}, { at: NOW + DAY });
    expect(await latest(user)).toEqual([HENS]);
    expect(await statementOf(user)).toMatchObject({ said: { to: NOW - 50 * DAY }, confirmations: 2 });
    await edited(user, NOTES[1]!, 'Mara keeps three ducks.');
    expect(await latest(user)).toHaveLength(5);
  });

  it('waits for a person where the user wants to see fusions first', async () => {
    const user = await start();
    await database.withTenant(tenant, (tx) => setMode(tx, { tenant, user, mode: 'review', at: NOW }));
    const { kinds, counts } = await run(user);
    expect(kinds).toEqual(['judge', 'judge']);
    expect(counts).toMatchObject({ clusters: { proposed: 1 }, superseded: 0 });
    const [review] = await database.withTenant(tenant, (tx) => listReviews(tx, { tenant, user, limit: 10 }));
    expect(review).toMatchObject({ kind: 'merge' });
    expect(review!.sources.map(({ fate }) => fate).sort()).toEqual(['confirmed', 'superseded']);
    expect((await run(user)).kinds).toEqual([]);
    await approveFusion(database, { tenant, user, key: review!.key, at: NOW, by: 'x' });
    expect(await latest(user)).toEqual([HENS]);
    expect(await statementOf(user)).toMatchObject({ said: { to: NOW - 60 * DAY }, confirmations: 1 });
    await expectNoClaims(user);
  });

  it('is proposed again with the same votes when its time was over, and never once a person turned it down', async () => {
    const user = await start();
    await database.withTenant(tenant, (tx) => setMode(tx, { tenant, user, mode: 'review', at: NOW }));
    await run(user);
    const of = { tenant, user, at: NOW + 15 * DAY };
    expect(await database.withTenant(tenant, (tx) => expireReviews(tx, of))).toBe(1);
    const again = await run(user);
    expect(again.kinds).toEqual([]);
    expect(again.counts).toMatchObject({ clusters: { proposed: 1 } });
    const [review] = await database.withTenant(tenant, (tx) => listReviews(tx, { tenant, user, limit: 10 }));
    await rejectFusion(database, { tenant, user, key: review!.key, at: NOW, by: 'x' });
    await database.withTenant(tenant, (tx) => setMode(tx, { tenant, user, mode: 'auto', at: NOW }));
    expect((await run(user)).counts).toMatchObject({ superseded: 0, usage: { calls: 0 } });
    expect(await latest(user)).toEqual([HENS, AGAIN].sort());
  });

  it('is shown by a preview as a merge, and the run after it pays for no other vote', async () => {
    const user = await start();
    // A preview embeds nothing.
    await runTier(database, { tenant, user, tier: 'light', at: NOW });
    const previewed = await run(user, {}, { preview: true });
    expect(previewed.kinds).toEqual(['judge', 'judge']);
    expect(await latest(user)).toEqual([HENS, AGAIN].sort());
    const runId = previewed.run.id;
    const shown = await database.withTenant(tenant, (tx) => previewOf(tx, { tenant, user, runId }));
    expect(shown).toMatchObject({
      fusions: [],
      merges: [
        {
          verdict: 'ok',
          sources: [
            { content: HENS, fate: 'confirmed' },
            { content: AGAIN, fate: 'superseded' },
          ],
        },
      ],
    });
    expect((await run(user)).kinds).toEqual([]);
    expect((await mergeOf(user)).key).toBe(shown!.merges[0]!.key);
    expect(await latest(user)).toEqual([HENS]);
  });

  it('is asked about again by the next run when the judge could not be reached', async () => {
    const user = await start();
    const failing = await run(user, {
      before: () => {
        throw new ModelError('overloaded', { retryable: true });
      },
    });
    expect(failing.counts).toMatchObject({ clusters: { failed: 1 }, superseded: 0 });
    expect(failing.fusions).toHaveLength(1);
    expect((await run(user)).kinds).toEqual(['judge', 'judge']);
    expect(await latest(user)).toEqual([HENS]);
  });

  it.each([
    'after-opened',
    'after-members',
    'after-memo',
    'before-transaction',
    'after-sources',
    'after-marked',
    'after-supersede',
    'after-applied',
    'after-commit',
  ])('is superseded once, and paid for once, by the run after one that ended at %s', async (place) => {
    const user = await start();
    const model = createStatementModel({ write });
    const of = { tenant, user, tier: 'deep' as const, at: NOW };
    const deps = { provider: model, statements: { judge: true } };
    expect(await runAgainAfter(place, database, of, deps)).toBeGreaterThan(0);
    expect(await latest(user)).toEqual([HENS]);
    expect(model.kinds).toEqual(['judge', 'judge']);
    expect(await statementOf(user)).toMatchObject({ confirmations: 1 });
    await expectNoClaims(user);
  });
});
