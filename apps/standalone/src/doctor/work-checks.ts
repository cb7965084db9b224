import { countOverdue, readMigrationState, type TierLoad } from '@slowwave/db';
import { TIERS, type Tier } from '@slowwave/fusion';
import type { Queues } from '@slowwave/queue';
import { plural } from '../print.ts';
import { type Check, type Finding, fail, ok, skipped, warn } from './check.ts';
import type { Subject } from './subject.ts';

type Counts = Record<Tier, Pick<TierLoad, 'overdue' | 'quarantined' | 'tierPaused'>>;

const sum = (counts: Counts, what: 'overdue' | 'quarantined'): number =>
  TIERS.reduce((total, tier) => total + counts[tier][what], 0);

const byTier = (counts: Counts, what: 'overdue' | 'quarantined'): string =>
  TIERS.filter((tier) => counts[tier][what] > 0)
    .map((tier) => `${tier} ${counts[tier][what]}`)
    .join(', ');

/** @param isServed somebody is at work; in a folder that nobody serves nothing can be on time */
export function overdueFinding(counts: Counts, isServed: boolean): Finding {
  const paused = TIERS.filter((tier) => counts[tier].tierPaused);
  if (sum(counts, 'overdue') > 0) {
    const cause = `users wait longer than they should: ${byTier(counts, 'overdue')}`;
    return isServed
      ? fail(
          cause,
          'see whether workers run and are enough (docs/how-to/scale-out.md), and what their log says',
        )
      : warn(`${cause}; no service runs`, 'slowwave start takes them up');
  }
  return paused.length > 0
    ? warn(`${paused.join(', ')} is paused for everybody`, `slowwave resume --tier ${paused[0]} ends that`)
    : ok('nobody waits longer than they should');
}

export function quarantineFinding(counts: Counts): Finding {
  if (sum(counts, 'quarantined') === 0) return ok('nobody is in quarantine');
  return warn(
    `in quarantine: ${byTier(counts, 'quarantined')}`,
    'slowwave quarantine lists them with the reason; when it is mended, slowwave release --user USER',
  );
}

/** What of the people's work is behind, straight from the data. @param options.now epoch ms */
export function workChecks(subject: Subject, options: { now: () => number; overdueMs: number }): Check[] {
  const look = (judge: (counts: Counts) => Finding) => async (): Promise<Finding> => {
    if (subject.kind !== 'open') return skipped('not looked at: there is no open database to count in');
    const { database } = subject;
    const { applied, pending } = await readMigrationState(database);
    if (applied === 0 || pending.length > 0) return skipped('not looked at: the schema is not up to date');
    const at = options.now();
    return judge(await database.asDispatcher((tx) => countOverdue(tx, { at, graceMs: options.overdueMs })));
  };
  const isServed = subject.kind === 'open' && subject.database.kind === 'server';
  return [
    { name: 'overdue', look: look((counts) => overdueFinding(counts, isServed)) },
    { name: 'quarantine', look: look(quarantineFinding) },
  ];
}

/** Clusters that failed for good wait in the queue's failed list for somebody. */
export function fusionsCheck(queues: () => Promise<Queues | null>): Check {
  return {
    name: 'fusions',
    async look() {
      const open = await queues().catch(() => undefined);
      if (open === undefined) return skipped('not looked at: the queue cannot be reached');
      if (open === null) return skipped('not looked at: Bull Board lists them at /board');
      const { failed, waiting } = await open.counts('fusions');
      if (failed === 0) return ok(`none has failed for good; ${waiting} wait`);
      return warn(
        `${plural(failed, 'fusion')} failed for good`,
        'read the reason in Bull Board (/board, queue fusions) and retry there',
      );
    },
  };
}
