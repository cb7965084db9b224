import { createHash } from 'node:crypto';
import type Anthropic from '@anthropic-ai/sdk';
import { estimateTokens } from '@slowwave/fusion';
import { smallestCachedPrefix } from './prices/price.ts';

type Body = Anthropic.MessageCreateParamsNonStreaming;

/** How long the provider keeps a prefix that nobody asks for. */
const KEPT_MS = 5 * 60_000;
/** More of them are in nobody's prompts: they are constants of this code, a few for each model. */
const PREFIXES_MAX = 100;

/** What all requests of one kind to one model begin with: system prompt and schema. */
function prefixOf({ system, output_config }: Body): string {
  return `${typeof system === 'string' ? system : ''}${JSON.stringify(output_config?.format ?? null)}`;
}

/**
 * Whether the provider would keep the prefix at all: shorter ones are never cached, whatever is asked for. Of a model of which nobody
 * knows how short that is, nothing is asked to be cached.
 */
export function isCacheable(body: Body): boolean {
  const smallest = smallestCachedPrefix(body.model);
  return smallest !== null && typeof body.system === 'string' && estimateTokens(prefixOf(body)) >= smallest;
}

/** The same prefix of the same model has the same name. */
export function prefixName(body: Body): string {
  return createHash('sha256')
    .update(JSON.stringify([body.model, prefixOf(body)]))
    .digest('base64url');
}

/** The same request, its prefix to be kept for others that begin with it. What a person's memories say stands behind it. */
export function withCache(body: Body): Body {
  if (typeof body.system !== 'string') return body;
  return { ...body, system: [{ type: 'text', text: body.system, cache_control: { type: 'ephemeral' } }] };
}

/** Knows which prefixes are asked with again and again. */
export interface PrefixMemory {
  /**
   * Whether putting the prefix into the cache is worth what it costs more: it was asked with a short while ago, so that it will most likely be
   * again. The first request of a kind is never written for nobody.
   */
  isRepeated(body: Body): boolean;
}

/** @param nowMs a clock for durations */
export function createPrefixMemory(nowMs: () => number): PrefixMemory {
  const lastMs = new Map<string, number>();
  return {
    isRepeated(body) {
      if (!isCacheable(body)) return false;
      const name = prefixName(body);
      const before = lastMs.get(name);
      lastMs.delete(name);
      lastMs.set(name, nowMs());
      const [oldest] = lastMs.keys();
      if (lastMs.size > PREFIXES_MAX && oldest !== undefined) lastMs.delete(oldest);
      return before !== undefined && nowMs() - before < KEPT_MS;
    },
  };
}
