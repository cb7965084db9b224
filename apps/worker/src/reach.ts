import type { BoundStore } from '@slowwave/db';
import type { LLMProvider, Tier } from '@slowwave/fusion';
import type { JobContext, JobResult, JobView } from '@slowwave/queue';
import type { Step, UserJobDeps } from './context.ts';
import type { Failpoints, Passing } from './failpoints.ts';
import { MODEL_ROLES } from './model-roles.ts';

type Handler<P> = (job: JobView<P>, context: JobContext) => Promise<JobResult>;

/** A handler that comes by the first and the last failpoint of a job, however it ends. */
export function reachJob<P extends Passing>(
  failpoints: Failpoints | undefined,
  handler: Handler<P>,
): Handler<P> {
  if (!failpoints) return handler;
  return async (job, context) => {
    const { tenant, user } = job.data;
    await failpoints('after-claim', { tenant, user });
    try {
      return await handler(job, context);
    } finally {
      await failpoints('before-ack', { tenant, user });
    }
  };
}

/** The same steps, each between two failpoints, with models and commits that come by theirs. */
export function reachSteps(
  failpoints: Failpoints | undefined,
  tiers: Record<Tier, readonly Step[]>,
): Record<Tier, readonly Step[]> {
  if (!failpoints) return tiers;
  const reached = (step: Step): Step => ({
    ...step,
    async run(context) {
      const { tenant, user } = context;
      await failpoints('before-step', { tenant, user });
      const result = await step.run(reachOf(context, { tenant, user }));
      await failpoints('after-step', { tenant, user });
      return result;
    },
  });
  const { light, deep, sleep } = tiers;
  return { light: light.map(reached), deep: deep.map(reached), sleep: sleep.map(reached) };
}

/** What a job works with, bound to its user: its models and its commits come by their failpoints. */
export function reachOf<D extends UserJobDeps>(deps: D, of: Passing): D {
  const { failpoints, commitOptions } = deps;
  if (!failpoints) return deps;
  const providers: UserJobDeps['providers'] = {};
  for (const step of MODEL_ROLES) {
    const own = deps.providers?.[step];
    if (own) providers[step] = reachProvider(own, failpoints, of);
  }
  return {
    ...deps,
    provider: deps.provider && reachProvider(deps.provider, failpoints, of),
    providers,
    commitOptions: {
      ...commitOptions,
      async failpoints(name) {
        await commitOptions?.failpoints?.(name);
        await failpoints(name, of);
      },
    },
  };
}

function reachProvider(inner: LLMProvider, failpoints: Failpoints, of: Passing): LLMProvider {
  return {
    ...inner,
    isAvailable: () => inner.isAvailable(),
    async complete(request) {
      await failpoints('before-model', of);
      const response = await inner.complete(request);
      await failpoints('after-model', of);
      return response;
    },
  };
}

/** A store that comes by a failpoint after reading what a fusion may be made of, and after keeping a paid answer. */
export function reachStore(failpoints: Failpoints | undefined, of: Passing, inner: BoundStore): BoundStore {
  if (!failpoints) return inner;
  return {
    ...inner,
    async loadCandidates(window) {
      const loaded = await inner.loadCandidates(window);
      await failpoints('after-read', of);
      return loaded;
    },
    async countLatest() {
      const count = await inner.countLatest();
      await failpoints('after-read', of);
      return count;
    },
    async storeAnswer(...given) {
      await inner.storeAnswer(...given);
      await failpoints('after-memo', of);
    },
  };
}
