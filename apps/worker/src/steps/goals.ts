import { openCheckIns } from '@slowwave/db';
import type { Step } from '../context.ts';
import { CHECK_INS } from '../questions.ts';

const CHECK_INS_LIMIT = 200;

/** One check-in for each goal whose deadline has come nearer: within a week, within two days, past. */
export const goals: Step = {
  name: 'goals',
  asks: [CHECK_INS],
  async run({ look, write, tenant, user, at }) {
    const { report, fresh } = await look.seen(CHECK_INS);
    if (!fresh) return { status: 'done', counts: { ...report } };
    const counts = await write((tx) => openCheckIns(tx, { tenant, user, at, limit: CHECK_INS_LIMIT }));
    return { status: 'done', counts: { ...counts } };
  },
};
