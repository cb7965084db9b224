import { openCheckIns } from '@slowwave/db';
import type { Step } from '../context.ts';

const CHECK_INS_LIMIT = 200;

/** One check-in for each goal whose deadline has come nearer: within a week, within two days, past. */
export const goals: Step = {
  name: 'goals',
  async run({ write, tenant, user, at }) {
    const counts = await write((tx) => openCheckIns(tx, { tenant, user, at, limit: CHECK_INS_LIMIT }));
    return { status: 'done', counts: { ...counts } };
  },
};
