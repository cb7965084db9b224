import type { Setting } from './setting.ts';

/** Questions of the night that are asked together, at half the price. */
export const BATCH_SETTINGS = [
  {
    name: 'SLOWWAVE_BATCH',
    kind: 'choice',
    default: 'off',
    choices: ['off', 'sleep'],
    description:
      'Whether the questions of sleep runs wait for a batch of the anthropic provider, at half the price and some hours later: off or sleep. Providers keep batches for weeks, outside any agreement to retain nothing.',
  },
  {
    name: 'SLOWWAVE_BATCH_MIN_CALLS',
    kind: 'integer',
    default: '100',
    min: 1,
    max: 10000,
    description: 'With so many questions of one tenant and model a batch is sent at once.',
  },
  {
    name: 'SLOWWAVE_BATCH_WAIT_SECONDS',
    kind: 'integer',
    default: '300',
    min: 0,
    max: 7200,
    description: 'After so long a batch is sent with fewer questions, in seconds.',
  },
  {
    name: 'SLOWWAVE_BATCH_DEADLINE_HOURS',
    kind: 'integer',
    default: '12',
    min: 1,
    max: 24,
    description:
      'A question that a batch has not answered in so many hours is asked directly, and the batch cancelled.',
  },
] as const satisfies readonly Setting[];
