import type { Tier } from '@slowwave/fusion';

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

/** The model steps of each tier, in the order in which they run. */
export const MODEL_STEPS_OF: Readonly<Record<Tier, readonly ModelStep[]>> = {
  light: ['insights'],
  deep: ['fusion', 'summaries'],
  sleep: ['conflicts', 'nrem', 'rem', 'reflection'],
};

/** The step in which a model is asked: what judges statements does so for the step that writes them. */
export function stepOfRole(role: ModelRole, tier: Tier): ModelStep {
  return role === 'judge' ? (tier === 'sleep' ? 'nrem' : 'fusion') : role;
}
