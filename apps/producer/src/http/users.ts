import { countBands, getUser, setMode, USER_MODES } from '@slowwave/db';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { idSchema, parseInput, tenantSchema } from './input.ts';
import type { AppOptions } from './options.ts';
import { Problem } from './problem.ts';

const pathSchema = z.object({ user: idSchema });
const querySchema = z.strictObject({ tenant: tenantSchema });
const modeSchema = z.strictObject({
  tenant: tenantSchema,
  mode: z.enum(USER_MODES, { error: `expected one of ${USER_MODES.join(', ')}` }),
});

/** What an operator does about a user who is not there. */
export function unknownUser(): Problem {
  return new Problem(
    404,
    'unknown_user',
    'no such user in this tenant; users come with their memories: POST them to /v1/imports first',
  );
}

/** A user's settings, tiers (instants in epoch ms; due null when nothing lies ahead) and memories by band. */
export function registerUsers(app: FastifyInstance, { database, now, logger }: AppOptions): void {
  app.get('/v1/users/:user', async (request) => {
    const { user } = parseInput(pathSchema, request.params, 'path');
    const { tenant } = parseInput(querySchema, request.query, 'query');
    return database.withTenant(tenant, async (tx) => {
      const found = await getUser(tx, tenant, user);
      if (found === null) throw unknownUser();
      return { ...found, bands: await countBands(tx, { tenant, user, at: now() }) };
    });
  });

  // How this user's fusions are applied: by themselves, after a person said yes, or not at all.
  app.post('/v1/users/:user/mode', async (request) => {
    const { user } = parseInput(pathSchema, request.params, 'path');
    const { tenant, mode: wanted } = parseInput(modeSchema, request.body ?? {}, 'body');
    const mode = await database.withTenant(tenant, (tx) =>
      setMode(tx, { tenant, user, mode: wanted, at: now() }),
    );
    if (mode === null) throw unknownUser();
    logger.info({ tenant, user, mode }, 'an operator set the mode of a user');
    return { tenant, user, mode };
  });
}
