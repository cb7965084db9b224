import { until } from '../../fixtures/wait.ts';
import type { Part } from './service.ts';

/**
 * Whoever asks for a run has it begun within this, ms, whatever the rest of the service is busy with. The goal is two seconds on a machine
 * of its own (by hand: LIMITS_SERVED_MS=2000); on one that is shared, what counts is who is served while the rest goes on.
 */
export const SERVED_WITHIN_MS = Number(process.env.LIMITS_SERVED_MS ?? Number.POSITIVE_INFINITY);

/** What a process was like at its worst while it was watched. */
export interface Strain {
  /** Resident memory, bytes. */
  residentBytes: number;
  /** The longest that its event loop did not turn, ms. */
  lagMs: number;
  looks: number;
}

export interface StrainWatch {
  /** The worst so far. */
  worst: Strain;
  stop(): Promise<Strain>;
}

const LOOK_EVERY_MS = 100;

/** Watches a process through its own numbers, which it also gives while it works. */
export async function watchStrain(part: Part): Promise<StrainWatch> {
  const worst: Strain = { residentBytes: 0, lagMs: 0, looks: 0 };
  let over = false;
  const look = async () => {
    // Asked for one by one each would begin the measurement of the other anew: the lag is counted from look to look.
    const { residentBytes, lagMs } = await part.strain();
    worst.residentBytes = Math.max(worst.residentBytes, residentBytes);
    worst.lagMs = Math.max(worst.lagMs, lagMs);
    worst.looks += 1;
  };
  await look();
  worst.lagMs = 0;
  const looking = until(
    'the end of the watch',
    async () => {
      await look();
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
      return over;
    },
    Number.POSITIVE_INFINITY,
  );
  looking.catch(() => {});
  return {
    worst,
    async stop() {
      over = true;
      await looking;
      return worst;
    },
  };
}
