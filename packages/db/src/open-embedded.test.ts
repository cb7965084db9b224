import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { sql } from 'drizzle-orm';
import { expect, it } from 'vitest';
import { openInMemory } from '../../../test/fixtures/in-memory.ts';
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
