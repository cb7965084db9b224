import type { Tier } from '@slowwave/fusion';
import type { Step } from './context.ts';
import { archive } from './steps/archive.ts';
import { audit } from './steps/audit.ts';
import { behaviour } from './steps/behaviour.ts';
import { conflicts } from './steps/conflicts.ts';
import { fullDecay, incrementalDecay } from './steps/decay.ts';
import { embed } from './steps/embed.ts';
import { expire } from './steps/expire.ts';
import { fusion } from './steps/fusion.ts';
import { goals } from './steps/goals.ts';
import { health } from './steps/health.ts';
import { insights } from './steps/insights.ts';
import { notes } from './steps/notes.ts';
import { nrem } from './steps/nrem.ts';
import { prune } from './steps/prune.ts';
import { reflection } from './steps/reflection.ts';
import { relations } from './steps/relations.ts';
import { rem } from './steps/rem.ts';
import { summaries } from './steps/summaries.ts';
import { trust } from './steps/trust.ts';
import { workspace } from './steps/workspace.ts';

/** The steps of each tier, in order. A step more is one file and one entry here. */
export const TIER_STEPS: Record<Tier, readonly Step[]> = {
  light: [embed, incrementalDecay, expire, health, insights],
  // What was written since the last light tick has no neighbours yet: deep and sleep embed first, which costs one look otherwise.
  deep: [
    notes,
    embed,
    fullDecay,
    fusion,
    summaries,
    audit,
    archive,
    prune,
    relations,
    behaviour,
    trust,
    goals,
  ],
  sleep: [notes, embed, conflicts, nrem, rem, reflection, workspace],
};
