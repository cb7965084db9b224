import {
  listQuarantineRoute,
  pauseTenantRoute,
  pauseTierRoute,
  pauseUserRoute,
  releaseUserRoute,
  resumeTenantRoute,
  resumeTierRoute,
  resumeUserRoute,
} from '@slowwave/api';
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
import type { AppOptions } from './options.ts';
import { Problem } from './problem.ts';
import { serve } from './serve.ts';
import { unknownUser } from './users.ts';

/** What holds the schedule back, and what lets it go on: pauses of a user, a tenant and a tier, and quarantine. */
export function registerHolds(app: FastifyInstance, options: AppOptions): void {
  registerPauses(app, options, 'pause');
  registerPauses(app, options, 'resume');
  registerQuarantine(app, options);
}

const PAUSE = { ofUser: pauseUserRoute, ofTenant: pauseTenantRoute, ofTier: pauseTierRoute } as const;
const RESUME = { ofUser: resumeUserRoute, ofTenant: resumeTenantRoute, ofTier: resumeTierRoute } as const;

function registerPauses(
  app: FastifyInstance,
  { database, logger, now }: AppOptions,
  action: 'pause' | 'resume',
): void {
  const paused = action === 'pause';
  const routes = paused ? PAUSE : RESUME;

  // Answers with the tiers that are paused for this user now; those of the tenant and of everybody are shown with the user.
  serve(app, routes.ofUser, async ({ tenant, params: { user }, body: { tiers } }) => {
    const change = paused ? pauseUser : resumeUser;
    const now = await database.withTenant(tenant, (tx) => change(tx, { tenant, user, tiers }));
    if (now === null) throw unknownUser();
    logger.info({ action, tenant, user, tiers }, 'an operator changed the pauses of a user');
    return { tenant, user, paused: now };
  });

  // Answers with how many tiers of users changed. Users to come are paused with their tenant.
  serve(app, routes.ofTenant, async ({ tenant, body: { tiers } }) => {
    const change = paused ? pauseTenant : resumeTenant;
    const changed = await change(database, { tenant, tiers, at: now() });
    logger.info({ action, tenant, tiers, changed }, 'an operator changed the pauses of a tenant');
    return { tenant, tiers: tiers ?? [...TIERS], paused, changed };
  });

  serve(app, routes.ofTier, async ({ params: { tier } }) => {
    const change = paused ? pauseTier : resumeTier;
    const changed = await database.asDispatcher((tx) => change(tx, { tier, at: now() }));
    logger.info({ action, tier, changed }, 'an operator changed the pause of a tier');
    return { tier, paused, changed };
  });
}

function registerQuarantine(app: FastifyInstance, { database, logger }: AppOptions): void {
  serve(app, listQuarantineRoute, async ({ tenant }) => {
    const users = await database.withTenant(tenant, (tx) =>
      listQuarantined(tx, { tenant, limit: QUARANTINE_LIST_MAX }),
    );
    return { tenant, users };
  });

  serve(app, releaseUserRoute, async ({ tenant, params: { user } }) => {
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
