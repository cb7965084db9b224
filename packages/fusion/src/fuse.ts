import { parseSummaryAnswer } from './answer.ts';
import { askModel } from './ask.ts';
import { derivedCategory } from './derive.ts';
import type { MemoryCategory, MemoryEntry } from './memory.ts';
import type { CompletionRequest, FusionFailure, LLMProvider, StoredAnswer } from './ports.ts';
import { buildFusionPrompt, type RelationContextEntry } from './prompt.ts';

export { textOf } from './ask.ts';

/** What fusing a cluster yields, whatever the model thinks of importance and category. */
export interface FusionResult {
  summary: string;
  /** Highest of the sources. */
  importance: number;
  /** Most common of the sources; 'insight' for mixed ones with `crossCategory`. */
  category: MemoryCategory;
  /** Lowest of the sources. */
  confidence: number;
}

export interface FuseOptions {
  /** Relations to show in the prompt. */
  relationContext?: RelationContextEntry[];
  /** Makes the category of a mixed cluster 'insight'. */
  crossCategory?: boolean;
  /** Words the request; `buildFusionPrompt` when absent. */
  buildPrompt?: (cluster: MemoryEntry[], relationContext: RelationContextEntry[]) => CompletionRequest;
  /** Ends the wait for the provider as soon as it aborts, whether the provider heeds it or not. */
  signal?: AbortSignal;
}

export type FuseReading =
  | { ok: true; result: FusionResult }
  /** `cause` is what the provider threw, for 'provider_error'. */
  | { ok: false; reason: FusionFailure | 'empty_cluster'; cause?: unknown };

/** Merges a cluster through a model; null on any failure. The reason is kept by `fuseMemoryClusterWithReason`. */
export async function fuseMemoryCluster(
  cluster: MemoryEntry[],
  provider: LLMProvider,
  options: FuseOptions = {},
): Promise<FusionResult | null> {
  const reading = await fuseMemoryClusterWithReason(cluster, provider, options);
  return reading.ok ? reading.result : null;
}

/** As `fuseMemoryCluster`, with a typed reason instead of null. Never throws; an empty cluster costs no call. */
export async function fuseMemoryClusterWithReason(
  cluster: MemoryEntry[],
  provider: LLMProvider,
  options: FuseOptions = {},
): Promise<FuseReading> {
  if (cluster.length === 0) return { ok: false, reason: 'empty_cluster' };
  const request = (options.buildPrompt ?? buildFusionPrompt)(cluster, options.relationContext ?? []);
  if (options.signal) request.signal = options.signal;
  let stored: StoredAnswer;
  try {
    stored = await askModel(provider, request, options.signal);
  } catch (cause) {
    return { ok: false, reason: 'provider_error', cause };
  }
  if (stored.stopReason === 'refusal') return { ok: false, reason: 'refused' };
  const answer = parseSummaryAnswer(stored.text);
  if (!answer.ok)
    return { ok: false, reason: stored.stopReason === 'max_tokens' ? 'truncated' : 'invalid_output' };
  const combined = cluster.reduce((sum, { content }) => sum + content.length, 0);
  if (answer.summary.length >= combined) return { ok: false, reason: 'not_shorter' };
  return {
    ok: true,
    result: {
      summary: answer.summary,
      importance: Math.max(...cluster.map(({ importance }) => importance)),
      category: derivedCategory(
        cluster.map(({ category }) => category),
        options.crossCategory ? 'insight' : 'majority',
      ),
      confidence: Math.min(...cluster.map(({ confidence }) => confidence)),
    },
  };
}
