import { ROUTES } from '@slowwave/api';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BackendFixture, openOnRedis } from '../fixtures/backends.ts';
import { bookCall } from '../fixtures/booked-call.ts';
import { copyToCrowd } from '../fixtures/crowd.ts';
import { redisUrl } from '../fixtures/databases.ts';
import { CASES } from '../fixtures/endpoints/cases.ts';
import { type EndpointStage, endpointStage } from '../fixtures/endpoints/stage.ts';
import {
  type Found,
  isPlanned,
  planOf,
  readsTooMuch,
  readTables,
  sharedPlanOf,
  type Tables,
} from '../fixtures/plan-nodes.ts';
import { type Recorded, type Recorder, recordPool } from '../fixtures/recorded.ts';
import { HOST, signIn } from '../producer/harness.ts';

/** Rows that a table has afterwards, about; vectors are long. */
const MOST: Record<string, number> = {
  memories: 50_000,
  users: 10_000,
  user_tiers: 30_000,
  fusions: 20_000,
};
const MOST_ROWS = 10_000;
/** Rows from which on a table is not to be read as a whole. */
const LARGE = 5_000;

/** What may read much of a large table. Each names its statement by a part of it. */
const ALLOWED: { table: string; part: string; why: string }[] = [
  {
    table: 'fusions',
    part: 'as "failedFusions"',
    why: 'the overview counts what waits for a person up to a number of rows; where these are many, the first ones come soonest',
  },
  {
    table: 'users',
    part: 'from slowwave.users where tenant = $8) as users',
    why: 'the overview counts everybody',
  },
];

/** Tables that grow with every user: the test says nothing unless they are large. */
const GROWING = [
  'users',
  'user_tiers',
  'leases',
  'memories',
  'embeddings',
  'neighbours',
  'closeness',
  'word_scores',
  'relations',
  'runs',
  'change_sets',
  'changes',
  'fusions',
  'fusion_sources',
  'conflicts',
  'model_answers',
  'model_calls',
  'sessions',
  'messages',
  'recall_events',
  'tombstones',
];

/** A part of some statements without which the test says nothing: the beat, the hold, the plan, a commit, REM, recall, the overview. */
const KNOWN = [
  'for update of t skip locked',
  'select acquired.*',
  'candidates as materialized',
  "'DERIVES', 0.95",
  'nodes as materialized',
  'marked as materialized',
  'as "failedFusions"',
];

/**
 * What the service sends over its connections while one tenant does everything that can be done, planned again on tables with thousands
 * of users like these: nothing that a user, a job or a beat asks for takes longer because there are others.
 */
describe('the statements of the service on large tables', () => {
  let backend: BackendFixture;
  let recorder: Recorder;
  let stage: EndpointStage;
  let tables: Tables;
  let statements: Recorded[];

  beforeAll(async () => {
    stage = await endpointStage(async () => {
      backend = await openOnRedis(redisUrl());
      recorder = recordPool(backend.database.pool!);
      return backend;
    });
    const pool = backend.database.pool!;
    recorder.pause();
    // The offline model, which did all of it, is in no books.
    const { name: tenant, user } = stage.north;
    const bound = { tokens: 500, nanos: 1n };
    await bookCall(backend.database, { tenant, user, at: Date.now(), model: 'm', bound });
    await copyToCrowd(pool, { tenant: stage.north.name, most: (table) => MOST[table] ?? MOST_ROWS });
    tables = await readTables(pool, LARGE);
    recorder.resume();
    await lookAtDashboard(stage);
    await askEverything(stage);
    recorder.stop();
    statements = recorder.all().filter(isPlanned);
  });
  afterAll(() => stage?.dispose());

  async function inPlans<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    const client = await backend.database.pool!.connect();
    try {
      return await work(client);
    } finally {
      client.release();
    }
  }

  it('are those of all its work, and are tried on tables that are large', () => {
    expect(GROWING.filter((table) => !tables.large.has(table))).toEqual([]);
    expect(KNOWN.filter((part) => !statements.some(({ text }) => text.includes(part)))).toEqual([]);
    expect(statements.length).toBeGreaterThan(250);
    const namely = statements.filter(({ role, tenant }) => role === 'slowwave_service' && tenant !== null);
    expect(namely.length).toBeGreaterThan(200);
    expect(statements.filter(({ role }) => role === 'slowwave_dispatcher').length).toBeGreaterThan(10);
  });

  const WAYS = [
    ['planned for their values', planOf],
    ['planned once for all values, as by a connection that keeps them', sharedPlanOf],
  ] as const;
  it.each(WAYS)('read no more of them with every user who is added, %s', async (_way, plan) => {
    const found = await inPlans(async (client) => {
      const all: Found[] = [];
      for (const statement of statements)
        all.push(...readsTooMuch(await plan(client, statement), statement, tables));
      return all;
    });
    const allows = (one: (typeof ALLOWED)[number], { table, statement }: Found) =>
      one.table === table && statement.includes(one.part);
    expect(found.filter((one) => !ALLOWED.some((allowed) => allows(allowed, one)))).toEqual([]);
    // Whether it does depends on what the planner has counted; that there is such a statement does not.
    const sent = statements.map(({ text }) => text.replace(/\s+/g, ' '));
    expect(ALLOWED.filter(({ part }) => !sent.some((text) => text.includes(part)))).toEqual([]);
  });

  const tenant = 'north';
  const BAD: [Found['reads'], string, string, unknown[]][] = [
    ['all rows', 'memories', 'select 1 from slowwave.memories where content = $1', ['x']],
    [
      'all rows',
      'messages',
      'select 1 from slowwave.messages where tenant = $1 and content = $2',
      [tenant, 'x'],
    ],
    ['all rows', 'changes', 'delete from slowwave.changes where table_name = $1', ['x']],
    [
      'all users',
      'fusions',
      'select key from slowwave.fusions where tenant = $1 and updated_at > $2 and coalesce(user_id = $3, false)',
      [tenant, new Date(Date.now() - 3 * 86_400_000), 'mara'],
    ],
  ];
  it.each(BAD)('are found where they read %s of %s', async (reads, table, text, values) => {
    const statement: Recorded = { text, values, role: 'slowwave_service', tenant };
    const found = await inPlans(async (client) =>
      readsTooMuch(await planOf(client, statement), statement, tables),
    );
    expect(found).toMatchObject([{ reads, table }]);
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
