import { z } from 'zod';
import { idField, nextCursorField, pageFields, tenantField, uuidField } from '../fields.ts';
import { ROLES, type Route, route } from '../route.ts';

const TOKENS_PAGE_MAX = 200;
const EXPIRES =
  'expected an instant in epoch milliseconds, or null for a token that stays until it is revoked';

const speaksField = z
  .boolean({ error: 'expected true or false' })
  .describe(
    'Whether what an assistant writes with it over MCP may pass for the user’s own word; else its origin is assistant, and its trust at most 0.5.',
  );

const tokenSchema = z
  .strictObject({
    id: z.uuid(),
    name: z.string(),
    role: z.enum(ROLES),
    speaksForUser: speaksField,
    createdAt: z.number().describe('Epoch ms.'),
    createdBy: z.string(),
    expiresAt: z.number().nullable().describe('Epoch ms; null: until it is revoked.'),
    revokedAt: z.number().nullable().describe('Epoch ms; null: it was not revoked.'),
    lastUsedAt: z.number().nullable().describe('Epoch ms, to the hour; null: never used.'),
  })
  .meta({ id: 'Token', description: 'What may be said of a token. Its secret is not among it.' });

export const createToken = route({
  operation: 'createToken',
  method: 'POST',
  path: '/v1/tokens',
  tag: 'access',
  summary: 'Make a token for callers of one tenant.',
  description:
    'The secret is in this answer and nowhere else: whoever loses it makes another token. It goes into the header Authorization, after "Bearer ".',
  role: 'admin',
  scope: 'one',
  secretAnswer: true,
  body: z.strictObject({
    tenant: tenantField,
    name: idField.describe('What people call it; it stands in the journal beside what it changed.'),
    role: z.enum(ROLES, { error: `expected one of ${ROLES.join(', ')}` }),
    speaksForUser: speaksField.default(false),
    expiresAt: z.number({ error: EXPIRES }).nullable().default(null),
  }),
  answers: {
    201: {
      description: 'The token was made.',
      schema: z.strictObject({ tenant: z.string(), secret: z.string(), token: tokenSchema }),
    },
  },
});

export const readToken = route({
  operation: 'readToken',
  method: 'GET',
  path: '/v1/access',
  tag: 'access',
  summary: 'Read what the token of this request may do.',
  role: 'read',
  scope: 'one',
  answers: {
    200: {
      description: 'Of a session: the token that it was opened with.',
      schema: z.strictObject({
        name: z.string().describe('"operator" for the operator’s own.'),
        tenant: z.string().nullable().describe('Null: every tenant.'),
        role: z.enum(ROLES),
        speaksForUser: speaksField,
      }),
    },
  },
});

export const listTokens = route({
  operation: 'listTokens',
  method: 'GET',
  path: '/v1/tokens',
  tag: 'access',
  summary: 'List the tokens of a tenant, the newest first.',
  role: 'admin',
  scope: 'one',
  query: z.strictObject({ tenant: tenantField, ...pageFields(TOKENS_PAGE_MAX) }),
  answers: {
    200: {
      description: 'Tokens that were revoked or expired are among them.',
      schema: z.strictObject({
        tenant: z.string(),
        tokens: z.array(tokenSchema),
        nextCursor: nextCursorField,
      }),
    },
  },
});

export const revokeToken = route({
  operation: 'revokeToken',
  method: 'DELETE',
  path: '/v1/tokens/:id',
  tag: 'access',
  summary: 'Revoke a token, at once and for good.',
  description: 'Sessions that were opened with it end within 10 seconds. Revoking it again answers the same.',
  role: 'admin',
  scope: 'one',
  params: z.object({ id: uuidField('token') }),
  query: z.strictObject({ tenant: tenantField }),
  answers: {
    200: {
      description: 'It lets nobody in any more.',
      schema: z.strictObject({ tenant: z.string(), token: tokenSchema }),
    },
  },
  refusals: { 404: ['unknown_token'] },
});

export const accessRoutes: readonly Route[] = [createToken, readToken, listTokens, revokeToken];
