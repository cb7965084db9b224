import { ROUTES } from '@slowwave/api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BackendFixture, openOnRedis } from '../fixtures/backends.ts';
import { copyToCrowd } from '../fixtures/crowd.ts';
import { redisUrl } from '../fixtures/databases.ts';
import { CASES } from '../fixtures/endpoints/cases.ts';
import { type EndpointStage, endpointStage } from '../fixtures/endpoints/stage.ts';
import { type Found, isPlanned, planOf, readsTooMuch, readTables, type Tables } from '../fixtures/plan-nodes.ts';
import { type Recorded, type Recorder, recordPool } from '../fixtures/recorded.ts';
import { HOST, signIn } from '../producer/harness.ts';

/** Rows that a table has at most afterwards; vectors are long. */
const MOST: Record<string, number> = { memories: 60_000, embeddings: 15_000, users: 10_000, user_tiers: 30_000 };
const MOST_ROWS = 20_000;
/** Rows from which on a table is not to be read as a whole. */
const LARGE = 5_000;

/** What may read much of a large table, and why. */
const ALLOWED: { table: string; part: string; why: string }[] = [];

/** Tables that grow with every user: the test says nothing unless they are large. */
const GROWING = ['users', 'user_tiers', 'memories', 'embeddings', 'runs', 'change_sets', 'changes', 'fusions'];

describe('the statements of the service on large tables', { timeout: 300_000 }, () => {
  let backend: BackendFixture;
  let recorder: Recorder;
  let stage: EndpointStage;
  let tables: Tables;

  beforeAll(async () => {
    stage = await endpointStage(async () => {
      backend = await openOnRedis(redisUrl());
      recorder = recordPool(backend.database.pool!);
      return backend;
    });
    const pool = backend.database.pool!;
    await copyToCrowd(pool, { tenant: stage.north.name, most: (table) => MOST[table] ?? MOST_ROWS });
    tables = await readTables(pool, LARGE);
    await lookAtDashboard(stage);
    await askEverything(stage);
    recorder.stop();
  }, 300_000);
  afterAll(() => stage?.dispose());

  it('are tried on tables that are large', () => {
    expect(GROWING.filter((table) => !tables.large.has(table))).toEqual([]);
    console.log([...tables.large].join(' '));
  });

  it('read no more of them with every user who is added', async () => {
    const statements = recorder.all().filter(isPlanned);
    console.log(statements.length, 'statements');
    const found: Found[] = [];
    const client = await backend.database.pool!.connect();
    try {
      for (const statement of statements) {
        const plan = await planOf(client, statement).catch((e) => { console.log('NOPLAN', statement.text.slice(0, 200), String(e)); return null; });
        if (plan) found.push(...readsTooMuch(plan, statement, tables));
      }
    } finally {
      client.release();
    }
    for (const one of found) console.log(`${one.reads} of ${one.table}: ${one.statement.slice(0, 400)}`);
    const isAllowed = ({ table, statement }: Found) =>
      ALLOWED.some((one) => one.table === table && statement.includes(one.part));
    expect(found.filter((one) => !isAllowed(one))).toEqual([]);
  });
});

/** Every page of the dashboard. */
async function lookAtDashboard({ producer, north, ids, reviews }: EndpointStage): Promise<void> {
  const session = await signIn(producer);
  const user = `/users/${north.user}`;
  for (const path of [
    '',
    '/users',
    '/users?q=a',
    '/reviews',
    '/conflicts?status=all',
    '/failed',
    user,
    `${user}/fusions/${ids.fusion}`,
    `${user}/fusions/${reviews[0]}`,
    `${user}/memories/${ids.memory}`,
    `${user}/runs/${ids.run}`,
    `/users/${north.guest}/conflicts/${ids.conflict}`,
  ]) {
    const url = `/dashboard${path}${path.includes('?') ? '&' : '?'}tenant=${north.name}`;
    const reply = await producer.app.inject({ url, headers: { ...HOST, ...session } });
    expect(reply.statusCode, url).toBe(200);
  }
}

/** Every endpoint, once. */
async function askEverything(stage: EndpointStage): Promise<void> {
  const byName = new Map(ROUTES.map((route) => [route.operation, route]));
  for (const [name, given] of Object.entries(CASES)) {
    const route = byName.get(name)!;
    const token = route.role === null ? null : stage.tokens[route.scope === 'all' ? 'operator' : route.role];
    const told = await stage.ask(route, await given(stage), token);
    expect(told.status, `${name}: ${told.text}`).toBeLessThan(300);
  }
}
