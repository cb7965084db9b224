import {
  type Database,
  exportLines,
  forget,
  type ImportSummary,
  type LoadOptions,
  loadImport,
  readDocument,
  undo,
} from '@slowwave/db';
import { sql } from 'drizzle-orm';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inSnapshot } from '../../packages/db/src/export/snapshot.ts';
import { CODE_POINT } from '../fixtures/code-point.ts';
import { DATABASES, type DatabaseFixture, embeddedFixture, serverFixture } from '../fixtures/databases.ts';
import { seedBicycles } from '../fixtures/fused.ts';
import { NOW } from '../fixtures/memories.ts';
import { RICH_STEPS, seedRich } from '../fixtures/rich-store.ts';
import { dumpTables } from '../fixtures/tables.ts';
import { runsInScope } from '../scope.ts';

const tenant = 't';
const TEXT = 'Ana\u2028said "x"\n\ttwice 🐕 \ufeff';

async function exported(database: Database, user: string | null = null, of = tenant): Promise<string> {
  const lines: string[] = [];
  await exportLines(database, { tenant: of, user, write: (page) => void lines.push(...page) });
  return lines.map((line) => `${line}\n`).join('');
}

const load = (
  database: Database,
  text: string,
  more: Partial<Pick<LoadOptions, 'merge' | 'folderOf'>> = {},
): Promise<ImportSummary> =>
  loadImport(database, text, {
    format: 'auto',
    defaults: { tenant: 'default' },
    at: NOW,
    maxContentChars: 1_000,
    folderOf: async (folder) => ({ folder }),
    ...more,
  });

/** Everything that is restored, word for word: with the columns that the undo of the tests does not look at. */
const kindsOf = (text: string): Set<string> =>
  new Set(
    text
      .trim()
      .split('\n')
      .map((line) => String((JSON.parse(line) as { kind: string }).kind)),
  );

describe.each(DATABASES)('an export (%s)', (_name, open) => {
  let fixture: DatabaseFixture;
  let other: DatabaseFixture;
  let here: Database;
  let there: Database;
  let serial = 0;

  beforeAll(async () => {
    // The other one is always embedded: bytes are the same across kinds of databases.
    [fixture, other] = await Promise.all([open(), embeddedFixture()]);
    here = fixture.database;
    there = other.database;
  });
  afterAll(async () => {
    await fixture?.drop();
    await other?.drop();
  });

  const rich = async (more: Partial<Parameters<typeof seedRich>[2]> = {}): Promise<string> => {
    const user = `User ${++serial}`;
    const given = { steps: RICH_STEPS, text: TEXT, folder: null, ...more };
    await seedRich(here, { tenant, user }, given);
    return user;
  };

  it('holds a line of every kind, is the same twice, and is restored to the byte', async () => {
    const user = await rich({ folder: '/srv/notes' });
    const first = await exported(here, user);
    expect([...kindsOf(first)].sort()).toEqual([
      'answer',
      'cold-memory',
      'conflict',
      'document',
      'document-version',
      'end',
      'feedback',
      'fusion',
      'fusion-source',
      'goal',
      'import-block',
      'import-file',
      'memory',
      'message',
      'profile',
      'projected-line',
      'question',
      'relation',
      'scheduled-item',
      'session',
      'slowwave-export',
      'slowwave-export-end',
      'summary',
      'tombstone',
      'user',
      'verdict',
      'workspace',
    ]);
    expect(await exported(here, user)).toBe(first);
    const summary = await load(there, first);
    expect(summary.problems).toEqual([]);
    expect(summary).toMatchObject({ usersCreated: 1, users: [{ tenant, user }] });
    expect(summary.restored).toMatchObject({ users: 1, document: 2, workspace: 1, memory: summary.inserted });
    expect(await exported(there, user)).toBe(first);
    expect(await dumpTables(there, tenant, user)).toEqual(await dumpTables(here, tenant, user));
    const key = { tenant, user, workspace: 'Notes & more' };
    const documents = await Promise.all(
      [here, there].map((database) =>
        database.withTenant(tenant, (tx) => readDocument(tx, key, 'MEMORY.md')),
      ),
    );
    expect(documents[0]).not.toBeNull();
    expect(documents[1]).toEqual(documents[0]);
  });

  it('without a right to folders gives its workspace none, says so, and restores the rest to the byte', async () => {
    const user = await rich({ folder: '/srv/others' });
    const first = await exported(here, user);
    for (const [folderOf, why] of [
      [undefined, 'no folder of the machine'],
      [async () => ({ refused: 'there is no such folder' }), 'there is no such folder'],
    ] as const) {
      const summary = await load(there, first, { folderOf });
      expect(summary.problems).toEqual([
        expect.objectContaining({ code: 'folder_not_restored', message: expect.stringContaining(why) }),
      ]);
      expect(summary.restored).toMatchObject({ users: 1, workspace: 1, document: 2 });
      const line = /"rootDir":"\/srv\/others",/;
      expect(first).toMatch(line);
      const restored = first.replace(line, '').replace('"backend":"file"', '"backend":"readonly"');
      expect(await exported(there, user)).toBe(restored);
      await forget(there, { tenant, user, target: { user: true }, at: NOW, actor: null });
    }
  });

  it('of any store comes back as it was', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(...RICH_STEPS), { maxLength: 12 }),
        fc.string({ unit: CODE_POINT, maxLength: 60 }).filter((text) => !text.includes('\0')),
        async (steps, text) => {
          const user = await rich({ steps, text });
          const first = await exported(here, user);
          expect((await load(there, first)).problems).toEqual([]);
          expect(await exported(there, user)).toBe(first);
        },
      ),
      { numRuns: runsInScope({ change: 2, rest: 20 }), endOnFailure: true },
    );
  }, 300_000);

  it('comes back where it came from once its user was forgotten', async () => {
    const user = await rich();
    const first = await exported(here, user);
    await forget(here, { tenant, user, target: { user: true }, at: NOW, actor: null });
    await expect(exported(here, user)).rejects.toMatchObject({ code: 'unknown_user' });
    expect((await load(here, first)).problems).toEqual([]);
    expect(await exported(here, user)).toBe(first);
  });

  it('holds every user of a tenant in the order of their bytes, and nobody of another', async () => {
    const of = `many ${++serial}`;
    for (const user of ['b', 'B', 'a', 'ä', '🐕']) await seedBicycles(here, { tenant: of, user });
    await seedBicycles(here, { tenant: `${of} other`, user: 'c' });
    const text = await exported(here, null, of);
    const users = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { kind: string; user: string });
    expect(users.filter(({ kind }) => kind === 'user').map(({ user }) => user)).toEqual([
      'B',
      'a',
      'b',
      'ä',
      '🐕',
    ]);
    expect(text).not.toContain(`${of} other`);
    expect((await load(there, text)).restored).toMatchObject({ users: 5, memory: 15 });
    expect(await exported(there, null, of)).toBe(text);
  });

  it('pages through more rows than one page holds', async () => {
    const user = `User ${++serial}`;
    await seedBicycles(here, { tenant, user, count: 1_205 });
    const sizes: number[] = [];
    const counts = await exportLines(here, { tenant, user, write: (page) => void sizes.push(page.length) });
    expect(counts).toEqual({ users: 1, memories: 1_205, lines: 1_209 });
    expect(Math.max(...sizes)).toBe(100);
    const text = await exported(here, user);
    expect((await load(there, text)).inserted).toBe(1_205);
    expect(await exported(there, user)).toBe(text);
  });

  it('writes nothing into a user who has something already, and restores the others', async () => {
    const of = `held ${++serial}`;
    for (const user of ['ana', 'ben']) await seedBicycles(here, { tenant: of, user });
    const text = await exported(here, null, of);
    await seedBicycles(there, { tenant: of, user: 'ana', count: 1 });
    const before = await exported(there, 'ana', of);
    const summary = await load(there, text);
    expect(summary.problems).toEqual([expect.objectContaining({ line: 2, code: 'user_not_empty' })]);
    expect(summary.problems[0]?.message).toContain('--merge');
    expect(summary.users).toEqual([{ tenant: of, user: 'ben' }]);
    expect(await exported(there, 'ana', of)).toBe(before);
  });

  it.each([
    ['cut off within a user', (lines: string[]) => lines.slice(0, 4), 'cut_off', []],
    ['cut off between users', (lines: string[]) => lines.slice(0, 6), 'cut_off', ['ana']],
    ['with a line gone', (lines: string[]) => lines.toSpliced(3, 1), 'lines_missing', ['ben']],
    ['with a broken line', (lines: string[]) => lines.with(3, '{"kind":'), 'invalid_json', ['ben']],
    [
      'with an unknown kind',
      (lines: string[]) => lines.with(3, lines[3]!.replace('memory', 'memoir')),
      'not_allowed',
      ['ben'],
    ],
    [
      'with an unknown field',
      (lines: string[]) => lines.with(3, lines[3]!.replace('"content"', '"contents"')),
      'unknown_field',
      ['ben'],
    ],
    [
      'with a wrong value',
      (lines: string[]) => lines.with(3, lines[3]!.replace('"importance":5', '"importance":50')),
      'not_storable',
      ['ben'],
    ],
    [
      'with a memory that is longer than this service takes',
      (lines: string[]) =>
        lines.with(3, JSON.stringify({ ...JSON.parse(lines[3]!), content: 'x'.repeat(32_769) })),
      'too_long',
      ['ben'],
    ],
    [
      'with NUL',
      (lines: string[]) => lines.with(3, lines[3]!.replace('bicycle', '\\u0000')),
      'not_storable',
      ['ben'],
    ],
    [
      'with a line of somebody else',
      (lines: string[]) => lines.with(3, lines[3]!.replace('"user":"ana"', '"user":"ben"')),
      'wrong_owner',
      ['ben'],
    ],
  ])('%s is told, and its user left out whole', async (_what, damage, code, whole) => {
    const of = `damaged ${++serial}`;
    for (const user of ['ana', 'ben']) await seedBicycles(here, { tenant: of, user });
    const text = await exported(here, null, of);
    const summary = await load(there, damage(text.split('\n')).join('\n'));
    expect(summary.problems.map((problem) => problem.code)).toEqual([code]);
    expect(summary.users.map(({ user }) => user)).toEqual(whole);
    expect(JSON.stringify(summary)).not.toContain('bicycle');
    for (const user of whole) expect(await exported(there, user, of)).toBe(await exported(here, user, of));
    const left = await there.withTenant(of, (tx) =>
      tx.rows(sql`select 1 from slowwave.memories where user_id <> all(${`{${whole.join(',')}}`}::text[])`),
    );
    expect(left).toEqual([]);
  });

  it('of another version is refused before anything is written', async () => {
    await expect(load(there, '{"kind":"slowwave-export","version":2,"tenant":"t"}\n')).rejects.toMatchObject({
      code: 'unsupported_export',
    });
  });

  it('keeps forgotten things forgotten where it is restored', async () => {
    const user = `User ${++serial}`;
    const { ids } = await seedBicycles(here, { tenant, user });
    await forget(here, { tenant, user, target: { memory: ids[0]! }, at: NOW, actor: null });
    await load(there, await exported(here, user));
    const line = JSON.stringify({
      user,
      tenant,
      id: 'm0',
      content: 'again',
      category: 'fact',
      date: '2026-01-01',
    });
    expect((await load(there, line)).problems).toEqual([expect.objectContaining({ code: 'forgotten' })]);
  });

  it('is merged as an ordinary file: what stands, once, and nothing that was superseded', async () => {
    const user = `User ${++serial}`;
    await seedRich(
      here,
      { tenant, user },
      { steps: ['fuse', 'archive', 'forget'], text: TEXT, folder: null },
    );
    const text = await exported(here, user);
    const standing = await here.withTenant(tenant, (tx) =>
      tx.rows(sql`
        select 1 from slowwave.memories where user_id = ${user} and is_latest and archived_at is null`),
    );
    await seedBicycles(there, {
      tenant,
      user,
      count: 1,
      more: { content: 'of the other store', externalId: 'own' },
    });
    const summary = await load(there, text, { merge: true });
    expect(summary.problems).toEqual([]);
    expect(summary.inserted).toBe(standing.length);
    expect(summary.leftOut).toMatchObject({ archived: 1, document: 2, workspace: 1, message: 2 });
    expect(await load(there, text, { merge: true })).toMatchObject({ inserted: 0, problemCount: 0 });
    // Into the store that it came from, it brings nothing.
    const again = await load(here, text, { merge: true });
    expect(again).toMatchObject({ inserted: 0, unchanged: 0, problemCount: 0 });
    expect(again.leftOut).toMatchObject({ known: standing.length });
    expect(await exported(here, user)).toBe(text);
  });

  it('ends when it is asked to, and when what it is written to fails', async () => {
    const user = await rich();
    const stop = new AbortController();
    const stopped = exportLines(here, { tenant, user, write: () => stop.abort(), signal: stop.signal });
    await expect(stopped).rejects.toMatchObject({ name: 'AbortError' });
    const failed = exportLines(here, { tenant, user, write: () => Promise.reject(new RangeError('full')) });
    await expect(failed).rejects.toBeInstanceOf(RangeError);
  });

  it('takes the journal not along: what was fused before cannot be undone after', async () => {
    const user = await rich({ steps: ['fuse'] });
    const text = await exported(here, user);
    await load(there, text);
    const { key } = JSON.parse(text.split('\n').find((line) => line.includes('"kind":"fusion"'))!) as {
      key: string;
    };
    await expect(
      undo(there, { tenant, user, target: { fusion: key }, at: NOW, actor: null }),
    ).rejects.toMatchObject({ name: 'UndoRefused' });
  });
});

// The embedded database has one connection, and nobody else writes meanwhile.
describe('an export of a server that is written to meanwhile', () => {
  let fixture: DatabaseFixture;
  beforeAll(async () => {
    fixture = await serverFixture();
  });
  afterAll(() => fixture?.drop());

  it('is of one instant', async () => {
    const { database } = fixture;
    const user = 'ana';
    await seedRich(database, { tenant, user }, { steps: ['fuse', 'archive'], text: TEXT, folder: null });
    const before = await exported(database, user);
    const lines: string[] = [];
    let written = false;
    await exportLines(database, {
      tenant,
      user,
      async write(page) {
        lines.push(...page);
        if (written) return;
        written = true;
        await database.withTenant(tenant, (tx) =>
          tx.rows(sql`delete from slowwave.goals where user_id = ${user}`),
        );
      },
    });
    expect(lines.map((line) => `${line}\n`).join('')).toBe(before);
    expect(await exported(database, user)).not.toBe(before);
  });

  it('writes nothing itself', async () => {
    const { database } = fixture;
    const written = inSnapshot(database, tenant, (tx) => tx.rows(sql`delete from slowwave.goals`));
    await expect(written).rejects.toMatchObject({ sqlState: '25006' });
  });
});
