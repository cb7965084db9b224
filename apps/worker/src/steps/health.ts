import { readUserHealth } from '@slowwave/db';
import type { Step } from '../context.ts';

/** A tier that waits longer than this for its turn counts as overdue. */
const GRACE_MS = 15 * 60_000;

/** How the user is after this run: bands, what is not embedded yet, tiers that wait or fail. Counts only; nothing is written. */
export const health: Step = {
  name: 'health',
  async run({ database, tenant, user, tier, at, embedder }) {
    const counts = await database.withTenant(tenant, (tx) =>
      readUserHealth(tx, { tenant, user, tier, at, embeddingModel: embedder.model, graceMs: GRACE_MS }),
    );
    return { status: 'done', counts: { ...counts } };
  },
};
