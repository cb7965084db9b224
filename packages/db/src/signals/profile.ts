import type { Behaviour } from '@slowwave/fusion';
import { type SQL, sql } from 'drizzle-orm';
import type { Transaction } from '../database.ts';
import { owned } from '../fusions/scope.ts';
import { requireNumber } from '../input-error.ts';
import { instantOf, msOf } from '../instants.ts';
import { ask, oneRow, type Question } from '../questions.ts';

interface Owner {
  tenant: string;
  user: string;
}

/** What the tiers have learned about how a user behaves. Times in epoch ms. */
export interface UserProfile {
  behaviour: Behaviour | null;
  /** Messages said up to here are in it. */
  behaviourThrough: number | null;
  /** 0 to 1. */
  trust: number | null;
  /** Feedback given up to here is in it. */
  trustThrough: number | null;
  /** The distilled profile of self-reflection. */
  profile: string | null;
  profileAt: number | null;
  /** Hash of the graph that REM last explored to its end. */
  remGraph: string | null;
  updatedAt: number;
}

/** A user's profile, or null while nothing has been learned. */
export function getUserProfile(tx: Transaction, of: Owner): Promise<UserProfile | null> {
  return ask(tx, askUserProfile(of));
}

/** As getUserProfile. */
export function askUserProfile(of: Owner): Question<UserProfile | null> {
  return oneRow(sql`
    select behaviour, ${msOf('behaviour_through')} as "behaviourThrough", trust, ${msOf('trust_through')} as "trustThrough",
      profile, ${msOf('profile_at')} as "profileAt", rem_graph as "remGraph", ${msOf('updated_at')} as "updatedAt"
    from slowwave.user_profiles where ${owned(of)}`);
}

/**
 * Stores how a user behaves; the same again writes nothing.
 * @param input.through epoch ms; messages said up to here are in it
 * @param input.at epoch ms
 */
export async function storeBehaviour(
  tx: Transaction,
  input: Owner & { behaviour: Behaviour; through: number; at: number },
): Promise<void> {
  await storeColumns(tx, input, [
    ['behaviour', sql`${JSON.stringify(input.behaviour)}::jsonb`],
    ['behaviour_through', instantOf(input.through)],
  ]);
}

/**
 * Stores how far a user's trust goes; the same again writes nothing.
 * @param input.trust 0 to 1
 * @param input.through epoch ms; feedback given up to here is in it
 * @param input.at epoch ms
 * @throws InputError for a trust out of range
 */
export async function storeTrust(
  tx: Transaction,
  input: Owner & { trust: number; through: number; at: number },
): Promise<void> {
  requireNumber(input.trust, 'trust', { min: 0, max: 1 });
  await storeColumns(tx, input, [
    ['trust', sql`${input.trust}::float8`],
    ['trust_through', instantOf(input.through)],
  ]);
}

/**
 * Remembers a graph as explored to its end; the same again writes nothing. In one statement with the proof of the hold.
 * @param input.graph hash of what there was to explore
 * @param input.at epoch ms
 * @param held whether the user is still held; without that nothing is written
 * @returns whether the user was held
 */
export function storeRemGraph(
  tx: Transaction,
  input: Owner & { graph: string; at: number },
  held: SQL = sql`true`,
): Promise<boolean> {
  return storeColumns(tx, input, [['rem_graph', sql`${input.graph}`]], held);
}

/** Sets some columns of a user's profile, which is made when it is missing; equal values write nothing. */
async function storeColumns(
  tx: Transaction,
  input: Owner & { at: number },
  columns: readonly [name: string, value: SQL][],
  held: SQL = sql`true`,
): Promise<boolean> {
  const list = (of: (name: string) => string) => sql.raw(columns.map(([name]) => of(name)).join(', '));
  const values = sql.join(
    columns.map(([, value]) => value),
    sql`, `,
  );
  const [row] = await tx.rows<{ held: boolean }>(sql`
    with hold as materialized (select ${held} as held), stored as (
      insert into slowwave.user_profiles (tenant, user_id, updated_at, ${list((name) => name)})
      select ${input.tenant}, ${input.user}, ${instantOf(input.at)}, ${values} from hold where hold.held
      on conflict (tenant, user_id) do update set updated_at = excluded.updated_at,
        ${list((name) => `${name} = excluded.${name}`)}
      where (${list((name) => `user_profiles.${name}`)}) is distinct from (${list((name) => `excluded.${name}`)})
    )
    select held from hold`);
  return row!.held;
}
