import {
  listQuarantined,
  pauseTenant,
  pauseTier,
  pauseUser,
  QUARANTINE_LIST_MAX,
  releaseUser,
  resumeTenant,
  resumeTier,
  resumeUser,
} from '@slowwave/db';
import { TIERS } from '@slowwave/fusion';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { idSchema, parseInput, tenantSchema, tierSchema } from './input.ts';
import type { AppOptions } from './options.ts';
import { Problem } from './problem.ts';
import { unknownUser } from './users.ts';

const tiersSchema = z
  .array(tierSchema, { error: 'expected a list of tiers' })
  .min(1, 'expected at least one tier')
  .max(TIERS.length, `expected at most ${TIERS.length} tiers`)
  .optional();
const userPath = z.object({ user: idSchema });
const tenantPath = z.object({ tenant: idSchema });
const tierPath = z.object({ tier: tierSchema });
const userBody = z.strictObject({ tenant: tenantSchema, tiers: tiersSchema });
const tenantBody = z.strictObject({ tiers: tiersSchema });
const emptyBody = z.strictObject({});
const releaseBody = z.strictObject({ tenant: tenantSchema });
const listQuery = z.strictObject({ tenant: tenantSchema });

/** What holds the schedule back, and what lets it go on: pauses of a user, a tenant and a tier, and quarantine. */
export function registerHolds(app: FastifyInstance, options: AppOptions): void {
  for (const action of ['pause', 'resume'] as const) {
    registerUserPause(app, options, action);
    registerTenantPause(app, options, action);
    registerTierPause(app, options, action);
  }
  registerQuarantine(app, options);
}

type Action = 'pause' | 'resume';

/** Answers with the tiers that are paused for this user now; those of the tenant and of everybody are shown with the user. */
function registerUserPause(app: FastifyInstance, { database, logger }: AppOptions, action: Action): void {
  const change = action === 'pause' ? pauseUser : resumeUser;
  app.post(`/v1/users/:user/${action}`, async (request) => {
    const { user } = parseInput(userPath, request.params, 'path');
    const { tenant, tiers } = parseInput(userBody, request.body ?? {}, 'body');
    const paused = await database.withTenant(tenant, (tx) => change(tx, { tenant, user, tiers }));
    if (paused === null) throw unknownUser();
    logger.info({ action, tenant, user, tiers }, 'an operator changed the pauses of a user');
    return { tenant, user, paused };
  });
}

/** Answers with how many tiers of users changed. Users to come are paused with their tenant. */
function registerTenantPause(
  app: FastifyInstance,
  { database, logger, now }: AppOptions,
  action: Action,
): void {
  const change = action === 'pause' ? pauseTenant : resumeTenant;
  app.post(`/v1/tenants/:tenant/${action}`, async (request) => {
    const { tenant } = parseInput(tenantPath, request.params, 'path');
    const { tiers } = parseInput(tenantBody, request.body ?? {}, 'body');
    const changed = await change(database, { tenant, tiers, at: now() });
    logger.info({ action, tenant, tiers, changed }, 'an operator changed the pauses of a tenant');
    return { tenant, tiers: tiers ?? TIERS, paused: action === 'pause', changed };
  });
}

function registerTierPause(
  app: FastifyInstance,
  { database, logger, now }: AppOptions,
  action: Action,
): void {
  const change = action === 'pause' ? pauseTier : resumeTier;
  app.post(`/v1/tiers/:tier/${action}`, async (request) => {
    const { tier } = parseInput(tierPath, request.params, 'path');
    parseInput(emptyBody, request.body ?? {}, 'body');
    const changed = await database.asDispatcher((tx) => change(tx, { tier, at: now() }));
    logger.info({ action, tier, changed }, 'an operator changed the pause of a tier');
    return { tier, paused: action === 'pause', changed };
  });
}

function registerQuarantine(app: FastifyInstance, { database, logger }: AppOptions): void {
  app.get('/v1/quarantine', async (request) => {
    const { tenant } = parseInput(listQuery, request.query, 'query');
    const users = await database.withTenant(tenant, (tx) =>
      listQuarantined(tx, { tenant, limit: QUARANTINE_LIST_MAX }),
    );
    return { tenant, users };
  });

  app.post('/v1/users/:user/release', async (request) => {
    const { user } = parseInput(userPath, request.params, 'path');
    const { tenant } = parseInput(releaseBody, request.body ?? {}, 'body');
    const result = await database.withTenant(tenant, (tx) => releaseUser(tx, { tenant, user }));
    if (result.status === 'unknown_user') throw unknownUser();
    if (result.status === 'not_quarantined') return { tenant, user, released: false };
    const { code, since } = result;
    logger.info({ tenant, user, code, since }, 'an operator released a user from quarantine');
    return { tenant, user, released: true, code, since };
  });
}

/** What an operator does about a user who is in quarantine. */
export function quarantined({ code, since }: { code: string; since: number }): Problem {
  const detail =
    'nothing runs for this user since their runs never ended or failed again and again; when the cause is mended, POST /v1/users/{user}/release or "slowwave release" lets them go on';
  return new Problem(409, 'quarantined', detail, { quarantine: { code, since } });
}
