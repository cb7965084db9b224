import { randomBytes } from 'node:crypto';
import { ensureUsers, insertMemories, insertRelations, type NewMemory } from '@slowwave/db';
import { costOf, priceOf } from '@slowwave/models';
import { sql } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { fuse } from '../fakes/fuse.ts';
import { startMessagesServer } from '../fakes/messages-server.ts';
import type { FakeServer } from '../fakes/scripted-server.ts';
import { type DatabaseFixture, redisUrl, serverFixture } from '../fixtures/databases.ts';
import { DAY, newMemory } from '../fixtures/memories.ts';
import { PRODUCER, type ProcessFixture, startProcess, WORKER } from '../fixtures/processes.ts';
import { until } from '../fixtures/wait.ts';

const TENANT = 'acme';
const MODEL = 'claude-haiku-5-5';
const TOKEN = 'operator-token-for-tests';
/** NIGHT_USERS=2000 takes minutes. */
const NIGHT_USERS = Number(process.env.NIGHT_USERS ?? 300);
const SEEDED_AT_ONCE = 500;
/** For a night of all users. */
const LIMIT_MS = 600_000;
/** As the fake counts. */
const tokens = (text: string): number => Math.ceil(text.length / 4);

interface Books {
  tokens: number;
  nanos: string;
}

describe('the money of a night', () => {
  let fixture: DatabaseFixture;
  let model: FakeServer;
  let processes: ProcessFixture[] = [];
  /** The vendor's own count of what it answered. */
  let billed = { calls: 0, input: 0, output: 0 };

  beforeAll(async () => {
    const answer = fuse({ delayMs: 20 });
    model = await startMessagesServer(async (call) => {
      const behaviour = await answer(call);
      billed.calls += 1;
      billed.input += tokens(call.text);
      if (behaviour.kind === 'text') billed.output += tokens(behaviour.text);
      return behaviour;
    });
  });
  afterEach(async () => {
    await Promise.all(processes.map((started) => started.stop()));
    processes = [];
    await fixture?.drop();
  });
  afterAll(() => model?.stop());

  const rows = <Row extends object>(query: ReturnType<typeof sql>): Promise<Row[]> =>
    fixture.database.withTenant(TENANT, (tx) => tx.rows<Row>(query));

  /** Users with one dormant cluster each, whose sleep is due. */
  async function seed(count: number): Promise<void> {
    const users = Array.from({ length: count }, (_, i) => `user-${i}`);
    for (let from = 0; from < count; from += SEEDED_AT_ONCE)
      await seedSome(users.slice(from, from + SEEDED_AT_ONCE));
  }

  async function seedSome(users: string[]): Promise<void> {
    const at = Date.now();
    const memories: NewMemory[] = users.flatMap((user) =>
      ['near the canal', 'with a garden of roses', 'in a house of brick'].map((place, k) =>
        newMemory(user, `f${k}`, `Ana lives in Dublin ${place}.`, { documentDate: at - 90 * DAY }),
      ),
    );
    const relations = users.flatMap((user) =>
      [1, 2].map((k) => ({
        user,
        sourceExternalId: `f${k - 1}`,
        targetExternalId: `f${k}`,
        relationType: 'EXTENDS' as const,
        confidence: 0.9,
      })),
    );
    await fixture.database.withTenant(TENANT, async (tx) => {
      await ensureUsers(
        tx,
        users.map((user) => ({ tenant: TENANT, user })),
        at,
      );
      await insertMemories(tx, { tenant: TENANT, memories, at });
      await insertRelations(tx, { tenant: TENANT, relations, at });
      // Without quiet hours any hour is night enough.
      await tx.rows(sql`update slowwave.users set quiet_start = 0, quiet_end = 0`);
      await tx.rows(
        sql`update slowwave.user_tiers set due_at = case when tier = 'sleep' then now() - interval '1 minute' else 'infinity' end`,
      );
    });
  }

  async function start(users: number, budget: Record<string, string>): Promise<ProcessFixture[]> {
    fixture = await serverFixture();
    await seed(users);
    billed = { calls: 0, input: 0, output: 0 };
    const environment = {
      DATABASE_URL: fixture.url!,
      QUEUE_URL: redisUrl(),
      SLOWWAVE_QUEUE_PREFIX: `e2e${randomBytes(4).toString('hex')}`,
      SLOWWAVE_MODEL_PROVIDER: 'anthropic',
      SLOWWAVE_MODEL: MODEL,
      ANTHROPIC_API_KEY: 'test-key-1234',
      ANTHROPIC_BASE_URL: model.url,
      SLOWWAVE_MODEL_TIMEOUT_SECONDS: '60',
      SLOWWAVE_OPERATOR_TOKEN: TOKEN,
      SLOWWAVE_HTTP_PORT: '0',
      SLOWWAVE_WORKER_HEALTH_PORT: '0',
      SLOWWAVE_LEASE_SECONDS: '20',
      SLOWWAVE_TICK_SECONDS: '1',
      SLOWWAVE_LOG_LEVEL: 'warn',
      SLOWWAVE_REM_SEEDS: '1',
      ...budget,
    };
    const workers = [startProcess(WORKER, environment), startProcess(WORKER, environment)];
    processes = [...workers, startProcess(PRODUCER, environment)];
    return workers;
  }

  const completed = async (): Promise<number> => {
    const [row] = await rows<{ n: number }>(sql`
      select count(*)::int as n from slowwave.user_tiers where tier = 'sleep' and last_success_at is not null and due_at > now()`);
    return row!.n;
  };
  const fused = async (): Promise<number> => {
    const [row] = await rows<{ n: number }>(
      sql`select count(*)::int as n from slowwave.memories where memory_type = 'derived'`,
    );
    return row!.n;
  };
  /** What the calls of a state say of themselves, and what the tenant's day says of all. */
  const callsOf = async (state: string) => {
    const [row] = await rows<{
      calls: number;
      input: number;
      output: number;
      held: number;
      nanos: string;
    }>(sql`
      select count(*)::int as calls, coalesce(sum(input_tokens), 0)::float8 as input, coalesce(sum(output_tokens), 0)::float8 as output,
        coalesce(sum(reserved_tokens), 0)::float8 as held, coalesce(sum(cost_nanos), 0)::text as nanos
      from slowwave.model_calls where state = ${state}`);
    return row!;
  };
  const tenantDay = async (): Promise<{ spent: Books; reserved: Books }> => {
    const [row] = await rows<{ spent: Books; reserved: Books }>(sql`
      select jsonb_build_object('tokens', sum(spent_tokens), 'nanos', sum(spent_nanos)::text) as spent,
        jsonb_build_object('tokens', sum(reserved_tokens), 'nanos', sum(reserved_nanos)::text) as reserved
      from slowwave.tenant_spend`);
    return row!;
  };

  it(
    'is in the books as the vendor counts it, to the token',
    async () => {
      const users = NIGHT_USERS;
      await start(users, {});
      await until('every night to be over', async () => (await completed()) >= users, LIMIT_MS);
      expect(await fused()).toBe(users);
      const { calls, input, output } = billed;
      expect(await callsOf('settled')).toMatchObject({ calls, input, output });
      const [haiku, open] = [priceOf({}, MODEL)!, await callsOf('reserved')];
      expect(open.calls).toBe(0);
      // Each call's cost is a whole number of nano-dollars, so that the sum is that of the tokens.
      const nanos = costOf(haiku, { inputTokens: input, outputTokens: output }).toString();
      expect(await tenantDay()).toEqual({
        spent: { tokens: input + output, nanos },
        reserved: { tokens: 0, nanos: '0' },
      });
      process.stdout.write(
        `${users} users: ${calls} calls, ${input} + ${output} tokens, ${nanos} nano-dollars\n`,
      );
    },
    2 * LIMIT_MS,
  );

  it(
    'ends at its budget though a worker is killed, and goes on the next day',
    async () => {
      const users = 200;
      const limit = 0.04;
      const [victim] = await start(users, { SLOWWAVE_BUDGET_TENANT_DAY_DOLLARS: String(limit) });
      await until('fusions in the middle', async () => (await fused()) >= 15 && billed.calls >= 20);
      victim!.kill('SIGKILL');
      await until('every night to be over', async () => (await completed()) >= users, LIMIT_MS);
      const first = await fused();
      expect(first).toBeGreaterThan(15);
      expect(first).toBeLessThan(users);
      const [settled, left, day] = [await callsOf('settled'), await callsOf('reserved'), await tenantDay()];
      // What was in flight when the worker was killed was answered or not: it counts in full.
      expect(billed.input + billed.output).toBeGreaterThanOrEqual(settled.input + settled.output);
      expect(billed.input + billed.output).toBeLessThanOrEqual(day.spent.tokens + day.reserved.tokens);
      expect(left.calls).toBeLessThanOrEqual(8);
      const nanos = BigInt(day.spent.nanos) + BigInt(day.reserved.nanos);
      expect(nanos).toBeLessThanOrEqual(BigInt(limit * 1e9));
      const [refused] = await rows<{ n: number; scopes: string[] }>(sql`
      select count(*)::int as n, array_agg(distinct report->'refusal'->>'scope') as scopes from slowwave.runs
      where report->'refusal' is not null`);
      expect(refused!.n).toBeGreaterThanOrEqual(users - first);
      expect(refused!.scopes).toEqual(['tenant_day']);
      const calls = billed.calls;
      process.stdout.write(
        `${first} of ${users} users fused, ${calls} calls, ${nanos} of ${limit * 1e9} nano-dollars\n`,
      );

      for (let days = 0; (await fused()) < users; days += 1) {
        expect(days).toBeLessThan(10);
        const before = await fused();
        // A day later by the ledger; the test does not wait for midnight.
        await rows(sql`update slowwave.tenant_spend set day = day - 1000 * ${days + 1}::int`);
        await rows(
          sql`update slowwave.user_tiers set due_at = now() - interval '1 second', next_attempt_at = '-infinity' where tier = 'sleep'`,
        );
        await until('the next night to be over', async () => (await completed()) >= users, LIMIT_MS);
        expect(await fused()).toBeGreaterThan(before);
      }
      expect(await fused()).toBe(users);
    },
    3 * LIMIT_MS,
  );
});
