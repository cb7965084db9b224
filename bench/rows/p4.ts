import { strict as assert } from 'node:assert';
import type { Database } from '@slowwave/db';
import { type DecayParams, type MemoryCategory, type MemoryType, prominenceAt } from '@slowwave/fusion';
import { sql } from 'drizzle-orm';
import { serverFixture } from '../../test/fixtures/databases.ts';
import { bytesText, comparedResult } from '../figures.ts';
import type { BenchContext, Row, RowResult } from '../row.ts';

const GOAL = { kind: 'ratio', atLeast: 50 } as const;
/** Other work of the server may write so much while we look. */
const WAL_NOISE_BYTES = 64 * 1_024;
const TENANT = 'crowd';
const MEMORIES_PER_USER = 100;
const AT = Date.UTC(2026, 5, 15, 12);
const LEAST = 3;
const SLICE = 100_000;

/** Users whose dormant memories are enough for a cluster, each with the ids in order. */
type DormantSets = Map<string, string[]>;

/**
 * Memories of a year, of all categories and weights, and a plain table beside them as a service keeps it that stores how prominent each
 * one is: with an index for its users and its primary key, and room on its pages for changed rows.
 */
async function seed(database: Database, memories: number, chance: number): Promise<void> {
  const users = memories / MEMORIES_PER_USER;
  await database.asOwner(async (tx) => {
    await tx.rows(sql`select setseed(${chance})`);
    await tx.rows(sql`insert into slowwave.users (tenant, id, created_at)
      select ${TENANT}, 'user-' || n, now() from generate_series(1, ${users}::int) n`);
    // In slices, each within the time that a statement may take.
    for (let from = 0; from < memories; from += SLICE) {
      const to = Math.min(memories, from + SLICE);
      await tx.rows(sql`
      insert into slowwave.memories (tenant, user_id, id, visibility, content, content_hash, category, memory_type, importance,
        confidence, trust, origin, learned_from, document_date, peak, anchor_at, confirmations, metadata, created_at, updated_at)
      select ${TENANT}, 'user-' || (1 + n % ${users}::int), gen_random_uuid(), 'private', text, encode(sha256(text::bytea), 'hex'),
        (array['fact', 'event', 'preference', 'insight', 'relationship'])[1 + n % 5], 'regular', importance, 0.8, 0.8, 'user',
        'conversation', said, 0.5 + 0.05 * importance, said, (random() * 3)::int, '{}', said, said
      from (
        select n, 'This is what memory number ' || n || ' says of its day, in about as many words as people use.' as text,
          1 + floor(random() * 10)::int as importance,
          to_timestamp(${AT / 1_000}::float8) - random() * interval '365 days' as said
        from generate_series(${from}::int, ${to - 1}::int) n
      ) made`);
    }
    await tx.rows(sql`create schema bench`);
    await tx.rows(sql`create table bench.memories (id uuid primary key, user_id text not null, category text not null,
      memory_type text not null, importance int not null, confirmations int not null, peak float8 not null,
      anchor_at timestamptz not null, demotion float8 not null, prominence float8 not null) with (fillfactor = 70)`);
    await tx.rows(sql`insert into bench.memories select id, user_id, category, memory_type, importance, confirmations, peak,
      anchor_at, demotion, 1 from slowwave.memories`);
    await tx.rows(sql`create index on bench.memories (user_id)`);
  });
  for (const table of ['slowwave.memories', 'bench.memories']) {
    await database.pool!.query(`vacuum (analyze) ${table}`);
  }
}

interface PlainMemory {
  id: string;
  category: MemoryCategory;
  memory_type: MemoryType;
  importance: number;
  confirmations: number;
  peak: number;
  anchor_at: Date;
  demotion: number;
}

const paramsOf = (row: PlainMemory): DecayParams => ({
  category: row.category,
  memoryType: row.memory_type,
  importance: row.importance,
  confirmations: row.confirmations,
  peak: row.peak,
  anchorAt: row.anchor_at.getTime(),
  demotion: row.demotion,
});

/** Row by row: each user's memories are read, each one's prominence is computed and written, one transaction a user. */
async function decayRowByRow(database: Database): Promise<DormantSets> {
  const client = await database.pool!.connect();
  try {
    const { rows: users } = await client.query<{ user_id: string }>(
      'select distinct user_id from bench.memories',
    );
    for (const { user_id } of users) {
      await client.query('begin');
      const { rows } = await client.query<PlainMemory>({
        name: 'bench-read',
        text: 'select * from bench.memories where user_id = $1',
        values: [user_id],
      });
      for (const row of rows) {
        await client.query({
          name: 'bench-decay',
          text: 'update bench.memories set prominence = $2 where id = $1',
          values: [row.id, prominenceAt(paramsOf(row), AT)],
        });
      }
      await client.query('commit');
    }
    const { rows } = await client.query<{ user_id: string; ids: string[] }>(
      `select user_id, array_agg(id order by id) as ids from bench.memories
       where prominence >= 0.1 and prominence < 0.5 group by user_id having count(*) >= ${LEAST}`,
    );
    return new Map(rows.map(({ user_id, ids }) => [user_id, ids]));
  } finally {
    client.release();
  }
}

/** One statement over the crossings that stand with each memory: time passing has written nothing. */
async function readDormant(database: Database): Promise<DormantSets> {
  const rows = await database.asOwner((tx) =>
    tx.rows<{ user_id: string; ids: string[] }>(sql`
      select user_id, array_agg(id order by id) as ids from slowwave.memories
      where tenant = ${TENANT} and is_latest and archived_at is null
        and crosses_050_at < to_timestamp(${AT / 1_000}::float8) and crosses_010_at >= to_timestamp(${AT / 1_000}::float8)
      group by user_id having count(*) >= ${LEAST}`),
  );
  return new Map(rows.map(({ user_id, ids }) => [user_id, ids]));
}

async function walPosition(database: Database): Promise<string> {
  const { rows } = await database.pool!.query<{ lsn: string }>('select pg_current_wal_lsn() as lsn');
  return rows[0]!.lsn;
}

/** Bytes of log that the whole server wrote meanwhile. */
async function walOf(database: Database, work: () => Promise<unknown>): Promise<number> {
  const before = await walPosition(database);
  await work();
  const { rows } = await database.pool!.query<{ bytes: string }>(
    'select pg_current_wal_lsn() - $1::pg_lsn as bytes',
    [before],
  );
  return Number(rows[0]!.bytes);
}

async function measure(bench: BenchContext, database: Database): Promise<RowResult[]> {
  const memories = bench.quick ? 10_000 : 1_000_000;
  bench.say(`making ${memories} memories`);
  await seed(database, memories, bench.random());
  const compared = await bench.compare('dormant sets', {
    baseline: () => decayRowByRow(database),
    ours: () => readDormant(database),
    equal(baseline, ours) {
      assert.ok(ours.size > 0, 'somebody has dormant memories');
      assert.deepEqual(ours, baseline);
    },
  });
  // The quietest of a few looks: the server has work of its own.
  const looks: number[] = [];
  for (let look = 0; look < 5; look += 1) looks.push(await walOf(database, () => readDormant(database)));
  const wal = Math.min(...looks);
  const users = memories / MEMORIES_PER_USER;
  return [
    comparedResult(`dormant sets of ${users} users, ${memories} memories`, compared, GOAL),
    {
      name: 'write-ahead log of it',
      baseline: null,
      ours: bytesText(wal),
      met: wal <= WAL_NOISE_BYTES,
      note: 'the goal is none, 64 KB being the noise of a server; the quietest of 5 looks',
    },
  ];
}

export const row: Row = {
  id: 'P4',
  measure: 'dormant sets of all users, 1,000,000 memories',
  against: 'row-by-row decay',
  goal: GOAL,
  async run(bench) {
    const { database, drop } = await serverFixture();
    try {
      return await measure(bench, database);
    } finally {
      await drop();
    }
  },
};
