import { readTenantSettingsRoute, setTenantSettingsRoute } from '@slowwave/api';
import { readTenantSettings, setTenantSettings } from '@slowwave/db';
import type { FastifyInstance } from 'fastify';
import type { AppOptions } from './options.ts';
import { serve } from './serve.ts';

/** What a tenant allows. */
export function registerTenantSettings(app: FastifyInstance, { database, logger, now }: AppOptions): void {
  serve(app, readTenantSettingsRoute, async ({ tenant }) => ({
    tenant,
    ...(await database.withTenant(tenant, (tx) => readTenantSettings(tx, tenant))),
  }));

  serve(app, setTenantSettingsRoute, async ({ tenant, body: { batches } }) => {
    const at = now();
    const settings = await database.withTenant(tenant, (tx) =>
      setTenantSettings(tx, { tenant, at, batches }),
    );
    logger.info({ tenant, batches }, 'an operator changed what a tenant allows');
    return { tenant, ...settings };
  });
}
