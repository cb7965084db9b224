import { type Database, ensureUsers, insertMemories, insertRelations, type NewMemory } from '@slowwave/db';
import type { Embedder } from '@slowwave/fusion';
import { sql } from 'drizzle-orm';
import { chainRelations, DAY, newMemory, unpacked } from '../../test/fixtures/memories.ts';

/** One subject of four memories that a model can put into one sentence without losing a fact. */
const SENTENCES = [
  'lives in Dublin near the canal.',
  'lives in Dublin with a garden of roses.',
  'lives in Dublin above the bakery.',
  'lives in Dublin in a house of brick.',
];
const NAMES = ['Ana', 'Ben', 'Cleo', 'Dora', 'Emil'];
const SLICE = 1_000;

/** An embedder under which nothing is like anything else: only what is related is a cluster. */
export function unlikeEmbedder(dimensions = 384): Embedder {
  return {
    name: 'unlike',
    model: 'unlike',
    dimensions,
    threshold: 0.75,
    embed: async (texts) => texts.map(() => new Float32Array(dimensions)),
  };
}

/**
 * Memories that have faded into the window of the deep tier: `clusters` subjects of four related ones, each asked about in a request of its
 * own, and others that stand alone.
 */
export function fadedMemories(
  user: string,
  of: { memories: number; clusters: number; at: number },
): { memories: NewMemory[]; chains: NewMemory[][] } {
  const faded = (id: string, text: string) =>
    newMemory(user, id, text, { documentDate: of.at - 90 * DAY, importance: 5 });
  const chains = NAMES.slice(0, of.clusters).map((name, cluster) =>
    SENTENCES.map((sentence, n) => faded(`c${cluster}-${n}`, `${name} ${sentence}`)),
  );
  const alone = Math.max(0, of.memories - chains.flat().length);
  const memories = Array.from({ length: alone }, (_, n) =>
    faded(`m${n}`, `On page ${n} of the notebook stands the word ${wordOf(n)}.`),
  );
  return { memories, chains: unpacked(chains) };
}

/** A word that no other number has, of letters alone. */
function wordOf(n: number): string {
  return `kal${[...String(n)].map((digit) => 'abdegilmor'[Number(digit)]).join('u')}`;
}

/** Writes a user with these memories, of whom nothing is due by itself. */
export async function seedPerson(
  database: Database,
  person: { tenant: string; user: string; memories: NewMemory[]; chains: NewMemory[][]; at: number },
): Promise<void> {
  const { tenant, user, at } = person;
  const memories = [...person.chains.flat(), ...person.memories];
  await database.withTenant(tenant, async (tx) => {
    await ensureUsers(tx, [{ tenant, user }], at);
    await tx.rows(sql`
      update slowwave.user_tiers set due_at = 'infinity' where tenant = ${tenant} and user_id = ${user}`);
    for (let from = 0; from < memories.length; from += SLICE) {
      await insertMemories(tx, { tenant, memories: memories.slice(from, from + SLICE), at });
    }
    await insertRelations(tx, { tenant, relations: chainRelations(person.chains), at });
  });
}
