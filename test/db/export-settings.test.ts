import { type Database, exportLines, loadImport, putWorkspace } from '@slowwave/db';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DATABASES, type DatabaseFixture } from '../fixtures/databases.ts';
import { NOW } from '../fixtures/memories.ts';
import { seedPerson } from '../fixtures/tier-runs.ts';

describe.each(DATABASES)('the workspaces of an export (%s)', (_name, open) => {
  let fixture: DatabaseFixture;
  let database: Database;
  let serial = 0;
  beforeAll(async () => {
    fixture = await open();
    database = fixture.database;
  });
  afterAll(() => fixture?.drop());

  /** An export of one user with one workspace, with the user's name replaced: what is restored is somebody new. */
  async function exported(): Promise<{ tenant: string; user: string; text: string }> {
    const tenant = `settings ${++serial}`;
    await seedPerson(database, { tenant, user: 'ana' });
    const key = { tenant, user: 'ana', workspace: 'notes' };
    const place = { backend: 'file', rootDir: `/srv/notes ${serial}` };
    await database.withTenant(tenant, (tx) =>
      putWorkspace(tx, key, { ...place, insightsTimezone: 'Asia/Tokyo' }, NOW),
    );
    const lines: string[] = [];
    await exportLines(database, { tenant, user: 'ana', write: (page) => void lines.push(...page) });
    const text = lines.map((line) => `${line}\n`.replaceAll('"user":"ana"', '"user":"zoe"')).join('');
    await database.withTenant(tenant, (tx) =>
      tx.rows(sql`delete from slowwave.workspaces where tenant = ${tenant}`),
    );
    return { tenant, user: 'zoe', text };
  }

  const load = (text: string) =>
    loadImport(database, text, {
      format: 'auto',
      defaults: { tenant: 'default' },
      at: NOW,
      maxContentChars: 1_000,
      folderOf: async (folder) => ({ folder }),
    });

  it('come back as they were', async () => {
    const { tenant, user, text } = await exported();
    const summary = await load(text);
    expect(summary.problems).toEqual([]);
    expect(summary).toMatchObject({ users: [{ tenant, user }], restored: { workspace: 1 } });
  });

  it.each([
    ['a schedule that is none', '"insightsSchedule":"0 2 * * *"', '"insightsSchedule":"nightly"'],
    [
      'a schedule that cannot be kept',
      '"insightsSchedule":"0 2 * * *"',
      `"insightsSchedule":"${'0'.repeat(300)} 2 * * *"`,
    ],
    ['a time zone that is none', '"insightsTimezone":"Asia/Tokyo"', '"insightsTimezone":"Mars/Olympus"'],
    ['a folder that is no path', '"rootDir":"/srv/notes', '"rootDir":"../srv/notes'],
    ['a folder with a way around', '"rootDir":"/srv/notes', '"rootDir":"/srv/../etc/notes'],
    ['a backend of folders without one', /"rootDir":"[^"]*"/, '"rootDir":null'],
    ['documents in the database, in a folder', '"backend":"file"', '"backend":"postgres"'],
    ['a quota of nothing', '"quotaBytes":16777216', '"quotaBytes":0'],
    ['half a growth', '"insightsMinGrowth":1000', '"insightsMinGrowth":0.5'],
  ])('with %s are refused as when somebody sets them', async (_what, from, to) => {
    const { tenant, text } = await exported();
    const damaged = text.replace(from, to);
    expect(damaged).not.toBe(text);
    const summary = await load(damaged);
    expect(summary.users).toEqual([]);
    expect(summary.problems).toHaveLength(1);
    expect(['not_allowed', 'out_of_range', 'empty']).toContain(summary.problems[0]?.code);
    const left = await database.withTenant(tenant, (tx) =>
      tx.rows(sql`select 1 from slowwave.users where tenant = ${tenant} and id = 'zoe'`),
    );
    expect(left).toEqual([]);
  });
});
