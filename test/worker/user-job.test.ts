import { acquireLease, type Database, ensureUsers } from '@slowwave/db';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { WorkerDeps } from '../../apps/worker/src/context.ts';
import { DEFAULT_LIMITS } from '../../apps/worker/src/context.ts';
import { takeUser } from '../../apps/worker/src/hold.ts';
import { createLogger } from '../../apps/worker/src/logger.ts';
import { busyDelayMs } from '../../apps/worker/src/user-job.ts';
import { type DatabaseFixture, openInScope } from '../fixtures/databases.ts';

let fixture: DatabaseFixture;
let database: Database;
beforeAll(async () => {
  fixture = await openInScope();
  database = fixture.database;
  await database.withTenant('t', (tx) => ensureUsers(tx, [{ tenant: 't', user: 'ana' }], 0));
});
afterAll(() => fixture?.drop());

const depsOver = (over: Database) =>
  ({
    database: over,
    limits: DEFAULT_LIMITS,
    logger: createLogger('silent'),
    now: () => 0,
  }) as unknown as WorkerDeps;
const ana = { tenant: 't', user: 'ana' };

it('gives a user back when what follows the hold fails', async () => {
  await acquireLease(database, { ...ana, holder: 'dead', ttlMs: 0 });
  let calls = 0;
  const failing: Database = {
    ...database,
    withTenant: (tenant, work) =>
      ++calls === 2 ? Promise.reject(new Error('gone')) : database.withTenant(tenant, work),
  };
  const taken = takeUser(depsOver(failing), { ...ana, holder: 'w1' }, new AbortController().signal);
  await expect(taken).rejects.toThrow('gone');
  const next = await takeUser(depsOver(database), { ...ana, holder: 'w2' }, new AbortController().signal);
  expect(next).not.toBe('busy');
  if (next !== 'busy') await next.release();
});

it('looks at a busy user soon, then less often, and no less than every 5 seconds', () => {
  expect([0, 1, 9, 29, 1_000].map(busyDelayMs)).toEqual([500, 1_000, 5_000, 5_000, 5_000]);
});
