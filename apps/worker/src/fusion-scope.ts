import type { FusionScope, UserMode } from '@slowwave/db';
import { type LLMProvider, PROMPT_VERSION, type Tier } from '@slowwave/fusion';

/** The scope of a fusion in a job: what goes into its key, what its commit proves itself with and what becomes of it. */
export function fusionScope(
  job: {
    tenant: string;
    user: string;
    tier: Tier;
    at: number;
    runId: string | null;
    lease: { holder: string; fence: number };
    embedder: { model: string };
    mode: UserMode;
    preview: boolean;
    timezone: string;
    limits: { reviewMs: number };
  },
  provider: LLMProvider,
): FusionScope {
  const { tenant, user, tier, at, runId, lease, embedder, mode, preview, timezone, limits } = job;
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
    // Without a clear yes a person is asked.
    mode: preview ? 'preview' : mode === 'auto' ? 'auto' : 'review',
    timezone,
    reviewMs: limits.reviewMs,
  };
}
