import type { QueueName } from '@slowwave/queue';
import type { Verdict } from '../../../packages/queue/src/outcome.ts';

/** A job of a tier, of what people ask for, or of the fusions queue. Runs and fusions by whatever names the owner of the line uses. */
export interface Ticket {
  queue: Exclude<QueueName, 'ticks'>;
  user: string;
  tier: 'light' | 'deep' | 'sleep';
  /** Of an adhoc job and of a fusion. */
  run: string | null;
  /** Of a fusion. */
  fusion: string | null;
}

export interface Entry {
  serial: number;
  ticket: Ticket;
  state: 'waiting' | 'active' | 'failed';
  attempts: number;
  attemptsMade: number;
  starts: number;
  postponed: number;
  code: string | null;
  /** Another wake-up of the same user and tier came while this one was active. */
  again: boolean;
  /** Added by force: it merges with nothing. */
  doubled: boolean;
}

export type Line = ReturnType<typeof createLine>;

const ATTEMPTS: Record<Ticket['queue'], number> = { light: 3, deep: 3, sleep: 3, adhoc: 3, fusions: 2 };

/**
 * The queue as the service may count on it: jobs wait, are handed over, come back or stand in the failed list; equal wake-ups merge. It may
 * lose everything. One of these is driven by the product, another by the model: they must always hold the same.
 */
export function createLine() {
  let entries: Entry[] = [];
  let serials = 0;

  function push(ticket: Ticket, doubled = false): Entry {
    serials += 1;
    const fresh = { attemptsMade: 0, starts: 0, postponed: 0, code: null, again: false };
    const entry: Entry = {
      serial: serials,
      ticket,
      state: 'waiting',
      attempts: ATTEMPTS[ticket.queue],
      ...fresh,
      doubled,
    };
    entries.push(entry);
    return entry;
  }
  const drop = (entry: Entry): void => {
    entries = entries.filter((one) => one !== entry);
  };
  const holds = (entry: Entry): boolean => entries.includes(entry);

  return {
    entries: (): readonly Entry[] => entries,
    holds,
    /** A wake-up, a run that was asked for, or a fusion. */
    add(ticket: Ticket): void {
      const same = entries.filter(({ ticket: of, doubled }) => !doubled && nameOf(of) === nameOf(ticket));
      const open = same.find(({ state }) => state !== 'failed');
      if (ticket.queue === 'fusions') {
        const failed = same.find(({ state }) => state === 'failed');
        if (failed && !open)
          Object.assign(failed, { state: 'waiting', ticket, attemptsMade: 0, starts: 0, code: null });
        else if (!open) push(ticket);
        return;
      }
      if (!open) push(ticket);
      else if (open.state === 'active' && ticket.queue !== 'adhoc') open.again = true;
    },
    double: (entry: Entry): Entry => push(entry.ticket, true),
    lose: drop,
    flush(): void {
      entries = [];
    },
    /** An operator's retry: the starts stay counted. */
    retry(entry: Entry): void {
      Object.assign(entry, { state: 'waiting', attemptsMade: 0, code: null });
    },
    take(entry: Entry): void {
      entry.state = 'active';
      entry.starts += 1;
    },
    /** Of jobs whose worker is gone or no longer says anything. @returns how many came back */
    giveBack(): number {
      const lost = entries.filter(({ state }) => state === 'active');
      for (const entry of lost) entry.state = 'waiting';
      return lost.length;
    },
    /** What becomes of a job that was handed over for the `start`-th time; nothing when it is somebody else's by now. */
    settle(entry: Entry, start: number, verdict: Verdict): void {
      if (!holds(entry) || entry.state !== 'active' || entry.starts !== start) return;
      const { outcome } = verdict;
      if (outcome === 'retry' || outcome === 'failed') entry.attemptsMade += 1;
      if (outcome === 'failed' && entry.ticket.queue === 'fusions') {
        Object.assign(entry, { state: 'failed', code: verdict.failure.code });
      } else if (outcome === 'completed' || outcome === 'returned' || outcome === 'failed') {
        drop(entry);
        if (entry.again) push(entry.ticket);
      } else {
        entry.state = 'waiting';
        if (outcome === 'postponed') entry.postponed = verdict.postponed;
      }
    },
    count: (queue: Ticket['queue'], state: Entry['state']): number =>
      entries.filter((entry) => entry.ticket.queue === queue && entry.state === state).length,
  };
}

const nameOf = ({ queue, user, tier, run, fusion }: Ticket): string =>
  queue === 'fusions' ? `fusions ${fusion}` : `${queue} ${user} ${tier} ${queue === 'adhoc' ? run : ''}`;

/** The same line in the same words, whoever drove it. */
export function readLine(line: Line, namesOf: (ticket: Ticket) => Ticket): { label: string; entry: Entry }[] {
  const counted = new Map<string, number>();
  const labelled = line.entries().map((entry) => {
    const name = nameOf(namesOf(entry.ticket));
    const nth = (counted.get(name) ?? 0) + 1;
    counted.set(name, nth);
    return { label: `${name} #${nth}`, entry };
  });
  return labelled.sort((one, other) => (one.label < other.label ? -1 : 1));
}
