import type { Step } from '../context.ts';

/** The place of contradictions, before anything of the night is fused. */
export const conflicts: Step = {
  name: 'conflicts',
  run: async () => ({ status: 'skipped', reason: 'not_available' }),
};
