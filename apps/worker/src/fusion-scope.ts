import { type FusionScope, statementsVersionOf, type UserMode } from '@slowwave/db';
import type { LLMProvider, Tier } from '@slowwave/fusion';
import type { StatementsSettings } from './context.ts';

/** Whether statements are judged at all. */
export const isJudging = (statements: StatementsSettings | undefined): boolean => statements?.judge ?? true;

/** What is asked, and who judges the answer. */
export function promptVersionOf(
  statements: StatementsSettings | undefined,
  judge: LLMProvider | null,
): string {
  return statementsVersionOf(isJudging(statements) && judge !== null ? (judge.model ?? judge.name) : null);
}

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
    statements?: StatementsSettings;
  },
  provider: LLMProvider,
  judge: LLMProvider | null,
): FusionScope {
  const { tenant, user, tier, at, runId, lease, embedder, mode, preview, timezone, limits } = job;
  return {
    tenant,
    user,
    tier,
    at,
    runId,
    lease,
    promptVersion: promptVersionOf(job.statements, judge),
    judgeSecret: job.statements?.judgeSecret,
    model: provider.model ?? provider.name,
    embeddingModel: embedder.model,
    // Without a clear yes a person is asked.
    mode: preview ? 'preview' : mode === 'auto' ? 'auto' : 'review',
    timezone,
    reviewMs: limits.reviewMs,
  };
}
