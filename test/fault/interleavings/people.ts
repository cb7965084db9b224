import { createMemoryStore, type Database, type FusionScope, type NewMemory } from '@slowwave/db';
import type { Candidate } from '@slowwave/fusion';
import { membersOf } from '../../fixtures/fused.ts';
import { clusterOf, DAY, NOW, newMemory, scopeOf, seedUser } from '../../fixtures/memories.ts';

export const tenant = 't';

/** Memories m0, m1, … of one user, each said a second after the one before, so that their ids are in this order too. */
export async function seedPerson(
  database: Database,
  input: { user: string; count?: number; more?: Partial<NewMemory> },
): Promise<{ scope: FusionScope; members: Candidate[] }> {
  const { user, count = 4, more } = input;
  const memories = Array.from({ length: count }, (_, i) =>
    newMemory(user, `m${i}`, `Ana keeps bicycle number ${i} in the shed`, {
      documentDate: NOW - 90 * DAY + i * 1_000,
      ...more,
    }),
  );
  await seedUser(database, { tenant, user, memories });
  const scope = scopeOf(tenant, user);
  return { scope, members: await membersOf(database, scope) };
}

/** As after a later hold on the user. */
export const later = (scope: FusionScope): FusionScope => ({ ...scope, lease: { holder: 'w2', fence: 2 } });

export const ANSWER = {
  text: '{}',
  stopReason: 'end_turn',
  inputTokens: 10,
  outputTokens: 5,
  model: 'test-model',
};

/** A fusion that has its sources and its answer, and waits for its commit. @returns its key */
export async function planFusion(
  database: Database,
  scope: FusionScope,
  members: Candidate[],
): Promise<string> {
  const store = createMemoryStore(database, scope);
  const claim = await store.claimFusion(clusterOf(members));
  if (claim.status !== 'claimed') throw new Error(`not claimed: ${claim.reason}`);
  await store.storeAnswer(claim.key, claim.attempt, ANSWER);
  return claim.key;
}
