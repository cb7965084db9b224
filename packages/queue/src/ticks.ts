import type { Tier } from '@slowwave/fusion';
import type { Queue } from 'bullmq';
import { tickId } from './ids.ts';
import type { TickJob } from './payload.ts';

/** The schedulers: one per tier, never one per user. */
export interface Ticks {
  /** Makes sure that the tier's scheduler exists and beats this often, from however many processes this is called. */
  ensureTick(tier: Tier, everyMs: number): Promise<void>;
  /** When the tier's scheduler beats next (epoch milliseconds), or null when it is lost. */
  nextTick(tier: Tier): Promise<number | null>;
}

const MIN_EVERY_MS = 100;
const MAX_EVERY_MS = 24 * 60 * 60 * 1_000;
/** Beats missed after which a scheduler counts as dead and is set up anew. */
const OVERDUE_BEATS = 2;
/** A next beat further ahead than two and this (ms) was set by a clock that was wrong: nobody waits until it is right. */
const AHEAD_MS = 5_000;
/** BullMQ's code: this beat and the next are there already. */
const SLOTS_BUSY = -11;

export function createTicks(queue: Queue): Ticks {
  return {
    async ensureTick(tier, everyMs) {
      if (!Number.isInteger(everyMs) || everyMs < MIN_EVERY_MS || everyMs > MAX_EVERY_MS) {
        throw new RangeError(`a tick comes every ${MIN_EVERY_MS} to ${MAX_EVERY_MS} ms`);
      }
      const found = await queue.getJobScheduler(tickId(tier));
      // A scheduler that beats is left alone: replacing its next beat would only be a chance to race with others who do.
      const [at, next] = [Date.now(), found?.next ?? 0];
      const isFarAhead = next > at + OVERDUE_BEATS * everyMs + AHEAD_MS; // guard: beat-far-ahead
      if (found?.every === everyMs && next > at - OVERDUE_BEATS * everyMs && !isFarAhead) return;
      // Set up anew, it would go on from there.
      if (isFarAhead) await queue.removeJobScheduler(tickId(tier));
      const data: TickJob = { v: 1, tier };
      try {
        // Each beat is a trace of its own, or one trace would go on for ever.
        const opts = { telemetry: { omitContext: true } };
        await queue.upsertJobScheduler(tickId(tier), { every: everyMs }, { name: 'tick', data, opts });
      } catch (error) {
        if ((error as { code?: unknown }).code !== SLOTS_BUSY) throw error;
      }
    },
    async nextTick(tier) {
      const scheduler = await queue.getJobScheduler(tickId(tier));
      return scheduler?.next ?? null;
    },
  };
}
