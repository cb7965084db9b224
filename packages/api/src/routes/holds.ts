import { TIERS } from '@slowwave/fusion';
import { z } from 'zod';
import { idField, tenantField, tierField } from '../fields.ts';
import { type Route, route } from '../route.ts';

const tiersField = z
  .array(tierField, { error: 'expected a list of tiers' })
  .min(1, 'expected at least one tier')
  .max(TIERS.length, `expected at most ${TIERS.length} tiers`)
  .optional()
  .describe('Left out: all of them.');
const tierList = z.array(z.enum(TIERS));
const userPath = z.object({ user: idField });
const tenantPath = z.object({ tenant: idField });
const tierPath = z.object({ tier: tierField });
const emptyBody = z.strictObject({});
const posted = { tag: 'users', method: 'POST', bodyOptional: true } as const;

const ofUser = {
  ...posted,
  role: 'write',
  scope: 'one',
  params: userPath,
  body: z.strictObject({ tenant: tenantField, tiers: tiersField }),
  answers: {
    200: {
      description:
        'The tiers that are paused for this user now; those of the tenant and of everybody come on top.',
      schema: z.strictObject({ tenant: z.string(), user: z.string(), paused: tierList }),
    },
  },
  refusals: { 404: ['unknown_user'] },
} as const;

export const pauseUserRoute = route({
  ...ofUser,
  operation: 'pauseUser',
  path: '/v1/users/:user/pause',
  summary: 'Pause tiers of a user; what somebody asks for runs all the same',
});

export const resumeUserRoute = route({
  ...ofUser,
  operation: 'resumeUser',
  path: '/v1/users/:user/resume',
  summary: 'End the pause of a user’s tiers',
});

const ofTenant = {
  ...posted,
  role: 'admin',
  scope: 'one',
  params: tenantPath,
  body: z.strictObject({ tiers: tiersField }),
  answers: {
    200: {
      description: 'Changed.',
      schema: z.strictObject({
        tenant: z.string(),
        tiers: tierList,
        paused: z.boolean(),
        changed: z.int().describe('How many tiers of users.'),
      }),
    },
  },
} as const;

export const pauseTenantRoute = route({
  ...ofTenant,
  operation: 'pauseTenant',
  path: '/v1/tenants/:tenant/pause',
  summary: 'Pause tiers of all users of a tenant, those to come included',
});

export const resumeTenantRoute = route({
  ...ofTenant,
  operation: 'resumeTenant',
  path: '/v1/tenants/:tenant/resume',
  summary: 'End the pause of a tenant’s tiers; users who are paused themselves stay so',
});

const ofTier = {
  ...posted,
  role: 'admin',
  scope: 'all',
  params: tierPath,
  body: emptyBody,
  answers: {
    200: {
      description: 'As it is now.',
      schema: z.strictObject({ tier: z.enum(TIERS), paused: z.boolean(), changed: z.boolean() }),
    },
  },
} as const;

export const pauseTierRoute = route({
  ...ofTier,
  operation: 'pauseTier',
  path: '/v1/tiers/:tier/pause',
  summary: 'Pause a tier for everybody',
});

export const resumeTierRoute = route({
  ...ofTier,
  operation: 'resumeTier',
  path: '/v1/tiers/:tier/resume',
  summary: 'End the pause of a tier',
});

export const listQuarantineRoute = route({
  tag: 'users',
  scope: 'one',
  operation: 'listQuarantine',
  method: 'GET',
  path: '/v1/quarantine',
  summary: 'List users for whom nothing runs since their runs failed again and again, the latest 1,000',
  role: 'read',
  query: z.strictObject({ tenant: tenantField }),
  answers: {
    200: {
      description: 'Users in quarantine.',
      schema: z.strictObject({
        tenant: z.string(),
        users: z.array(
          z
            .strictObject({
              user: z.string(),
              code: z.string().describe('never_ended, or the code of the failure that was one too many.'),
              since: z.number(),
              unended: z.int(),
              faults: z.int(),
              failures: z.int(),
              lastAttemptAt: z.number().nullable(),
            })
            .meta({ id: 'QuarantinedUser', description: 'The counts are the most of any tier, in a row.' }),
        ),
      }),
    },
  },
});

export const releaseUserRoute = route({
  ...posted,
  operation: 'releaseUser',
  path: '/v1/users/:user/release',
  summary: 'Let a user out of quarantine',
  role: 'admin',
  scope: 'one',
  params: userPath,
  body: z.strictObject({ tenant: tenantField }),
  answers: {
    200: {
      description: 'Nothing holds the user any more.',
      schema: z.strictObject({
        tenant: z.string(),
        user: z.string(),
        released: z.boolean().describe('False: the user was not in quarantine.'),
        code: z.string().optional().describe('Why they were.'),
        since: z.number().optional(),
      }),
    },
  },
  refusals: { 404: ['unknown_user'] },
});

export const holdsRoutes: readonly Route[] = [
  pauseUserRoute,
  resumeUserRoute,
  pauseTenantRoute,
  resumeTenantRoute,
  pauseTierRoute,
  resumeTierRoute,
  listQuarantineRoute,
  releaseUserRoute,
];
