import { archiveExpired } from '@slowwave/db';
import type { Step } from '../context.ts';

const EXPIRE_LIMIT = 1_000;

/** Memories past their expiry become archived; the rows stay. */
export const expire: Step = {
  name: 'expire',
  async run({ database, tenant, user, at }) {
    const archived = await database.withTenant(tenant, (tx) =>
      archiveExpired(tx, { tenant, user, at, limit: EXPIRE_LIMIT }),
    );
    return { status: 'done', counts: { archived } };
  },
};
