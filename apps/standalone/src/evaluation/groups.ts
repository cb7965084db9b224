import { type Database, listEvaluated, loadCandidates } from '@slowwave/db';
import {
  DEEP_WINDOW,
  type GroupTracker,
  type PlanConfig,
  restatementGroups,
  SLEEP_WINDOW,
  trackGroups,
} from '@slowwave/fusion';
import { type Step, TIER_STEPS, type WorkerEvent } from '@slowwave/worker';
import type { EvaluationSet } from './read.ts';

/** The steps of a simulation that also look at what each plan may take, and what they tell. */
export interface FollowedGroups {
  tracker: GroupTracker;
  tierSteps: typeof TIER_STEPS;
  onEvent(event: WorkerEvent): void;
}

/** Follows the groups that the set marks, the set being imported. @returns null where it marks none */
export async function followGroups(
  database: Database,
  set: EvaluationSet,
  model: string,
): Promise<FollowedGroups | null> {
  const groups = restatementGroups(set.memories);
  if (groups.length === 0) return null;
  const numbers = new Map<string, number>();
  for (const [number, { tenant, user, ids }] of groups.entries())
    for (const id of ids) numbers.set(JSON.stringify([tenant, user, id]), number);
  const groupOf = new Map<string, number>();
  const people = new Map(
    groups.map(({ tenant, user }) => [JSON.stringify([tenant, user]), { tenant, user }]),
  );
  for (const { tenant, user } of people.values()) {
    const all = await database.withTenant(tenant, (tx) => listEvaluated(tx, { tenant, user, model }));
    for (const { id, externalId } of all) {
      const number = numbers.get(JSON.stringify([tenant, user, externalId]));
      if (number !== undefined) groupOf.set(id, number);
    }
  }
  const tracker = trackGroups(groups, groupOf);
  return {
    tracker,
    tierSteps: {
      ...TIER_STEPS,
      deep: lookingBefore('fusion', DEEP_WINDOW, TIER_STEPS.deep, tracker),
      sleep: lookingBefore('nrem', SLEEP_WINDOW, TIER_STEPS.sleep, tracker),
    },
    onEvent(event) {
      if (event.type === 'fusion' && event.event.type === 'cluster_ended') tracker.ended(event.event.outcome);
    },
  };
}

/** The steps with one more, which loads what the plan of the next one will be made of. */
function lookingBefore(
  name: string,
  window: PlanConfig,
  steps: readonly Step[],
  tracker: GroupTracker,
): readonly Step[] {
  const look: Step = {
    name: `${name}_window`,
    async run({ database, tenant, user, at, embedder }) {
      const { minProminence, maxProminence, minAgeMs } = window;
      const { candidates } = await database.withTenant(tenant, (tx) =>
        loadCandidates(tx, {
          ...{ tenant, user, at, embeddingModel: embedder.model, edgeLimit: 0 },
          window: { minProminence, maxProminence, minAgeMs },
        }),
      );
      tracker.met(candidates, window.crossCategory);
      return { status: 'done', counts: {} };
    },
  };
  return steps.flatMap((step) => (step.name === name ? [look, step] : [step]));
}
