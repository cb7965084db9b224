import {
  approveFusion,
  type Database,
  type Decision,
  listReviews,
  REVIEWS_PER_LIST_MAX,
  ReviewRefused,
  rejectFusion,
  setMode,
  type UserMode,
} from '@slowwave/db';
import { anywhere, type CommandContext } from './anywhere.ts';
import type { Decided } from './client.ts';
import { EXIT, HeldBack, UsageError } from './exit.ts';
import { reviewLines } from './review-lines.ts';

export interface ReviewsArguments {
  tenant: string;
  /** Absent: everybody of the tenant. */
  user?: string;
  json: boolean;
}

export interface DecideArguments {
  action: 'approve' | 'reject';
  key: string;
  tenant: string;
  user: string;
  /** Who decides. */
  by: string;
  json: boolean;
}

export interface ModeArguments {
  mode: UserMode;
  tenant: string;
  user: string;
  json: boolean;
}

/** Lists what waits for a person. @returns exit code */
export async function reviewsCommand(
  context: CommandContext,
  { tenant, user, json }: ReviewsArguments,
): Promise<number> {
  const { terminal } = context;
  const of = { tenant, user, limit: REVIEWS_PER_LIST_MAX };
  const reviews = await anywhere(context, {
    service: async (client) => (await client.reviews(of)).reviews,
    database: (database) => database.withTenant(tenant, (tx) => listReviews(tx, of)),
  });
  if (json) terminal.line(JSON.stringify({ tenant, reviews }));
  else for (const line of reviewLines(reviews, terminal)) terminal.line(line);
  return EXIT.ok;
}

const KEY = /^[0-9a-f]{64}$/;

/** Approves or rejects what waits. @returns exit code */
export async function decideCommand(context: CommandContext, given: DecideArguments): Promise<number> {
  const { action, key, tenant, user, by, json } = given;
  if (!KEY.test(key)) throw new UsageError('a key has 64 hexadecimal digits: slowwave reviews shows them');
  const decided = await anywhere(context, {
    service: (client) => client.decide(action, key, { tenant, user, by }),
    database: (database) => decide(database, action, { tenant, user, key, by, at: Date.now() }),
  });
  context.terminal.line(json ? JSON.stringify({ tenant, user, key, ...decided }) : decisionLine(decided));
  return EXIT.ok;
}

/** @throws HeldBack with what to do instead */
async function decide(
  database: Database,
  action: DecideArguments['action'],
  decision: Decision,
): Promise<Decided> {
  try {
    if (action === 'reject') return await rejectFusion(database, decision);
    const result = await approveFusion(database, decision);
    if (result.status === 'applied') return result;
  } catch (error) {
    if (error instanceof ReviewRefused) throw new HeldBack(error.message);
    throw error;
  }
  throw new HeldBack(
    'a source has changed since this was proposed; nothing was written, and a later run proposes it anew',
  );
}

function decisionLine(decided: Decided): string {
  if (decided.status === 'rejected') {
    return decided.already
      ? 'it was rejected before'
      : 'rejected: its sources stay as they are and are not proposed together again';
  }
  if (decided.already) return `it was applied before: ${decided.makes}`;
  return decided.kind === 'merge'
    ? `applied: ${decided.makes} stands for both`
    : `applied: ${decided.superseded} superseded by ${decided.makes}`;
}

const MODES: Record<UserMode, string> = {
  auto: 'fusions are applied by themselves',
  review: 'fusions wait for a decision: slowwave reviews lists them',
  off: 'nothing is fused, and nothing is spent on it',
};

/** Sets how a user's fusions are applied. @returns exit code */
export async function modeCommand(context: CommandContext, given: ModeArguments): Promise<number> {
  const { tenant, user, mode: wanted, json } = given;
  const mode = await anywhere(context, {
    service: async (client) => (await client.mode({ tenant, user, mode: wanted })).mode,
    database: (database) =>
      database.withTenant(tenant, (tx) => setMode(tx, { tenant, user, mode: wanted, at: Date.now() })),
  });
  if (mode === null) throw new UsageError(`there is no user ${user}: import memories for this user first`);
  context.terminal.line(json ? JSON.stringify({ tenant, user, mode }) : `${user}: ${mode}; ${MODES[mode]}`);
  return EXIT.ok;
}
