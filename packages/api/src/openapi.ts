import { refusalsOf, takesKey } from './codes.ts';
import { problemSchema } from './fields.ts';
import { createJsonSchemas, type JsonSchema, type JsonSchemas } from './json-schemas.ts';
import { type Answer, isRaw, type Route, type Tag } from './route.ts';
import { ROUTES } from './routes/index.ts';

const TAGS: Readonly<Record<Tag, string>> = {
  memories: 'What is remembered of a user: written, recalled, confirmed, edited, forgotten.',
  consolidations: 'Runs of a tier that somebody asks for.',
  runs: 'One tier for one user: what it did, would do, and taking it back.',
  fusions: 'Clusters of memories made one, and reviews of those that wait for a person.',
  conflicts: 'Memories that contradict each other, and settling it.',
  users: 'Settings, pauses and quarantine.',
  workspaces: 'Documents of a user, in folders or in the database, and the memory backend contract.',
  imports: 'Files in and out.',
  access: 'Tokens of tenants.',
  webhooks: 'Being told of what happens.',
  service: 'Health, metrics and this document.',
};

const ABOUT = `The sleep of an AI agent's memory: it consolidates each user's memories while nobody is talking.

Callers send \`Authorization: Bearer <token>\`. A token of a tenant acts in that tenant alone, with its role: \`read\`, \`write\` or \`admin\`, each of which may do what those before it may. The operator token acts in every tenant, named by the field \`tenant\`.

Instants are epoch milliseconds. Lists take \`limit\` and \`cursor\` and answer with \`nextCursor\`, null on the last page. Errors are problems (RFC 9457) with a \`code\` for programs and a \`detail\` for people; neither quotes a memory.

Writes may carry an \`Idempotency-Key\`: the same request under the same key is done once, and its answer of success is kept for 24 hours. A request that was refused or failed did nothing and may be repeated under its key.`;

const PROBLEM = { $ref: '#/components/schemas/Problem' };
const RATE_HEADERS = {
  'ratelimit-limit': { $ref: '#/components/headers/RateLimitLimit' },
  'ratelimit-remaining': { $ref: '#/components/headers/RateLimitRemaining' },
  'ratelimit-reset': { $ref: '#/components/headers/RateLimitReset' },
};

/** The OpenAPI 3.1 document of the service. @param version of the service */
export function openApiDocument(version: string): Record<string, unknown> {
  const schemas = createJsonSchemas();
  const problems = new Map<string, unknown>();
  const problem = schemas.schemaOf(problemSchema, 'output');
  const paths: Record<string, Record<string, unknown>> = {};
  for (const declared of ROUTES) {
    const path = declared.path.replace(/:(\w+)/g, '{$1}');
    paths[path] = {
      ...paths[path],
      [declared.method.toLowerCase()]: operationOf(declared, { schemas, problems }),
    };
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Slowwave', version, description: ABOUT, license: { name: 'MIT', identifier: 'MIT' } },
    servers: [{ url: 'http://localhost:8787' }],
    security: [{ token: [] }, { session: [] }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      schemas: { Problem: problem, ...schemas.shared() },
      responses: Object.fromEntries([...problems].sort(([a], [b]) => (a < b ? -1 : 1))),
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer', description: 'The operator token, or one of a tenant.' },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: 'slowwave_session',
          description:
            'Of a browser that signed in at /login with a token; pages of other origins are refused.',
        },
      },
      parameters: { IdempotencyKey: KEY_PARAMETER },
      headers: HEADERS,
    },
  };
}

const KEY_PARAMETER = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'Chosen by the caller, one for each request that is meant: the same one again is not done again.',
  schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[\\x21-\\x7e]+$' },
};

const integer = { type: 'integer', minimum: 0 };
const HEADERS = {
  RateLimitLimit: { description: 'Requests that this caller may make in a minute.', schema: integer },
  RateLimitRemaining: { description: 'How many of them are left.', schema: integer },
  RateLimitReset: { description: 'Seconds until the minute is over.', schema: integer },
  RetryAfter: { description: 'Seconds after which it is worth trying again.', schema: integer },
  IdempotentReplayed: {
    description: 'true: the request was done before under this Idempotency-Key, and this is its answer.',
    schema: { type: 'string', const: 'true' },
  },
};

/** What many operations share. */
interface Parts {
  schemas: JsonSchemas;
  /** Answers that refuse, by name. */
  problems: Map<string, unknown>;
}

function operationOf(declared: Route, parts: Parts): Record<string, unknown> {
  const { schemas } = parts;
  const { operation, tag, summary, description, role, scope } = declared;
  const may =
    role === null
      ? 'Without a token.'
      : `Role \`${role}\`${scope === 'all' ? ', of no tenant: it concerns all of them' : ''}.`;
  const parameters = parametersOf(declared, schemas);
  return {
    operationId: operation,
    tags: [tag],
    summary: summary.replace(/\.$/, ''),
    description: [...(description === undefined ? [] : [description]), may].join('\n\n'),
    ...(role === null ? { security: [] } : {}),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...bodyOf(declared, schemas),
    responses: { ...answersOf(declared, schemas), ...problemsOf(declared, parts.problems) },
  };
}

function parametersOf(declared: Route, schemas: JsonSchemas): unknown[] {
  const given = ([part, where]: readonly [Route['query'], 'path' | 'query']) => {
    if (!part) return [];
    const { properties = {}, required = [] } = schemas.schemaOf(part, 'input') as {
      properties?: Record<string, JsonSchema>;
      required?: string[];
    };
    return Object.entries(properties).map(([name, { description, ...schema }]) => ({
      name,
      in: where,
      required: where === 'path' || required.includes(name),
      ...(description === undefined ? {} : { description }),
      schema,
    }));
  };
  const parts = [[declared.params, 'path'] as const, [declared.query, 'query'] as const].flatMap(given);
  return takesKey(declared) ? [...parts, { $ref: '#/components/parameters/IdempotencyKey' }] : parts;
}

function bodyOf({ body, bodyOptional = false }: Route, schemas: JsonSchemas): Record<string, unknown> {
  if (!body) return {};
  if (isRaw(body)) {
    const { contentType, description } = body;
    return {
      requestBody: {
        description,
        required: true,
        content: { [contentType]: { schema: { type: 'string' } } },
      },
    };
  }
  const schema = schemas.schemaOf(body, 'input');
  return { requestBody: { required: !bodyOptional, content: { 'application/json': { schema } } } };
}

function answersOf(declared: Route, schemas: JsonSchemas): Record<string, unknown> {
  const headers = {
    ...(declared.role === null ? {} : RATE_HEADERS),
    ...(takesKey(declared)
      ? { 'idempotent-replayed': { $ref: '#/components/headers/IdempotentReplayed' } }
      : {}),
  };
  const answers = Object.entries(declared.answers) as [string, Answer][];
  return Object.fromEntries(
    answers.map(([status, { description, schema }]) => [
      status,
      {
        description,
        ...(Object.keys(headers).length > 0 ? { headers } : {}),
        ...(schema === null ? {} : { content: contentOf(schema, schemas) }),
      },
    ]),
  );
}

function contentOf(schema: NonNullable<Answer['schema']>, schemas: JsonSchemas): Record<string, unknown> {
  return isRaw(schema)
    ? { [schema.contentType]: { schema: { type: 'string', description: schema.description } } }
    : { 'application/json': { schema: schemas.schemaOf(schema, 'output') } };
}

/** Refusals of a route, by reference: many routes have the same. */
function problemsOf(declared: Route, problems: Map<string, unknown>): Record<string, unknown> {
  const refusals = refusalsOf(declared).filter(([status]) => !(status in declared.answers));
  return Object.fromEntries(
    refusals.map(([status, codes]) => {
      const name = [status, ...codes].join('.');
      problems.set(name, {
        description: codes.map((code) => `\`${code}\``).join(', '),
        ...(status === 429 || status === 503
          ? { headers: { 'retry-after': { $ref: '#/components/headers/RetryAfter' } } }
          : {}),
        content: { 'application/problem+json': { schema: PROBLEM } },
      });
      return [status, { $ref: `#/components/responses/${name}` }];
    }),
  );
}
