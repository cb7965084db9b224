/** The steps that ask a language model. Each may have a model and limits of its own. */
export const MODEL_STEPS = [
  'fusion',
  'summaries',
  'conflicts',
  'nrem',
  'rem',
  'reflection',
  'insights',
] as const;
export type ModelStep = (typeof MODEL_STEPS)[number];

/** Who may have a model of its own: the steps, and the judge of their statements. */
export const MODEL_ROLES = [...MODEL_STEPS, 'judge'] as const;
export type ModelRole = (typeof MODEL_ROLES)[number];
