import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { sql } from 'drizzle-orm';
import { expect, it } from 'vitest';
import { openInMemory, prepareDataDir } from '../../../test/fixtures/in-memory.ts';
import { openEmbedded } from './open-embedded.ts';

it('a long series of transactions leaves the rest of the process its turns', async () => {
  const database = await openInMemory();
  try {
    let beats = 0;
    const timer = setInterval(() => {
      beats++;
    }, 1);
    let transactions = 0;
    while (beats < 3 && transactions < 2_000) {
      await database.asOwner((tx) => tx.rows(sql`select 1`));
      transactions++;
    }
    clearInterval(timer);
    expect(beats).toBeGreaterThanOrEqual(3);
  } finally {
    await database.close();
  }
});

it('a data folder that is none, and one that holds garbage, are named with what to do', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'embedded-'));
  try {
    const file = path.join(folder, 'a file');
    await writeFile(file, 'x');
    await expect(openEmbedded({ dataDir: file })).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringMatching(/a file cannot be used \(EEXIST\).*SLOWWAVE_DATA_DIR/),
    });
    const garbage = path.join(folder, 'garbage');
    await mkdir(path.join(garbage, 'database'), { recursive: true });
    await writeFile(path.join(garbage, 'database', 'PG_VERSION'), 'garbage');
    await expect(openEmbedded({ dataDir: garbage })).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('cannot be opened; if the folder is damaged, restore it from a copy'),
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

it('a folder that another process took over is written no more: statements are refused, and closing leaves it as it is', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'embedded-'));
  try {
    const told: string[] = [];
    const onLost = (error: { code: string }) => told.push(error.code);
    await prepareDataDir(folder);
    const database = await openEmbedded({ dataDir: folder, onLost });
    await database.pglite!.exec('create table kept (n int); insert into kept values (1)');
    const other = JSON.stringify({ pid: 1, id: 'another' });
    await writeFile(path.join(folder, 'owner.json'), other);
    await expect.poll(() => told, { interval: 20 }).toEqual(['folder_lost']);
    const before = await filesOf(folder);
    const write = database.asOwner((tx) => tx.rows(sql`insert into kept values (2)`));
    await expect(write).rejects.toMatchObject({ code: 'folder_lost' });
    await expect(database.pglite!.query('insert into kept values (3)')).rejects.toMatchObject({
      code: 'folder_lost',
    });
    await database.close();
    expect(await filesOf(folder)).toEqual(before);
    expect(await readFile(path.join(folder, 'owner.json'), 'utf8')).toBe(other);
    expect(told).toEqual(['folder_lost']);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

/** Every file of a folder with when it was last written. */
async function filesOf(folder: string): Promise<string[]> {
  const names = await readdir(folder, { recursive: true });
  return Promise.all(
    names.sort().map(async (name) => `${name} ${(await stat(path.join(folder, name))).mtimeMs}`),
  );
}
