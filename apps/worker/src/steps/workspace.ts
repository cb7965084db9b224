import type { Step } from '../context.ts';

/** The place of the projection into a workspace, for users who have one. */
export const workspace: Step = {
  name: 'workspace',
  run: async () => ({ status: 'skipped', reason: 'no_workspace' }),
};
