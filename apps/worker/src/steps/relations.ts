import type { Step } from '../context.ts';
import { RELATIONS } from '../questions.ts';

/** Counts relations, those that hang in the air, and hypotheses that have faded. Changes nothing. */
export const relations: Step = {
  name: 'relations',
  asks: [RELATIONS],
  async run({ look }) {
    return { status: 'done', counts: { ...(await look.seen(RELATIONS)) } };
  },
};
