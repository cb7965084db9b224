import {
  listQuarantined,
  pauseTenant,
  pauseTier,
  pauseUser,
  QUARANTINE_LIST_MAX,
  type QuarantinedUser,
  releaseUser,
  resumeTenant,
  resumeTier,
  resumeUser,
} from '@slowwave/db';
import { TIERS, type Tier } from '@slowwave/fusion';
import { anywhere, type CommandContext } from './anywhere.ts';
import { EXIT, UsageError, unknownUser } from './exit.ts';
import { when } from './print.ts';
import { OWN_TENANT } from './remote.ts';

export type HoldAction = 'pause' | 'resume';

export interface HoldArguments {
  action: HoldAction;
  user?: string;
  tier?: Tier;
  /** Every user of the tenant. */
  all: boolean;
  /** Only given when somebody typed it. */
  tenant?: string;
  json: boolean;
}

/** Whom a pause is for. */
export type HoldTarget =
  | { kind: 'user'; tenant: string; user: string; tiers?: Tier[] }
  | { kind: 'tenant'; tenant: string; tiers?: Tier[] }
  | { kind: 'tier'; tier: Tier };

/**
 * @param unnamed the tenant where nobody names one
 * @throws UsageError when it is not clear whom is meant: a pause for everybody must not come about by a forgotten word
 */
export function holdTargetOf(
  { action, user, tier, all, tenant }: HoldArguments,
  unnamed = 'default',
): HoldTarget {
  const tiers = tier === undefined ? {} : { tiers: [tier] };
  if (user !== undefined && all) {
    throw new UsageError('either --user for one user or --all for every user of the tenant, not both');
  }
  if (user !== undefined) return { kind: 'user', tenant: tenant ?? unnamed, user, ...tiers };
  if (all) return { kind: 'tenant', tenant: tenant ?? unnamed, ...tiers };
  if (tenant !== undefined) {
    throw new UsageError('--tenant needs --user for one of its users, or --all for every one of them');
  }
  if (tier !== undefined) return { kind: 'tier', tier };
  throw new UsageError(
    `${action} whom? --user for one user, --all for every user of the tenant, or --tier alone for a tier of everybody`,
  );
}

/** Pauses or resumes a user, a tenant or a tier. @returns exit code */
export async function holdCommand(context: CommandContext, given: HoldArguments): Promise<number> {
  const target = holdTargetOf(given, context.remote ? OWN_TENANT : undefined);
  const { action } = given;
  const { told, line } = await hold(context, action, target);
  context.terminal.line(given.json ? JSON.stringify(told) : line);
  return EXIT.ok;
}

interface Told {
  told: object;
  line: string;
}

function hold(context: CommandContext, action: HoldAction, target: HoldTarget): Promise<Told> {
  switch (target.kind) {
    case 'user':
      return holdUser(context, action, target);
    case 'tenant':
      return holdTenant(context, action, target);
    case 'tier':
      return holdTier(context, action, target);
  }
}

async function holdUser(
  context: CommandContext,
  action: HoldAction,
  { tenant, user, tiers }: { tenant: string; user: string; tiers?: Tier[] },
): Promise<Told> {
  const change = action === 'pause' ? pauseUser : resumeUser;
  const paused = await anywhere(context, {
    service: async (client) => (await client.holdUser(action, { tenant, user, tiers })).paused,
    database: (database) => database.withTenant(tenant, (tx) => change(tx, { tenant, user, tiers })),
  });
  if (paused === null) throw unknownUser(user);
  const line = paused.length > 0 ? `${user}: ${paused.join(', ')} paused` : `${user}: nothing is paused`;
  return { told: { tenant, user, paused }, line };
}

async function holdTenant(
  context: CommandContext,
  action: HoldAction,
  { tenant, tiers }: { tenant: string; tiers?: Tier[] },
): Promise<Told> {
  const change = action === 'pause' ? pauseTenant : resumeTenant;
  const changed = await anywhere(context, {
    service: async (client) => (await client.holdTenant(action, { tenant, tiers })).changed,
    database: (database) => change(database, { tenant, tiers, at: Date.now() }),
  });
  const names = (tiers ?? TIERS).join(', ');
  const state = action === 'pause' ? 'paused, also for users to come' : 'no longer paused';
  return {
    told: { tenant, tiers: tiers ?? TIERS, paused: action === 'pause', changed },
    line: `every user of tenant ${tenant}: ${names} ${state} (${changed} changed)`,
  };
}

async function holdTier(
  context: CommandContext,
  action: HoldAction,
  { tier }: { tier: Tier },
): Promise<Told> {
  const change = action === 'pause' ? pauseTier : resumeTier;
  const changed = await anywhere(context, {
    service: async (client) => (await client.holdTier(action, tier)).changed,
    database: (database) => database.asDispatcher((tx) => change(tx, { tier, at: Date.now() })),
  });
  const state = action === 'pause' ? 'paused for everybody' : 'no longer paused for everybody';
  return {
    told: { tier, paused: action === 'pause', changed },
    line: `${tier}: ${state}${changed ? '' : ', as before'}`,
  };
}

/** Lists who is in quarantine, and why. @returns exit code */
export async function quarantineCommand(
  context: CommandContext,
  { tenant, json }: { tenant: string; json: boolean },
): Promise<number> {
  const { terminal } = context;
  const users = await anywhere(context, {
    service: async (client) => (await client.quarantine({ tenant })).users,
    database: (database) =>
      database.withTenant(tenant, (tx) => listQuarantined(tx, { tenant, limit: QUARANTINE_LIST_MAX })),
  });
  if (json) {
    terminal.line(JSON.stringify({ tenant, users }));
    return EXIT.ok;
  }
  if (users.length === 0) terminal.line('nobody is in quarantine');
  for (const user of users) terminal.line(quarantineLine(user));
  if (users.length > 0) terminal.line('when the cause is mended: slowwave release --user <user>');
  return EXIT.ok;
}

export function quarantineLine({ user, code, since, unended, faults }: QuarantinedUser): string {
  const why =
    code === 'never_ended' ? `${unended} runs in a row never ended` : `${faults} failures in a row, ${code}`;
  return `${user}: since ${when(since)}, ${why}`;
}

/** Lets a user out of quarantine. @returns exit code */
export async function releaseCommand(
  context: CommandContext,
  { tenant, user, json }: { tenant: string; user: string; json: boolean },
): Promise<number> {
  const released = await anywhere(context, {
    service: async (client) => (await client.release({ tenant, user })).released,
    database: async (database) => {
      const { status } = await database.withTenant(tenant, (tx) => releaseUser(tx, { tenant, user }));
      if (status === 'unknown_user') throw unknownUser(user);
      return status === 'released';
    },
  });
  context.terminal.line(
    json
      ? JSON.stringify({ tenant, user, released })
      : released
        ? `${user} is released: what is due is found by the next tick`
        : `${user} was not in quarantine`,
  );
  return EXIT.ok;
}
