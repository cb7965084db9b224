import type { FusionScope } from '@slowwave/db';
import { type LLMProvider, PROMPT_VERSION, type Tier } from '@slowwave/fusion';

/** The scope of a fusion in a job: what goes into its key and what its commit proves itself with. */
export function fusionScope(
  job: {
    tenant: string;
    user: string;
    tier: Tier;
    at: number;
    runId: string | null;
    lease: { holder: string; fence: number };
    embedder: { model: string };
  },
  provider: LLMProvider,
): FusionScope {
  const { tenant, user, tier, at, runId, lease, embedder } = job;
  return {
    tenant,
    user,
    tier,
    at,
    runId,
    lease,
    promptVersion: PROMPT_VERSION,
    model: provider.model ?? provider.name,
    embeddingModel: embedder.model,
  };
}
