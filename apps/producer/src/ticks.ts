import { TIERS, type Tier } from '@slowwave/fusion';
import type { Queues, QueueWorker } from '@slowwave/queue';
import { errorFacts } from '@slowwave/queue';
import { type FillDeps, fillTier, type TickSummary, type Upkeep } from './fill.ts';

export interface TickTiming {
  /** How often each tier beats, ms. */
  tickMs: number;
  /** A wake-up put in the queue longer ago than this, and not taken up since, counts as lost, ms. */
  requeueAfterMs: number;
  /** How often the schedulers are compared with the clock, ms. */
  watchEveryMs: number;
}

export interface TickDeps extends FillDeps {
  queues: Pick<Queues, 'counts' | 'addBulk' | 'addAdhoc' | 'ensureTick' | 'nextTick' | 'createWorker'>;
  timing: TickTiming;
  /** What is done after each beat of the light tier, such as deleting what is old, given what the beat saw; a failure waits for the next one. */
  upkeep?: readonly ((seen: Upkeep) => Promise<unknown>)[];
}

export interface Ticker {
  /** Makes the schedulers, takes their beats and watches over them. */
  start(): Promise<void>;
  started(): boolean;
  /** The tiers whose next beat is lost or overdue, or whose last one failed a short while ago. All of them before the start. */
  late(): Promise<Tier[]>;
  /** Takes no more beats and ends the one under way after its page. */
  stop(graceMs: number): Promise<void>;
}

export const REQUEUE_AFTER_MS = 10 * 60_000;
/** A lost scheduler is restored within this, however rarely the tiers beat: three small reads each time. */
const WATCH_EVERY_MAX_MS = 5_000;
/** A beat this much overdue is lost: a busy process may well be seconds behind. */
const LATE_MIN_MS = 5_000;

/** The timing of a producer whose tiers beat this often. */
export function timingFor(tickMs: number): TickTiming {
  return {
    tickMs,
    requeueAfterMs: REQUEUE_AFTER_MS,
    watchEveryMs: Math.min(tickMs, WATCH_EVERY_MAX_MS),
  };
}

/** Carries who is due into the queue, at the beats of one scheduler per tier. */
export function createTicker(deps: TickDeps): Ticker {
  const { queues, logger, timing } = deps;
  const lateAfterMs = Math.max(LATE_MIN_MS, 2 * timing.tickMs);
  // Tiers whose scheduler was gone, and when that was seen (epoch ms): then the queue was wiped, most likely, and the wake-ups
  // that were in it with it. Those put in it since are there.
  const wiped = new Map<Tier, number>();
  // When the last beat of a tier failed here, epoch ms: the next one may be another process's, so it does not count for ever.
  const failed = new Map<Tier, number>();
  const turns = new Map<Tier, string>();
  let worker: QueueWorker | null = null;
  let timer: NodeJS.Timeout | null = null;
  let watching: Promise<void> = Promise.resolve();
  let stopped = false;

  async function beat(tier: Tier, stopping: AbortSignal): Promise<TickSummary> {
    try {
      const { requeueAfterMs } = timing;
      const wipedAt = wiped.get(tier);
      const summary = await fillTier({ ...deps, turns }, { tier, requeueAfterMs, stopping, wipedAt });
      const { upkeep, ...counts } = summary;
      const { enqueued, requested, refused, full } = counts;
      failed.delete(tier);
      // What was noticed while this beat was under way is left to the next one.
      if (!full && !stopping.aborted && wiped.get(tier) === wipedAt) wiped.delete(tier);
      if (enqueued + requested > 0) logger.info(counts, 'wake-ups enqueued');
      if (refused > 0)
        logger.warn({ tier, refused }, 'users with ids that no job can carry were passed over');
      if (tier === 'light' && !stopping.aborted) await keepUp(upkeep);
      return summary;
    } catch (error) {
      failed.set(tier, deps.now());
      logger.warn({ tier, ...errorFacts(error) }, 'a tick failed; the next one tries again');
      throw error;
    }
  }

  async function keepUp(seen: Upkeep): Promise<void> {
    for (const work of deps.upkeep ?? []) {
      await work(seen).catch((error: unknown) => logger.warn(errorFacts(error), 'some upkeep failed'));
    }
  }

  // One far ahead was set by a clock that was wrong.
  const isLate = (next: number | null) =>
    next === null || next < deps.now() - lateAfterMs || next > deps.now() + 2 * timing.tickMs + lateAfterMs;

  const isFailing = (tier: Tier) => (failed.get(tier) ?? Number.NEGATIVE_INFINITY) > deps.now() - lateAfterMs;

  async function ensure(tier: Tier, next: number | null): Promise<void> {
    if (next === null) wiped.set(tier, deps.now());
    await queues.ensureTick(tier, timing.tickMs);
  }

  async function ensureAtStart(tier: Tier): Promise<void> {
    try {
      await ensure(tier, await queues.nextTick(tier));
    } catch (error) {
      logger.warn(
        { tier, ...errorFacts(error) },
        'the scheduler of a tier could not be made; the watch tries again',
      );
    }
  }

  async function watch(): Promise<void> {
    for (const tier of TIERS) {
      try {
        const next = await queues.nextTick(tier);
        if (stopped || !isLate(next)) continue;
        await ensure(tier, next);
        logger.warn({ tier, lost: next === null }, 'the scheduler of a tier was restored');
      } catch (error) {
        logger.warn({ tier, ...errorFacts(error) }, 'the scheduler of a tier could not be looked at');
      }
    }
  }

  function watchAgain(): void {
    timer = setTimeout(() => {
      watching = watch().then(() => {
        if (!stopped) watchAgain();
      });
    }, timing.watchEveryMs);
    timer.unref();
  }

  return {
    async start() {
      if (worker !== null || stopped) throw new TypeError('a ticker starts once');
      worker = queues.createWorker(
        'ticks',
        async (job, context) => {
          const { enqueued, requested, full } = await beat(job.data.tier, context.stopping);
          return context.completed({ enqueued, requested, full });
        },
        { concurrency: 1 },
      );
      await worker.ready();
      // A queue that fails in this moment is found again by the watch: everything else that this process serves goes on.
      for (const tier of TIERS) await ensureAtStart(tier);
      watchAgain();
    },
    started: () => worker !== null && !stopped,
    async late() {
      if (worker === null || stopped) return [...TIERS];
      const nexts = await Promise.all(TIERS.map((tier) => queues.nextTick(tier)));
      return TIERS.filter((tier, position) => isLate(nexts[position] ?? null) || isFailing(tier));
    },
    async stop(graceMs) {
      stopped = true;
      if (timer !== null) clearTimeout(timer);
      await Promise.all([watching, worker?.drain(graceMs)]);
    },
  };
}
