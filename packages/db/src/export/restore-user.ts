import { sql } from 'drizzle-orm';
import type { Transaction } from '../database.ts';
import { isObject } from '../import/metadata.ts';
import { collectProblems } from '../import/problems.ts';
import type { UserRecord } from '../import/record.ts';
import { readUser } from '../import/user-line.ts';
import { markLightDue, setUserSettings } from '../scheduling/settings.ts';
import { ensureUsers, USER_MODES, type UserMode } from '../scheduling/users.ts';
import { CONFLICT_POLICIES } from '../schema/users.ts';
import { kindsHeld } from './held.ts';
import { RestoreRefused } from './refused.ts';
import type { Owner } from './write-line.ts';

/** What the line of a user says. */
export interface RestoredUser {
  owner: Owner;
  record: UserRecord;
  mode: UserMode;
  conflictPolicy: (typeof CONFLICT_POLICIES)[number];
  createdAt: string;
  paused: string[];
}

const TIERS_PAUSED = ['light', 'deep', 'sleep'];
const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,6})?Z$/;

function wordOf<Word extends string>(value: unknown, field: string, allowed: readonly Word[]): Word {
  const found = allowed.find((word) => word === value);
  if (found !== undefined) return found;
  throw new RestoreRefused('not_allowed', `${field} must be one of ${allowed.join(', ')}`);
}

/** @throws RestoreRefused */
export function userOfLine(owner: Owner, object: Record<string, unknown>): RestoredUser {
  const { state, ...said } = object;
  const { problems, report } = collectProblems();
  const record = readUser(said, {}, report);
  if (!record) {
    throw new RestoreRefused(
      problems[0]?.code ?? 'wrong_type',
      problems.map(({ message }) => message).join('; '),
    );
  }
  if (!isObject(state)) throw new RestoreRefused('missing', 'state is missing; expected an object');
  const { mode, conflictPolicy, createdAt, paused = [] } = state;
  if (typeof createdAt !== 'string' || !INSTANT.test(createdAt)) {
    throw new RestoreRefused(
      'invalid_date',
      'createdAt must be an instant in UTC, as in 2026-04-12T18:30:00Z',
    );
  }
  if (!Array.isArray(paused)) throw new RestoreRefused('wrong_type', 'paused must be a list');
  return {
    owner,
    record,
    mode: wordOf(mode, 'mode', USER_MODES),
    conflictPolicy: wordOf(conflictPolicy, 'conflictPolicy', CONFLICT_POLICIES),
    createdAt,
    paused: paused.map((tier) => wordOf(tier, 'paused', TIERS_PAUSED)),
  };
}

/**
 * Makes the user and holds everybody else's writes back until the transaction ends. What is due is found anew: light at once.
 * @param at epoch ms
 * @returns whether the user is new
 * @throws RestoreRefused `user_not_empty`
 */
export async function openUser(tx: Transaction, given: RestoredUser, at: number): Promise<boolean> {
  const { owner, record, mode, conflictPolicy, createdAt, paused } = given;
  const { tenant, user } = owner;
  const { timezone, quietStart, quietEnd } = record;
  const settings = {
    timezone: timezone ?? undefined,
    quietStart: quietStart ?? undefined,
    quietEnd: quietEnd ?? undefined,
  };
  const made = await ensureUsers(tx, [{ tenant, user, ...settings }], at);
  await tx.rows(sql`select 1 from slowwave.users where tenant = ${tenant} and id = ${user} for update`);
  const held = (await kindsHeld(tx, [user])).get(user) ?? new Set<string>();
  if (held.size > 0) {
    const what = held.has('memory') ? 'memories' : 'data';
    throw new RestoreRefused(
      'user_not_empty',
      `the user has ${what} here already, and an export is restored into an empty user only: forget the user first, or add the memories to what is there with --merge`,
    );
  }
  await setUserSettings(tx, { tenant, user, ...settings, mode, at });
  await tx.rows(sql`
    update slowwave.users set conflict_policy = ${conflictPolicy}, created_at = ${createdAt}::timestamptz
    where tenant = ${tenant} and id = ${user}`);
  await tx.rows(sql`
    update slowwave.user_tiers set paused = ${JSON.stringify(paused)}::jsonb ? tier
    where tenant = ${tenant} and user_id = ${user}`);
  // What was restored has no vectors yet.
  await markLightDue(tx, tenant, [user], at);
  return made > 0;
}
