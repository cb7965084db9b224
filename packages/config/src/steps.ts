import type { RawConfig } from './read.ts';

/** The steps that ask a language model. */
export const CONFIGURED_STEPS = [
  'fusion',
  'summaries',
  'conflicts',
  'nrem',
  'rem',
  'reflection',
  'insights',
] as const;
export type ConfiguredStep = (typeof CONFIGURED_STEPS)[number];

/** What one step of one run may spend, and whom it asks. */
export interface StepConfig {
  /** Another model of the same provider; absent: the one of all steps. */
  model?: string;
  /** No model call is begun after this many ms. */
  ms: number;
  /** No model call is begun once the step has used this many tokens, read and written. */
  tokens: number;
  /** Clusters (fusion, nrem), sessions (summaries), pairs (conflicts), seeds (rem), summaries read (reflection) or workspaces (insights). */
  items: number;
}

const NAMES = {
  fusion: {
    model: 'SLOWWAVE_FUSION_MODEL',
    seconds: 'SLOWWAVE_FUSION_SECONDS',
    tokens: 'SLOWWAVE_FUSION_TOKENS',
    items: 'SLOWWAVE_FUSION_CLUSTERS',
  },
  summaries: {
    model: 'SLOWWAVE_SUMMARIES_MODEL',
    seconds: 'SLOWWAVE_SUMMARIES_SECONDS',
    tokens: 'SLOWWAVE_SUMMARIES_TOKENS',
    items: 'SLOWWAVE_SUMMARIES_SESSIONS',
  },
  conflicts: {
    model: 'SLOWWAVE_CONFLICTS_MODEL',
    seconds: 'SLOWWAVE_CONFLICTS_SECONDS',
    tokens: 'SLOWWAVE_CONFLICTS_TOKENS',
    items: 'SLOWWAVE_CONFLICTS_PAIRS',
  },
  nrem: {
    model: 'SLOWWAVE_NREM_MODEL',
    seconds: 'SLOWWAVE_NREM_SECONDS',
    tokens: 'SLOWWAVE_NREM_TOKENS',
    items: 'SLOWWAVE_NREM_CLUSTERS',
  },
  rem: {
    model: 'SLOWWAVE_REM_MODEL',
    seconds: 'SLOWWAVE_REM_SECONDS',
    tokens: 'SLOWWAVE_REM_TOKENS',
    items: 'SLOWWAVE_REM_SEEDS',
  },
  reflection: {
    model: 'SLOWWAVE_REFLECTION_MODEL',
    seconds: 'SLOWWAVE_REFLECTION_SECONDS',
    tokens: 'SLOWWAVE_REFLECTION_TOKENS',
    items: 'SLOWWAVE_REFLECTION_SESSIONS',
  },
  insights: {
    model: 'SLOWWAVE_INSIGHTS_MODEL',
    seconds: 'SLOWWAVE_INSIGHTS_SECONDS',
    tokens: 'SLOWWAVE_INSIGHTS_TOKENS',
    items: 'SLOWWAVE_INSIGHTS_WORKSPACES',
  },
} as const;

/** Models and limits of the steps. A step's model without a provider that has models is a mistake: it would never be asked. */
export function stepsOf(raw: RawConfig, mistakes: string[]): Record<ConfiguredStep, StepConfig> {
  const hasModels = raw.SLOWWAVE_MODEL_PROVIDER === 'anthropic' || raw.SLOWWAVE_MODEL_PROVIDER === 'openai';
  const stepOf = (step: ConfiguredStep): StepConfig => {
    const names = NAMES[step];
    const model = raw[names.model];
    if (model !== undefined && !hasModels)
      mistakes.push(`${names.model}: needs anthropic or openai as SLOWWAVE_MODEL_PROVIDER`);
    return {
      ms: Number(raw[names.seconds]) * 1000,
      tokens: Number(raw[names.tokens]),
      items: Number(raw[names.items]),
      ...(typeof model === 'string' ? { model } : {}),
    };
  };
  return {
    fusion: stepOf('fusion'),
    summaries: stepOf('summaries'),
    conflicts: stepOf('conflicts'),
    nrem: stepOf('nrem'),
    rem: stepOf('rem'),
    reflection: stepOf('reflection'),
    insights: stepOf('insights'),
  };
}
