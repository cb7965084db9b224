import { countBands, readCrossings } from '@slowwave/db';
import type { Step } from '../context.ts';

/** What crossed a band since the tier's last success. Time passing writes nothing: this only reads. */
export const incrementalDecay: Step = {
  name: 'decay',
  async run({ database, tenant, user, at, lastSuccessAt }) {
    const crossings = await database.withTenant(tenant, (tx) =>
      readCrossings(tx, { tenant, user, since: lastSuccessAt ?? 0, at }),
    );
    const { nextAt, ...crossed } = crossings;
    return { status: 'done', counts: { ...crossed, nextCrossingAt: nextAt } };
  },
};

/** Where all memories of the user stand now. */
export const fullDecay: Step = {
  name: 'decay',
  async run({ database, tenant, user, at }) {
    const counts = await database.withTenant(tenant, (tx) => countBands(tx, { tenant, user, at }));
    return { status: 'done', counts: { ...counts } };
  },
};
