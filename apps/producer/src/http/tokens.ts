import * as api from '@slowwave/api';
import { createToken, listTokens, revokeToken } from '@slowwave/db';
import type { FastifyInstance } from 'fastify';
import type { AppOptions } from './options.ts';
import { Problem } from './problem.ts';
import { serve } from './serve.ts';

/** Who may call the service for one tenant. */
export function registerTokens(app: FastifyInstance, { database, now, logger }: AppOptions): void {
  serve(app, api.createToken, async ({ tenant, body, principal }) => {
    const { name, role, speaksForUser, expiresAt } = body;
    const createdBy = principal.name;
    const made = await database.withTenant(tenant, (tx) =>
      createToken(tx, { tenant, name, role, speaksForUser, expiresAt, createdBy, at: now() }),
    );
    logger.info({ tenant, token: made.token.id, role, by: createdBy }, 'a token was made');
    return { tenant, ...made };
  });

  serve(app, api.readToken, ({ principal: { name, tenant, role, speaksForUser } }) => ({
    name,
    tenant,
    role,
    speaksForUser,
  }));

  serve(app, api.listTokens, async ({ tenant, query }) => {
    const { rows, nextCursor } = await database.withTenant(tenant, (tx) =>
      listTokens(tx, { tenant, limit: query.limit, cursor: query.cursor }),
    );
    return { tenant, tokens: rows, nextCursor };
  });

  serve(app, api.revokeToken, async ({ tenant, params, principal }) => {
    const token = await database.withTenant(tenant, (tx) =>
      revokeToken(tx, { tenant, id: params.id, at: now() }),
    );
    if (token === null) throw new Problem(404, 'unknown_token', 'this tenant has no such token');
    logger.info({ tenant, token: token.id, by: principal.name }, 'a token was revoked');
    return { tenant, token };
  });
}
