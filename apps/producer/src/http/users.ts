import { countBands, getUser } from '@slowwave/db';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { idSchema, parseInput, tenantSchema } from './input.ts';
import type { AppOptions } from './options.ts';
import { Problem } from './problem.ts';

const pathSchema = z.object({ user: idSchema });
const querySchema = z.strictObject({ tenant: tenantSchema });

/** What an operator does about a user who is not there. */
export function unknownUser(): Problem {
  return new Problem(
    404,
    'unknown_user',
    'no such user in this tenant; users come with their memories: POST them to /v1/imports first',
  );
}

/** A user's settings, tiers (instants in epoch ms; due null when nothing lies ahead) and memories by band. */
export function registerUsers(app: FastifyInstance, { database, now }: AppOptions): void {
  app.get('/v1/users/:user', async (request) => {
    const { user } = parseInput(pathSchema, request.params, 'path');
    const { tenant } = parseInput(querySchema, request.query, 'query');
    return database.withTenant(tenant, async (tx) => {
      const found = await getUser(tx, tenant, user);
      if (found === null) throw unknownUser();
      return { ...found, bands: await countBands(tx, { tenant, user, at: now() }) };
    });
  });
}
