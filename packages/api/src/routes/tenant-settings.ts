import { z } from 'zod';
import { idField } from '../fields.ts';
import { type Route, route } from '../route.ts';

const ALLOWED = 'expected true or false';

const tenantSettings = {
  tag: 'users',
  path: '/v1/tenants/:tenant/settings',
  scope: 'one',
  role: 'admin',
  params: z.object({ tenant: idField }),
  answers: {
    200: {
      description: 'As they are now.',
      schema: z.strictObject({
        tenant: z.string(),
        batches: z
          .boolean()
          .describe(
            'Whether questions of the night may wait in batches, where the service is configured to use them: the provider keeps them for weeks, outside any agreement to retain nothing.',
          ),
      }),
    },
  },
} as const;

export const readTenantSettingsRoute = route({
  ...tenantSettings,
  operation: 'readTenantSettings',
  method: 'GET',
  summary: 'Read what a tenant allows',
});

export const setTenantSettingsRoute = route({
  ...tenantSettings,
  operation: 'setTenantSettings',
  method: 'PUT',
  summary: 'Say what a tenant allows; what waits to be sent is not sent any more',
  body: z.strictObject({ batches: z.boolean({ error: ALLOWED }) }),
});

export const tenantSettingsRoutes: readonly Route[] = [readTenantSettingsRoute, setTenantSettingsRoute];
