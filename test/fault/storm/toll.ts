import type { Tally } from '../types.ts';
import type { End, Running } from './processes.ts';

/** What a storm did, by kind, and when: what the promises are measured against. */
export interface Toll {
  /** Something that may cost model calls under way in so many processes. */
  add(kind: string, costs?: 'kill' | 'cut' | 'nothing', processes?: number): void;
  /** A process of the service ended without being asked to by SIGTERM, or before it could hear that. */
  ended(slot: string, end: End, process: Pick<Running, 'reached' | 'wasReady'>): void;
  flushed(): void;
  counts(): Record<string, number>;
  /** Processes that ended by SIGKILL, whoever sent it. */
  processKills(): number;
  /** Failpoints at which processes ended. */
  points(): Record<string, number>;
  faultsAt(): number[];
  tally(): Pick<Tally, 'kills' | 'cuts' | 'flushedAt'>;
}

export function createToll(): Toll {
  const counts: Record<string, number> = {};
  const points: Record<string, number> = {};
  const faultsAt: number[] = [];
  const tally: Pick<Tally, 'kills' | 'cuts' | 'flushedAt'> = { kills: 0, cuts: 0, flushedAt: null };
  let processKills = 0;
  const count = (kind: string) => {
    counts[kind] = (counts[kind] ?? 0) + 1;
  };
  return {
    add(kind, costs = 'nothing', processes = 1) {
      count(kind);
      if (costs === 'nothing') return;
      faultsAt.push(Date.now());
      tally[costs === 'kill' ? 'kills' : 'cuts'] += processes;
    },
    ended(slot, end, process) {
      faultsAt.push(Date.now());
      tally.kills += 1;
      const place = process.reached.at(-1);
      if (end.signal === 'SIGKILL') {
        processKills += 1;
        const role = slot.replace(/-\d+$/, '');
        count(place ? `${role} at a failpoint` : `${role} at any time`);
        if (place) points[place] = (points[place] ?? 0) + 1;
        return;
      }
      if (end.signal === 'SIGTERM') return count('process told to stop while it started');
      const unstarted = process.wasReady() ? '' : ' before it worked';
      count(
        place
          ? 'process ended at a failpoint'
          : `process ended by itself${unstarted} (${end.code ?? end.signal})`,
      );
    },
    flushed() {
      count('queue emptied');
      tally.flushedAt = Date.now();
    },
    counts: () => ({ ...counts }),
    processKills: () => processKills,
    points: () => ({ ...points }),
    faultsAt: () => [...faultsAt],
    tally: () => ({ ...tally }),
  };
}
