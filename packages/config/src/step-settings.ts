import type { Setting } from './setting.ts';

/** Names and words of the four settings that every step with a language model has. */
interface StepWords<Step extends string, Items extends string> {
  /** As in the names, such as REM. */
  step: Step;
  /** As in a sentence, such as "REM". */
  title: string;
  tokens: string;
  items: { unit: Items; default: string; max: number; description: string };
}

/** Another model, seconds, tokens and items of one step; each has a maximum. */
function settingsOf<Step extends string, Items extends string>(words: StepWords<Step, Items>) {
  const { step, title, tokens, items } = words;
  return [
    {
      name: `SLOWWAVE_${step}_MODEL`,
      kind: 'text',
      description: `Another model of the same provider for ${title}. Unset: SLOWWAVE_MODEL.`,
    },
    {
      name: `SLOWWAVE_${step}_SECONDS`,
      kind: 'integer',
      default: '300',
      min: 1,
      max: 3600,
      description: `How long ${title} may begin model calls in one run, in seconds.`,
    },
    {
      name: `SLOWWAVE_${step}_TOKENS`,
      kind: 'integer',
      default: tokens,
      min: 1000,
      max: 10000000,
      description: `Tokens, read and written, up to which ${title} may begin model calls in one run.`,
    },
    {
      name: `SLOWWAVE_${step}_${items.unit}`,
      kind: 'integer',
      default: items.default,
      min: 1,
      max: items.max,
      description: items.description,
    },
  ] as const satisfies readonly Setting[];
}

/** What the steps of a run may spend, how long things are kept, and when a user counts as overdue or as poisoned. */
export const STEP_SETTINGS = [
  ...settingsOf({
    step: 'FUSION',
    title: 'the fusion of deep runs',
    tokens: '100000',
    items: {
      unit: 'CLUSTERS',
      default: '5',
      max: 50,
      description: 'Most clusters that one deep run fuses.',
    },
  }),
  ...settingsOf({
    step: 'SUMMARIES',
    title: 'session summaries',
    tokens: '200000',
    items: {
      unit: 'SESSIONS',
      default: '20',
      max: 200,
      description: 'Most sessions that one deep run summarises.',
    },
  }),
  ...settingsOf({
    step: 'CONFLICTS',
    title: 'the labelling of contradictions',
    tokens: '100000',
    items: {
      unit: 'PAIRS',
      default: '48',
      max: 480,
      description: 'Most pairs of memories that one sleep run has labelled.',
    },
  }),
  ...settingsOf({
    step: 'NREM',
    title: 'the fusion of sleep runs (NREM)',
    tokens: '200000',
    items: {
      unit: 'CLUSTERS',
      default: '10',
      max: 100,
      description: 'Most clusters that one sleep run fuses.',
    },
  }),
  ...settingsOf({
    step: 'REM',
    title: 'REM',
    tokens: '100000',
    items: {
      unit: 'SEEDS',
      default: '6',
      max: 24,
      description: 'Most memories from which one sleep run looks for new connections.',
    },
  }),
  ...settingsOf({
    step: 'REFLECTION',
    title: 'self-reflection',
    tokens: '50000',
    items: {
      unit: 'SESSIONS',
      default: '40',
      max: 200,
      description: 'Most session summaries that one self-reflection reads.',
    },
  }),
  ...settingsOf({
    step: 'INSIGHTS',
    title: 'the extraction of insights from workspaces',
    tokens: '200000',
    items: {
      unit: 'WORKSPACES',
      default: '10',
      max: 100,
      description: 'Most workspaces of one user whose insights one light run extracts.',
    },
  }),
  {
    name: 'SLOWWAVE_REVIEW_DAYS',
    kind: 'integer',
    default: '14',
    min: 1,
    max: 365,
    description:
      'How long a fusion waits for a person in the mode "review" before it is taken back, in days.',
  },
  {
    name: 'SLOWWAVE_RETENTION_DAYS',
    kind: 'integer',
    min: 30,
    max: 36500,
    description:
      'Superseded and archived memories older than this move to the cold table, in days. Unset: nothing is ever moved.',
  },
  {
    name: 'SLOWWAVE_JOURNAL_RETENTION_DAYS',
    kind: 'integer',
    default: '90',
    min: 0,
    max: 36500,
    description:
      'How long the journal keeps how things were before each change, in days; what is older cannot be undone. 0 keeps it for ever.',
  },
  {
    name: 'SLOWWAVE_RUN_RETENTION_DAYS',
    kind: 'integer',
    default: '90',
    min: 1,
    max: 3650,
    description: 'How long the records of ended runs are kept, in days.',
  },
  {
    name: 'SLOWWAVE_OVERDUE_SECONDS',
    kind: 'integer',
    default: '900',
    min: 60,
    max: 86400,
    description: 'A user who has been due for longer than this counts as overdue, in seconds.',
  },
  {
    name: 'SLOWWAVE_QUARANTINE_AFTER',
    kind: 'integer',
    default: '5',
    min: 2,
    max: 100,
    description:
      'Failed runs in a row, outages apart, after which a user goes into quarantine until an operator releases them.',
  },
] as const satisfies readonly Setting[];
