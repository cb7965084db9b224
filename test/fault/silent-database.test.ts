import { openServer } from '@slowwave/db';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type DatabaseFixture, serverFixture } from '../fixtures/databases.ts';
import { until } from '../fixtures/wait.ts';
import { startProxy, type Proxy as Way } from './proxy.ts';

/** Longer than any answer takes, on whatever machine. */
const ANSWER_MS = 5_000;
let fixture: DatabaseFixture;
let way: Way;
beforeAll(async () => {
  fixture = await serverFixture();
  way = await startProxy(fixture.url!);
});
afterAll(async () => {
  await way?.stop();
  await fixture?.drop();
});

it('a database that keeps a connection open and says nothing is given up, as is the connection', async () => {
  const database = await openServer({
    url: way.url,
    poolSize: 2,
    connectTimeoutMs: 60_000,
    answerTimeoutMs: ANSWER_MS,
  });
  const one = () => database.asOwner((tx) => tx.rows<{ one: number }>(sql`select 1 as one`));
  expect(await one()).toEqual([{ one: 1 }]);
  const waiting = database.asOwner(async (tx) => {
    await tx.rows(sql`select 1`);
    await way.set({ kind: 'half-open' });
    return tx.rows(sql`select 2`);
  });
  await expect(waiting).rejects.toMatchObject({ code: 'unavailable', retryable: true });
  await way.set({ kind: 'pass' });
  expect(await Promise.all([one(), one(), one()])).toEqual(Array.from({ length: 3 }, () => [{ one: 1 }]));
  await database.close();
});

it('a database that is gone without a word is not waited for when it is closed', async () => {
  const database = await openServer({ url: way.url, poolSize: 2, connectTimeoutMs: 60_000 });
  let asked = false;
  const waiting = database.asOwner(async (tx) => {
    await tx.rows(sql`select 1`);
    await way.set({ kind: 'close-one-side', side: 'server' });
    const answer = tx.rows(sql`select 2`);
    asked = true;
    return answer;
  });
  waiting.catch(() => undefined);
  await until('the question', () => asked);
  let closed = false;
  void database.close().then(() => {
    closed = true;
  });
  await until('the end', () => closed);
});
