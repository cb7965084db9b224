import { SLEEP_WINDOW } from '@slowwave/fusion';
import type { Step } from '../context.ts';
import { fusionStep } from './fusion.ts';

/** Memories across categories, in a wider window than by day, fused at night. */
export const nrem: Step = fusionStep('nrem', 'sleep', SLEEP_WINDOW);
