import type { Tier } from '@slowwave/fusion';
import type { Step } from './context.ts';
import { fullDecay, incrementalDecay } from './steps/decay.ts';
import { embed } from './steps/embed.ts';
import { expire } from './steps/expire.ts';
import { fusion } from './steps/fusion.ts';

/** The steps of each tier, in order. A step more is one file and one entry here. */
export const TIER_STEPS: Record<Tier, readonly Step[]> = {
  light: [embed, incrementalDecay, expire],
  // What was written since the last light tick has no neighbours yet: deep and sleep embed first, which costs one look otherwise.
  deep: [embed, fullDecay, fusion],
  sleep: [embed, fusion],
};
