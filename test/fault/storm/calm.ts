import { type Database, listQuarantined, releaseUser, requestRun } from '@slowwave/db';
import type { Tier } from '@slowwave/fusion';
import { sql } from 'drizzle-orm';
import { until } from '../../fixtures/wait.ts';
import { STEADY } from '../failing-model.ts';
import type { Invariants } from '../invariants/index.ts';
import { pause } from './hunt.ts';
import type { Stage } from './stage.ts';
import type { Toll } from './toll.ts';
import type { Batch } from './users.ts';

const LOOK_MS = 500;

/**
 * Nobody waits for minutes after a failure: the storm is shorter than that. And three workers in a row that end while they are at work for the same
 * user are nothing rare in it: whoever got into quarantine that way is let go, as a person would do who knows that it was not the user's fault.
 */
export async function hurry(database: Database, batch: Batch, toll: Toll, over: AbortSignal): Promise<void> {
  while (!over.aborted) {
    // While the database is away, nobody is hurried.
    await endWaits(database, batch.tenants).catch(() => {});
    await hurryBatches(database, batch.tenants).catch(() => {});
    await letGo(database, batch, toll).catch(() => {});
    await pause(LOOK_MS, over);
  }
}

/** Releases from quarantine who does not belong there, in the product's own way. @returns how many */
async function letGo(database: Database, { tenants, users }: Batch, toll: Toll): Promise<number> {
  const poisoned = new Set(
    users.filter((one) => one.poisoned).map(({ tenant, user }) => `${tenant}/${user}`),
  );
  let released = 0;
  for (const tenant of tenants) {
    const held = await database.withTenant(tenant, (tx) => listQuarantined(tx, { tenant, limit: 1_000 }));
    for (const { user } of held.filter((one) => !poisoned.has(`${tenant}/${one.user}`))) {
      await database.withTenant(tenant, (tx) => releaseUser(tx, { tenant, user }));
      toll.add('user released from quarantine');
      released += 1;
    }
  }
  return released;
}

interface Waited {
  tenant: string;
  user: string;
  tier: Tier;
}

/** @returns the tiers that waited */
async function endWaits(database: Database, tenants: readonly string[]): Promise<Waited[]> {
  return database.asOwner((tx) =>
    tx.rows<Waited>(sql`
      update slowwave.user_tiers set next_attempt_at = '-infinity'
      where tenant in (select jsonb_array_elements_text(${JSON.stringify(tenants)}::jsonb)) and next_attempt_at > now()
        and quarantined_at is null
      returning tenant, user_id as "user", tier`),
  );
}

/** A run that goes on with what came of a batch fails without its night being due again: what it left is asked for, and not waited for until the next night. */
async function askForNights(database: Database, waited: readonly Waited[]): Promise<void> {
  for (const { tenant, user, tier } of waited)
    if (tier === 'sleep')
      await database.withTenant(tenant, (tx) => requestRun(tx, { tenant, user, tier, at: Date.now() }));
}

/** The longest time for which a worker keeps a batch to itself, and how much of it passes here: its processes live much shorter. */
const LOOK_TAKEN_MS = 15 * 60_000;
const LOOK_TAKES_MS = 10_000;

/** A storm waits for minutes for no batch either, but for one at which a worker may be looking. @returns what waits, in words; null: nothing */
async function hurryBatches(database: Database, tenants: readonly string[]): Promise<string | null> {
  const list = JSON.stringify(tenants);
  const [row] = await database.asOwner((tx) =>
    tx.rows<{ waiting: string | null }>(sql`
      with hurried as (
        update slowwave.model_batches set look_at = now()
        where tenant in (select jsonb_array_elements_text(${list}::jsonb)) and state in ('collecting', 'sending', 'submitted')
          and look_at > now() and look_at < now() + ${(LOOK_TAKEN_MS - LOOK_TAKES_MS) / 1_000} * interval '1 second')
      select string_agg(format('a batch is %s with %s questions, and looked at in %s s', b.state, w.questions,
          round(extract(epoch from b.look_at - now()))), '; ') as waiting
      from (
        select tenant, batch_id, count(*) as questions from slowwave.batch_requests
        where tenant in (select jsonb_array_elements_text(${list}::jsonb)) and state in ('collected', 'sent') group by 1, 2
      ) w left join slowwave.model_batches b on b.tenant = w.tenant and b.id = w.batch_id`),
  );
  return row!.waiting;
}

/** Every server is there, every way is open, every process goes on, the model answers, and the poisoned are in quarantine at last. */
export async function calmDown(stage: Stage, batch: Batch): Promise<void> {
  stage.model.setWeights(STEADY);
  for (const way of Object.values(stage.ways)) await way.set({ kind: 'pass' });
  const { postgres = null, redis = null } = stage.servers ?? {};
  for (const server of [postgres, redis]) if (server && !(await server.isRunning())) await server.start();
  for (const slot of [...stage.workers.list, ...(stage.producers?.list ?? [])])
    slot.current()?.signal('SIGCONT');
  if (batch.users.every(({ poisoned }) => !poisoned)) return;
  const rest = () =>
    restPoisoned(stage.database, batch).then(
      () => true,
      () => false,
    );
  await until('the database to answer', rest);
}

async function restPoisoned(database: Database, { users }: Batch): Promise<void> {
  const poisoned = users.filter((user) => user.poisoned).map(({ tenant, user }) => ({ tenant, user }));
  await database.asOwner((tx) =>
    tx.rows(sql`
      update slowwave.user_tiers t
      set due_at = 'infinity', quarantined_at = now(), quarantine_code = 'never_ended', requested_run = null
      from jsonb_to_recordset(${JSON.stringify(poisoned)}::jsonb) as p(tenant text, "user" text)
      where t.tenant = p.tenant and t.user_id = p."user"`),
  );
}

/**
 * Waits until everything that is due is done, and nobody waits after a failure.
 * @returns after how many ms, or what is not done at the limit
 */
export async function recover(
  stage: Stage,
  batch: Batch,
  invariantsNow: () => Invariants,
  limitMs: number,
  toll: Toll,
): Promise<{ ms: number; unfinished: string | null }> {
  const begun = Date.now();
  for (;;) {
    const late = Date.now() - begun > limitMs;
    const unfinished = await look(stage, async () => {
      const released = await letGo(stage.database, batch, toll);
      const waited = await endWaits(stage.database, batch.tenants);
      await askForNights(stage.database, waited);
      const waiting = waited.length + released;
      const questions = await hurryBatches(stage.database, batch.tenants);
      const invariants = invariantsNow();
      const some = await invariants.quiescent();
      const left = some && late ? await invariants.describeUnfinished() : some;
      // Nothing fails any more: who waits after a failure has work left.
      return left || questions || (waiting > 0 ? `${waiting} tiers waited after a failure` : null);
    });
    if (unfinished === null || late) return { ms: Date.now() - begun, unfinished };
    await pause(stage.lookEveryMs, AbortSignal.timeout(limitMs));
  }
}

/** @returns what work returns, or why it could not look: servers that have just come back may turn somebody away */
async function look(stage: Stage, work: () => Promise<string | null>): Promise<string | null> {
  await stage.enter();
  try {
    return await work();
  } catch (error) {
    const { code } = error as { code?: unknown };
    return `could not look: ${typeof code === 'string' ? code : 'internal'}`;
  } finally {
    await stage.leave();
  }
}
