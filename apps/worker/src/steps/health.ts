import type { Step } from '../context.ts';
import { HEALTH } from '../questions.ts';

/** How the user is after this run: bands, what is not embedded yet, tiers that wait or fail. Counts only; nothing is written. */
export const health: Step = {
  name: 'health',
  asks: [HEALTH],
  async run({ look }) {
    return { status: 'done', counts: { ...(await look.seen(HEALTH)) } };
  },
};
