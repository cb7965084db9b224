import { z } from 'zod';
import { tierField } from '../fields.ts';
import { type Route, route } from '../route.ts';

const check = { ok: z.boolean(), reason: z.string().optional().describe('Why not, as a code.') };
const perTier = z.strictObject({ light: z.int(), deep: z.int(), sleep: z.int() });

const readinessSchema = z
  .strictObject({
    status: z.enum(['ready', 'not_ready']),
    version: z.string(),
    checks: z.strictObject({
      database: z.strictObject({ kind: z.enum(['embedded', 'server']), ...check }),
      queue: z.strictObject({ kind: z.enum(['embedded', 'postgres', 'redis']), ...check }),
      ticks: z.strictObject({ ...check, late: z.array(tierField) }),
      workers: z
        .strictObject({ ...check, reasons: z.array(z.string()) })
        .optional()
        .describe('The workers of this process, where there are any.'),
    }),
    overdue: perTier.nullable().describe('Users who wait too long; null when the database cannot say.'),
    quarantined: perTier.nullable(),
    paused: perTier.nullable(),
    pausedTiers: z.array(tierField).nullable().describe('Tiers that are paused for everybody.'),
  })
  .meta({ id: 'Readiness', description: 'Whether the service can do its work, and why not.' });

const open = { tag: 'service', role: null, scope: 'all', method: 'GET' } as const;

export const getLiveness = route({
  ...open,
  operation: 'getLiveness',
  path: '/health/live',
  summary: 'Say that the process lives',
  answers: {
    200: { description: 'It lives.', schema: z.strictObject({ status: z.literal('live') }) },
  },
});

export const getReadiness = route({
  ...open,
  operation: 'getReadiness',
  path: '/health/ready',
  summary: 'Say whether the service can do its work',
  description: 'Users who wait, are quarantined or paused say nothing about readiness.',
  answers: {
    200: { description: 'It can.', schema: readinessSchema },
    503: { description: 'It cannot, and this is why.', schema: readinessSchema },
  },
});

export const getMetrics = route({
  ...open,
  operation: 'getMetrics',
  path: '/metrics',
  summary: 'Read the metrics, in the text format of Prometheus',
  role: 'admin',
  answers: {
    200: {
      description: 'The metrics of this process and of the service.',
      schema: { contentType: 'text/plain', description: 'Samples with HELP and TYPE lines.' },
    },
  },
});

export const getOpenApi = route({
  ...open,
  operation: 'getOpenApi',
  path: '/openapi.json',
  summary: 'Read this document',
  answers: {
    200: {
      description: 'The OpenAPI 3.1 document of the service.',
      schema: z.looseObject({ openapi: z.string() }),
    },
  },
});

export const serviceRoutes: readonly Route[] = [getLiveness, getReadiness, getMetrics, getOpenApi];
