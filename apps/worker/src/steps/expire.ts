import { archiveExpired, expireScheduledItems } from '@slowwave/db';
import type { Step } from '../context.ts';
import { EXPIRED, ITEMS } from '../questions.ts';

const EXPIRE_LIMIT = 1_000;

/** Memories past their expiry become archived, and items that nobody took up in a day expire; the rows stay. */
export const expire: Step = {
  name: 'expire',
  asks: [EXPIRED, ITEMS],
  async run({ look, write, tenant, user, at, runId }) {
    if (!(await look.seen(EXPIRED)) && !(await look.seen(ITEMS)).late)
      return { status: 'done', counts: { archived: 0, items: 0 } };
    const of = { tenant, user, at, limit: EXPIRE_LIMIT };
    const counts = await write(async (tx) => ({
      archived: await archiveExpired(tx, { ...of, runId }),
      items: await expireScheduledItems(tx, of),
    }));
    return { status: 'done', counts };
  },
};
