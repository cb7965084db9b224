import { setMaxListeners } from 'node:events';
import { sql } from 'drizzle-orm';
import { UNSTEADY } from '../failing-model.ts';
import { createInvariants } from '../invariants/index.ts';
import type { Tally, Violation } from '../types.ts';
import { type BlowContext, rollOver, strike } from './blows.ts';
import { calmDown, hurry, recover } from './calm.ts';
import { hunt, pause } from './hunt.ts';
import { emptyLogs, judge } from './judge.ts';
import { createRandom, type Random } from './random.ts';
import type { Stage } from './stage.ts';
import { createToll, type Toll } from './toll.ts';
import { type Batch, drawBatch, seedBatch, wakeBatch } from './users.ts';
import { hurtWays } from './ways.ts';

const POISONED = 2;
/** A storm that has ended fewer processes goes on: on a busy machine it may be over before the first one works. */
const KILLS_MIN = 3;
/** So many times as long. */
const LONGER_MAX = 10;
/** From the end of one process until the next one in its place works. */
const RESTART_MS = 450;

export interface RoundOptions {
  /** Everything that is drawn in this round comes from it. */
  seed: number;
  users: number;
  /** Nights are due. */
  nights: boolean;
  stormMs: number;
  killsPerMinute: number;
  recoverMs: number;
}

/** What one round did and saw. */
export interface RoundReport {
  seed: number;
  seconds: number;
  users: number;
  processKills: number;
  counts: Record<string, number>;
  points: Record<string, number>;
  /** Applied. */
  fusions: number;
  /** All of them, by what became of them. */
  ledger: Record<string, number>;
  calls: number;
  /** Of these, those that came in a batch. */
  batched: number;
  /** Statements that a lying writer proposed, by kind, and what an honest judge said; empty where the writer is honest. */
  lies: Record<string, number>;
  recoveryMs: number;
  violations: Violation[];
}

/** One round: fresh users, a storm, a calm, and every promise judged. */
export async function runRound(
  stage: Stage,
  options: RoundOptions,
  begin: (toll: Toll) => void,
): Promise<{ report: RoundReport; batch: Batch }> {
  const begun = Date.now();
  const random = createRandom(options.seed);
  const toll = createToll();
  const batch = drawBatch(random.fork('users'), {
    name: options.seed.toString(36),
    count: options.users,
    poisoned: stage.servers === null ? 0 : POISONED,
    stormMs: options.stormMs,
    people: stage.liar !== null,
    nights: options.nights,
  });
  const violations: Violation[] = [];
  const broken = (invariant: string, detail: string) => void violations.push({ invariant, detail });
  const invariantsNow = () =>
    createInvariants({
      database: stage.database,
      queues: stage.queues(),
      redis: stage.keys,
      tenants: batch.tenants,
    });
  const before = stage.model.counts();
  const liesBefore = liesOf(stage);
  const thrownBefore = stage.workers.thrown();
  await stage.enter();
  await seedBatch(stage.database, batch, Date.now());
  const snapshot = await invariantsNow().snapshot();
  await wakeBatch(stage.database, batch);
  await stage.leave();
  begin(toll);
  await rage(stage, batch, random, { ...options, toll, broken });

  await calmDown(stage, batch);
  // One after the other, with work to do and nothing else going on; a clock that is wrong goes with its process.
  if (stage.servers !== null)
    for (const slot of stage.workers.list) await rollOver({ stage, toll, broken }, slot, false);
  const recovered = await recover(stage, batch, invariantsNow, options.recoverMs * stage.pace, toll);
  if (recovered.unfinished !== null) violations.push({ invariant: 'recovery', detail: recovered.unfinished });
  await stage.enter();
  const ledger = await countFusions(stage, batch);
  const after = stage.model.counts();
  const calls = after.calls - before.calls;
  const tally: Tally = {
    ...toll.tally(),
    calls,
    timeouts: after.lost - before.lost,
    refusals: after.refused - before.refused,
  };
  const thrown = stage.workers.thrown() - thrownBefore;
  const seen = { snapshot, tally, thrown, toll, isSettled: recovered.unfinished === null };
  violations.push(...(await judge(stage, batch, { ...seen, invariantsNow, recoverMs: options.recoverMs })));
  await stage.leave();
  const report: RoundReport = {
    seed: options.seed,
    seconds: (Date.now() - begun) / 1_000,
    users: batch.users.length,
    processKills: toll.processKills(),
    counts: toll.counts(),
    points: toll.points(),
    fusions: ledger.applied ?? 0,
    ledger,
    calls,
    batched: after.batched - before.batched,
    lies: differenceOf(liesBefore, liesOf(stage)),
    recoveryMs: recovered.ms,
    violations,
  };
  if (violations.length === 0) await emptyLogs(stage.logs);
  return { report, batch };
}

/** Proposals and judgements so far, by kind. */
function liesOf({ liar }: Stage): Record<string, number> {
  if (liar === null) return {};
  const { proposed, judged } = liar.counts();
  const named = Object.entries(judged).map(([name, count]) => [`judged ${name}`, count]);
  return { ...proposed, ...Object.fromEntries(named) };
}

const differenceOf = (before: Record<string, number>, after: Record<string, number>) =>
  Object.fromEntries(Object.entries(after).map(([name, count]) => [name, count - (before[name] ?? 0)]));

async function rage(
  stage: Stage,
  batch: Batch,
  random: Random,
  options: RoundOptions & Pick<BlowContext, 'toll' | 'broken'>,
): Promise<void> {
  const { toll, broken, stormMs, killsPerMinute } = options;
  const storm = new AbortController();
  const over = storm.signal;
  setMaxListeners(0, over);
  const { list } = stage.workers;
  const lifeMs = stage.pace * ((list.length * 60_000) / killsPerMinute - RESTART_MS);
  stage.model.setWeights(UNSTEADY);
  const work = [
    ...list.map((slot) => hunt(slot, random.fork(slot.name), { lifeMs, armed: true, over })),
    hurtWays(stage, random.fork('ways'), toll, over),
    strike({
      stage,
      batch,
      random: random.fork('blows'),
      toll,
      over,
      broken,
    }),
    ...(stage.servers === null ? [] : [hurry(stage.database, batch, toll, over)]),
  ];
  // One that fails is told of when the others have ended too.
  const ended = Promise.allSettled(work);
  await pause(stormMs, over);
  for (let more = 0; toll.processKills() < KILLS_MIN && more < LONGER_MAX; more += 1)
    await pause(stormMs, over);
  storm.abort();
  for (const one of await ended) if (one.status === 'rejected') throw one.reason;
}

/** Fusions of the batch by what became of them. */
async function countFusions(stage: Stage, { tenants }: Batch): Promise<Record<string, number>> {
  const found = await stage.database.asOwner((tx) =>
    tx.rows<{ status: string; n: number }>(sql`
      select status, count(*)::int as n from slowwave.fusions
      where tenant in (select jsonb_array_elements_text(${JSON.stringify(tenants)}::jsonb)) group by status order by n desc`),
  );
  return Object.fromEntries(found.map(({ status, n }) => [status, n]));
}
