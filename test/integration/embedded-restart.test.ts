import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '@slowwave/config';
import { acquireLease, ensureUsers } from '@slowwave/db';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openDatabase } from '../../apps/standalone/src/open-database.ts';
import { prepareDataDir } from '../fixtures/in-memory.ts';

const HOUR_MS = 3_600_000;
const ana = { tenant: 't', user: 'ana' };
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slowwave-restart-'));
  await prepareDataDir(folder);
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const open = () => openDatabase(readConfig({ SLOWWAVE_DATA_DIR: folder }), pino({ level: 'silent' }));

it('an embedded service goes on at once with the user whom the process before held, and looks for what it left', async () => {
  const before = await open();
  await before.withTenant(ana.tenant, (tx) => ensureUsers(tx, [ana], Date.now()));
  expect(await acquireLease(before, { ...ana, holder: 'before', ttlMs: HOUR_MS })).toMatchObject({
    status: 'held',
  });
  // As after a kill: nobody gave the user back.
  await before.close();
  const after = await open();
  try {
    const taken = await acquireLease(after, { ...ana, holder: 'after', ttlMs: HOUR_MS });
    expect(taken).toMatchObject({ status: 'held', fence: 2, takenOver: true });
  } finally {
    await after.close();
  }
});
