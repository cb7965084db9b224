import { z } from 'zod';
import { idField, nextCursorField, pageFields, tenantField } from '../fields.ts';
import { type Route, route } from '../route.ts';
import { holdsRoutes } from './holds.ts';
import { flagField } from './memory-fields.ts';
import { words } from './words.ts';

export * from './holds.ts';

export const USER_MODES = ['auto', 'review', 'off'] as const;
export const CONFLICT_POLICIES = ['ask', 'newest_wins'] as const;
const USERS_PAGE_MAX = 200;
const MINUTES = 'expected whole minutes after midnight, from 0 to 1439';
const shared = { tag: 'users', scope: 'one' } as const;

const userPath = z.object({ user: idField });
const modeField = words(USER_MODES).describe(
  'How fusions are applied: by themselves, after a person said yes, or not at all.',
);
const policyField = words(CONFLICT_POLICIES).describe(
  'How contradictions are settled: by asking a person, or for the newest where that is safe.',
);
const zoneField = z
  .string({ error: 'expected the name of a time zone' })
  .min(1, 'expected the name of a time zone')
  .max(100, 'expected the name of a time zone')
  .describe('An IANA name like Europe/Berlin.');
const minutesField = z.int(MINUTES).min(0, MINUTES).max(1_439, MINUTES);

const settings = {
  timezone: z.string().describe('An IANA name.'),
  quietStart: z.int().describe('Minutes after local midnight.'),
  quietEnd: z.int().describe('Minutes after local midnight; equal to the start: no quiet hours.'),
  mode: modeField,
  conflictPolicy: policyField,
};

const tierSchema = z
  .strictObject({
    dueAt: z.number().nullable().describe('Null: nothing is due until something is written.'),
    nextAttemptAt: z.number().nullable().describe('Not to be tried before.'),
    lastAttemptAt: z.number().nullable(),
    lastSuccessAt: z.number().nullable(),
    failures: z.int().describe('In a row.'),
    enqueuedAt: z.number().nullable(),
    requestedRun: z.uuid().nullable().describe('Somebody waits for it.'),
    paused: z.boolean().describe('For this user.'),
    tenantPaused: z.boolean(),
    tierPaused: z.boolean().describe('For everybody.'),
    unended: z.int().describe('Starts in a row whose worker ended without a word.'),
    faults: z.int().describe('Failures in a row that no outage explains.'),
  })
  .meta({ id: 'TierState', description: 'One tier of one user. Instants in epoch ms.' });

const userFields = {
  tenant: z.string(),
  user: z.string(),
  ...settings,
  createdAt: z.number(),
  quarantine: z
    .strictObject({ code: z.string(), since: z.number() })
    .nullable()
    .describe('Nothing runs for this user until an operator releases them.'),
  tiers: z.strictObject({ light: tierSchema, deep: tierSchema, sleep: tierSchema }),
};

export const listUsersRoute = route({
  ...shared,
  operation: 'listUsers',
  method: 'GET',
  path: '/v1/users',
  summary: 'List users by their ids, with settings and tiers',
  role: 'read',
  query: z.strictObject({
    tenant: tenantField,
    overdue: flagField
      .optional()
      .describe('Whether a tier should have run by now and nothing holds it back.'),
    quarantined: flagField.optional(),
    paused: flagField.optional().describe('Whether a tier is paused, for them or with others.'),
    ...pageFields(USERS_PAGE_MAX),
  }),
  answers: {
    200: {
      description: 'One page.',
      schema: z.strictObject({
        tenant: z.string(),
        users: z.array(
          z.strictObject(userFields).meta({ id: 'User', description: 'A user with settings and tiers.' }),
        ),
        nextCursor: nextCursorField,
      }),
    },
  },
});

export const readUserRoute = route({
  ...shared,
  operation: 'readUser',
  method: 'GET',
  path: '/v1/users/:user',
  summary: 'Read one user: settings, tiers, and memories by band',
  role: 'read',
  params: userPath,
  query: z.strictObject({ tenant: tenantField }),
  answers: {
    200: {
      description: 'The user as they are now.',
      schema: z.strictObject({
        ...userFields,
        bands: z
          .strictObject({
            total: z.int(),
            latest: z.int(),
            active: z.int(),
            dormant: z.int(),
            archived: z.int(),
            superseded: z.int(),
            derived: z.int(),
          })
          .describe('How many memories.'),
      }),
    },
  },
  refusals: { 404: ['unknown_user'] },
});

export const updateUserRoute = route({
  ...shared,
  operation: 'updateUser',
  method: 'PATCH',
  path: '/v1/users/:user',
  summary: 'Change a user’s settings',
  description:
    'What is left out stays as it is. Sleep moves into the new quiet hours when those or the zone change.',
  role: 'write',
  params: userPath,
  body: z
    .strictObject({
      tenant: tenantField,
      timezone: zoneField.optional(),
      quietStart: minutesField.optional(),
      quietEnd: minutesField.optional(),
      mode: modeField.optional(),
      conflictPolicy: policyField.optional(),
    })
    .refine(
      ({ tenant: _tenant, ...changes }) => Object.values(changes).some((value) => value !== undefined),
      {
        error: 'expected something to change: timezone, quietStart, quietEnd, mode or conflictPolicy',
        path: ['mode'],
      },
    ),
  answers: {
    200: {
      description: 'All settings as they are now.',
      schema: z.strictObject({ tenant: z.string(), user: z.string(), ...settings }),
    },
  },
  refusals: { 404: ['unknown_user'] },
});

export const setModeRoute = route({
  ...shared,
  operation: 'setMode',
  method: 'POST',
  path: '/v1/users/:user/mode',
  summary: 'Choose how a user’s fusions are applied',
  role: 'write',
  params: userPath,
  body: z.strictObject({ tenant: tenantField, mode: modeField }),
  answers: {
    200: {
      description: 'As it is now.',
      schema: z.strictObject({ tenant: z.string(), user: z.string(), mode: modeField }),
    },
  },
  refusals: { 404: ['unknown_user'] },
});

export const setConflictPolicyRoute = route({
  ...shared,
  operation: 'setConflictPolicy',
  method: 'POST',
  path: '/v1/users/:user/conflict-policy',
  summary: 'Choose how a user’s contradictions are settled from the next night on',
  role: 'write',
  params: userPath,
  body: z.strictObject({ tenant: tenantField, policy: policyField }),
  answers: {
    200: {
      description: 'As it is now.',
      schema: z.strictObject({ tenant: z.string(), user: z.string(), policy: policyField }),
    },
  },
  refusals: { 404: ['unknown_user'] },
});

export const usersRoutes: readonly Route[] = [
  listUsersRoute,
  readUserRoute,
  updateUserRoute,
  setModeRoute,
  setConflictPolicyRoute,
  ...holdsRoutes,
];
