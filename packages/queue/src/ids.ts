import { createHash } from 'node:crypto';
import type { Tier } from '@slowwave/fusion';

/**
 * Job and deduplication ids. BullMQ refuses custom ids that contain a colon or are integers, and ids end up in key names:
 * so each is the SHA-256 of its parts (as JSON, so that no two lists of parts collide) behind a letter.
 */
function hashId(letter: string, parts: readonly string[]): string {
  return `${letter}${createHash('sha256').update(JSON.stringify(parts)).digest('hex')}`;
}

/** One waiting wake-up per user and tier. */
export function dedupId(tenant: string, user: string, tier: Tier): string {
  return hashId('w', [
    'tier',
    tenant, // guard: dedup-tenant
    user, // guard: dedup-user
    tier,
  ]);
}

/** One job per requested run; it never merges with a scheduled wake-up of the same user. */
export function adhocDedupId(tenant: string, user: string, tier: Tier, runId: string): string {
  return hashId('a', ['adhoc', tenant, user, tier, runId]);
}

/** One job per fusion key (64 hexadecimal digits). */
export function fusionJobId(key: string): string {
  return hashId('f', ['fusion', key]);
}

/** The one scheduler of a tier. */
export function tickId(tier: Tier): string {
  return `tick-${tier}`;
}
