import type { z } from 'zod';

/** What a caller may do; each may do what those before it may. */
export const ROLES = ['read', 'write', 'admin'] as const;
export type Role = (typeof ROLES)[number];

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export const TAGS = [
  'memories',
  'consolidations',
  'runs',
  'fusions',
  'conflicts',
  'users',
  'workspaces',
  'imports',
  'access',
  'webhooks',
  'service',
] as const;
export type Tag = (typeof TAGS)[number];

/** A body of another form than one JSON value. */
export interface RawBody {
  contentType: string;
  description: string;
}

/** An answer that is no problem. */
export interface Answer {
  description: string;
  /** Null: no body. */
  schema: z.ZodType | RawBody | null;
}

/** Refusals that are particular to a route; those that every route has are added to the document by themselves. */
export type Refusals = Readonly<
  Partial<Record<400 | 404 | 409 | 413 | 415 | 422 | 429 | 503, readonly string[]>>
>;

/** One endpoint: what the server checks, the document describes and the client calls. */
export interface Route {
  /** Verb and noun in camel case, unique: the client's function. */
  operation: string;
  method: Method;
  /** With parameters as in /v1/memories/:id. */
  path: string;
  tag: Tag;
  /** One line, for people. */
  summary: string;
  description?: string;
  /** The least role that may call it; null: anybody, without a token. */
  role: Role | null;
  /** `one`: it concerns the tenant of the caller or of the field `tenant`; `all`: only callers who are bound to no tenant. */
  scope: 'one' | 'all';
  params?: z.ZodObject;
  /** Strict objects, so that a mistyped name is told. */
  query?: z.ZodObject;
  body?: z.ZodType | RawBody;
  /** Whether the body may be left out. */
  bodyOptional?: boolean;
  /** Whether the answer holds a secret, which is told once: it is not kept for a repeated request. */
  secretAnswer?: boolean;
  /** 503: one that is no problem but says why. */
  answers: Readonly<Partial<Record<200 | 201 | 202 | 204 | 503, Answer>>>;
  refusals?: Refusals;
}

/** Keeps the exact types of a route's schemas. */
export function route<const R extends Route>(declared: R): R {
  return declared;
}

type Read<S, Missing> = S extends z.ZodType ? z.output<S> : Missing;
export type ParamsOf<R extends Route> = Read<R['params'], Record<string, never>>;
export type QueryOf<R extends Route> = Read<R['query'], Record<string, never>>;
export type BodyOf<R extends Route> = Read<R['body'], unknown>;

type AnswerSchemas<R extends Route> = R['answers'][keyof R['answers']];
/** What a handler gives back: the body of any of the answers. */
export type AnswerOf<R extends Route> =
  AnswerSchemas<R> extends infer A
    ? A extends { schema: infer S }
      ? S extends z.ZodType
        ? z.input<S>
        : S extends RawBody
          ? AsyncIterable<string | Uint8Array> | string
          : undefined
      : never
    : never;

export function isRaw(body: z.ZodType | RawBody | null | undefined): body is RawBody {
  return body !== null && body !== undefined && 'contentType' in body;
}
