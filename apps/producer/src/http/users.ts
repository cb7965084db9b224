import {
  listUsersRoute,
  readUserRoute,
  setConflictPolicyRoute,
  setModeRoute,
  updateUserRoute,
} from '@slowwave/api';
import {
  countBands,
  getUser,
  pageUsers,
  ScheduleError,
  setConflictPolicy,
  setMode,
  setUserSettings,
} from '@slowwave/db';
import type { FastifyInstance } from 'fastify';
import type { AppOptions } from './options.ts';
import { Problem } from './problem.ts';
import { serve } from './serve.ts';

/** What an operator does about a user who is not there. */
export function unknownUser(): Problem {
  return new Problem(
    404,
    'unknown_user',
    'no such user in this tenant; users come with their memories: POST them to /v1/imports first',
  );
}

/** Users with settings and tiers (instants in epoch ms; due null when nothing lies ahead), and how their settings are changed. */
export function registerUsers(app: FastifyInstance, options: AppOptions): void {
  const { database, now, logger } = options;
  serve(app, listUsersRoute, async ({ tenant, query }) => {
    const of = { ...query, tenant, at: now(), graceMs: options.overdueMs };
    const { rows, nextCursor } = await database.withTenant(tenant, (tx) => pageUsers(tx, of));
    return { tenant, users: rows, nextCursor };
  });

  serve(app, readUserRoute, ({ tenant, params: { user } }) =>
    database.withTenant(tenant, async (tx) => {
      const found = await getUser(tx, tenant, user);
      if (found === null) throw unknownUser();
      return { ...found, bands: await countBands(tx, { tenant, user, at: now() }) };
    }),
  );

  registerSettings(app, options);

  // How this user's fusions are applied: by themselves, after a person said yes, or not at all.
  serve(app, setModeRoute, async ({ tenant, params: { user }, body }) => {
    const mode = await database.withTenant(tenant, (tx) =>
      setMode(tx, { tenant, user, mode: body.mode, at: now() }),
    );
    if (mode === null) throw unknownUser();
    logger.info({ tenant, user, mode }, 'an operator set the mode of a user');
    return { tenant, user, mode };
  });

  serve(app, setConflictPolicyRoute, async ({ tenant, params: { user }, body: { policy } }) => {
    const set = await database.withTenant(tenant, (tx) => setConflictPolicy(tx, { tenant, user, policy }));
    if (set === null) throw unknownUser();
    logger.info({ tenant, user, policy }, 'an operator changed how the conflicts of a user are settled');
    return { tenant, user, policy: set };
  });
}

/** All settings in one: either every change is made, or none. */
function registerSettings(app: FastifyInstance, { database, now, logger }: AppOptions): void {
  serve(app, updateUserRoute, async ({ tenant, params: { user }, body }) => {
    const { tenant: _tenant, conflictPolicy, ...settings } = body;
    const found = await database
      .withTenant(tenant, async (tx) => {
        const set = await setUserSettings(tx, { tenant, user, at: now(), ...settings });
        if (set !== null && conflictPolicy !== undefined) {
          await setConflictPolicy(tx, { tenant, user, policy: conflictPolicy });
        }
        return getUser(tx, tenant, user);
      })
      .catch((error: unknown) => {
        throw error instanceof ScheduleError ? problemOfSchedule(error) : error;
      });
    if (found === null) throw unknownUser();
    logger.info({ tenant, user, ...settings, conflictPolicy }, 'an operator changed the settings of a user');
    const { timezone, quietStart, quietEnd, mode } = found;
    return { tenant, user, timezone, quietStart, quietEnd, mode, conflictPolicy: found.conflictPolicy };
  });
}

/** Its sentences say what is expected. */
function problemOfSchedule({ message }: ScheduleError): Problem {
  return new Problem(400, 'invalid_request', message);
}
