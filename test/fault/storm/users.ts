import type { Database, NewMemory, UserMode } from '@slowwave/db';
import { appendMessages, forget, pauseTenant, resumeTenant, setUserSettings } from '@slowwave/db';
import { sql } from 'drizzle-orm';
import { notesOfPeople, TOPICS } from '../../fixtures/facts/people.ts';
import { DAY, newMemory, seedChains } from '../../fixtures/memories.ts';
import { codeOf, FACTS_MAX, sentenceOf, stormFacts } from '../invariants/facts.ts';
import type { Random } from './random.ts';

/** One user of a storm: what is made of them, and when they are due. */
export interface StormUser {
  tenant: string;
  user: string;
  /** Facts of each cluster. */
  sizes: number[];
  /** Notes about people, each list a cluster of its own. */
  people: string[][];
  /** Facts that stand there a second time, in the same words. */
  doubled: number[];
  /** Facts that a second memory contradicts. */
  disputed: number[];
  mode: UserMode;
  timezone: string;
  /** Deep falls due so long after the start, ms. */
  dueInMs: number;
  /** The night falls due then, and deep is not due by itself. */
  isNight: boolean;
  /** Somebody asks for the night's tier, so long after the start, ms; null: nobody. */
  sleepInMs: number | null;
  /** Sentences of a conversation that nobody has summarised yet. */
  said: number;
  /** One whose steps end the process or never end (test/fixtures/poison.ts). */
  poisoned: boolean;
}

export interface Batch {
  /** Nobody else has users in these tenants. */
  tenants: string[];
  users: StormUser[];
}

const ZONES = ['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'Pacific/Chatham'];
const TENANTS = ['acme', 'birch', 'cedar'];
const POISONS = ['exits', 'hangs', 'loops'];
/** A fact contradicts the one that many before it: both speak of the same thing (../invariants/facts.ts). */
const SAME_THING = 16;
/** All are due before this share of the storm is over. */
const DUE_SHARE = 0.8;

/** Draws who takes part in a round. @param name of the round: no other batch of the run has it */
export function drawBatch(
  random: Random,
  options: {
    name: string;
    count: number;
    poisoned: number;
    stormMs: number;
    /** Users have notes about people too. */
    people?: boolean;
    /** The nights of half of the users are due. */
    nights?: boolean;
  },
): Batch {
  const { name, count, poisoned, stormMs, people = false, nights = false } = options;
  const tenants = TENANTS.map((tenant) => `${tenant}-${name}`);
  const dueInMs = () => Math.floor(random.between(0, stormMs * DUE_SHARE));
  const users = Array.from({ length: count }, (_, i): StormUser => {
    const sizes = Array.from({ length: 1 + random.below(3) }, () => 3 + random.below(3));
    const facts = sizes.reduce((sum, size) => sum + size, 0);
    const owner = { tenant: tenants[i % tenants.length]!, user: `user-${i}` };
    return {
      ...owner,
      people: people ? drawPeople(random.fork(`people ${i}`), owner) : [],
      isNight: nights && i % 2 === 0,
      sizes,
      doubled: random.chance(0.3) ? [random.below(facts)] : [],
      disputed: random.chance(0.2) ? [random.below(facts)] : [],
      mode: random.chance(0.15) ? 'review' : 'auto',
      timezone: random.pick(ZONES),
      dueInMs: dueInMs(),
      sleepInMs: random.chance(0.25) ? dueInMs() : null,
      said: random.chance(0.3) ? 2 + random.below(3) : 0,
      poisoned: false,
    };
  });
  for (let i = 0; i < poisoned; i += 1) {
    const tenant = tenants[i % tenants.length]!;
    const user = POISONS[random.below(POISONS.length)]!;
    if (users.some((other) => other.tenant === tenant && other.user === user)) continue;
    const plain = {
      isNight: false,
      doubled: [],
      disputed: [],
      mode: 'auto',
      timezone: 'UTC',
      sleepInMs: null,
      said: 0,
    } as const;
    users.push({
      ...plain,
      people: [],
      doubled: [],
      disputed: [],
      tenant,
      user,
      sizes: [3],
      dueInMs: dueInMs(),
      poisoned: true,
    });
  }
  return { tenants, users };
}

/** A cluster of each of two topics. Their codes come after those of the facts. */
function drawPeople(random: Random, owner: { tenant: string; user: string }): string[][] {
  let nth = FACTS_MAX;
  return [random.pick(TOPICS), random.pick(TOPICS)].map((topic) => {
    const count = 3 + random.below(3);
    nth += count;
    return notesOfPeople(random, { topic, count, codeOf: (at) => codeOf(owner, nth - count + at) });
  });
}

/**
 * Writes a batch: memories that have faded, conversations, and when everything is due. Nothing is done for these users before `wakeBatch`,
 * so that what they are like now can be written down.
 * @param at start of the storm, epoch ms
 */
export async function seedBatch(database: Database, { tenants, users }: Batch, at: number): Promise<void> {
  for (const tenant of tenants) await pauseTenant(database, { tenant, at });
  for (const one of users) {
    const chains = [...stormFacts(one, one.sizes, at), ...aboutPeople(one, at), ...besides(one, at)];
    await seedChains(database, { ...one, chains });
    const { tenant, user, mode, timezone, said } = one;
    await database.withTenant(tenant, async (tx) => {
      await setUserSettings(tx, { tenant, user, mode, timezone, at });
      if (said > 0) {
        const messages = Array.from({ length: said }, (_, i) => ({
          role: 'user' as const,
          content: sentenceOf(one, i + 1),
          saidAt: at - 2 * DAY + i * 1_000,
          externalId: `m${i}`,
        }));
        await appendMessages(tx, { tenant, user, session: { id: 'session-1' }, messages, at });
      }
    });
  }
  const due = JSON.stringify(
    users.map(({ tenant, user, dueInMs, isNight }) => ({
      tenant,
      user,
      due: at + dueInMs,
      tier: isNight ? 'sleep' : 'deep',
    })),
  );
  for (const tenant of tenants) {
    await database.withTenant(tenant, (tx) =>
      tx.rows(sql`
        update slowwave.user_tiers t
        set due_at = case when t.tier in ('light', d.tier) then to_timestamp(d.due / 1000.0) else 'infinity' end
        from jsonb_to_recordset(${due}::jsonb) as d(tenant text, "user" text, due float8, tier text)
        where t.tenant = ${tenant} and d.tenant = t.tenant and d."user" = t.user_id`),
    );
  }
}

/** From now on what is due for these users is done. */
export async function wakeBatch(database: Database, { tenants }: Batch): Promise<void> {
  for (const tenant of tenants) await resumeTenant(database, { tenant });
}

function aboutPeople({ user, people }: StormUser, at: number): NewMemory[][] {
  return people.map((notes, list) =>
    notes.map((text, nth) =>
      newMemory(user, `p${list}-${nth}`, text, { documentDate: at - (90 + nth) * DAY }),
    ),
  );
}

/** Memories beside the clusters: each in a list of its own, so that nothing relates them. */
function besides(one: StormUser, at: number): NewMemory[][] {
  const old = (nth: number) => ({ documentDate: at - (120 + nth) * DAY });
  return [
    ...one.doubled.map((nth) => [newMemory(one.user, `again${nth}`, sentenceOf(one, nth), old(nth))]),
    ...one.disputed.map((nth) => [
      newMemory(one.user, `other${nth}`, sentenceOf(one, nth + SAME_THING), old(nth)),
    ]),
  ];
}

/** Takes users out of the database as the product does it, so that old rounds do not slow new ones down. */
export async function dropBatch(database: Database, { users }: Batch, at: number): Promise<void> {
  for (const { tenant, user } of users)
    await forget(database, { tenant, user, target: { user: true }, at, actor: null });
}
