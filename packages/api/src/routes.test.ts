import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { isRaw, ROUTES, type Route, refusalsOf, route, takesKey } from './index.ts';

const example = route({
  operation: 'example',
  method: 'POST',
  path: '/v1/examples/:id',
  tag: 'service',
  summary: 'Do something',
  role: 'write',
  scope: 'one',
  params: z.object({ id: z.string() }),
  body: z.strictObject({ size: z.number() }),
  answers: { 200: { description: 'Done.', schema: z.strictObject({}) } },
  refusals: { 409: ['too_large', 'answer_forgotten'] },
});
const codesOf = (declared: Route) => Object.fromEntries(refusalsOf(declared));

describe('the declared routes', () => {
  it.each(ROUTES.map((declared) => [declared.operation, declared] as const))(
    '%s keeps the conventions of all',
    (_name, { operation, method, path, params, query, body, role, answers, summary }) => {
      expect(operation).toMatch(/^[a-z]+(?:[A-Z][a-z]+)*$/);
      expect(path).toMatch(/^\/(?:v1\/|api\/memory|health\/|metrics$|openapi\.json$)/);
      const names = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name);
      expect(Object.keys(params?.shape ?? {}).sort()).toEqual(names.sort());
      if (method === 'GET') expect(body).toBeUndefined();
      // Whoever may only read changes nothing; what is asked with a body is asked by POST.
      if (role === 'read') expect(['GET', 'POST']).toContain(method);
      expect(Object.keys(answers).length).toBeGreaterThan(0);
      expect(summary).toMatch(/^[A-Z].{5,140}$/);
      // A mistyped name is told.
      const strict = [query, isRaw(body) ? undefined : body].filter((part) => part !== undefined);
      for (const part of strict) {
        const result = part.safeParse({ 'no such field': 1 });
        expect(result.error?.issues.some(({ code }) => code === 'unrecognized_keys')).toBe(true);
      }
    },
  );

  it('have names and addresses of their own', () => {
    const names = ROUTES.map(({ operation }) => operation);
    expect(new Set(names).size).toBe(names.length);
    const addresses = ROUTES.map(({ method, path }) => `${method} ${path.replaceAll(/:\w+/g, ':x')}`);
    expect(new Set(addresses).size).toBe(addresses.length);
  });

  it('are refused as they say, and as all are', () => {
    const codes = codesOf(example);
    expect(codes[409]).toEqual(['too_large', 'answer_forgotten', 'idempotency_in_progress']);
    expect(codes[400]).toEqual(['invalid_request', 'invalid_body']);
    expect(Object.keys(codes).map(Number)).toEqual([
      400, 401, 403, 408, 409, 413, 415, 421, 422, 429, 500, 503,
    ]);
    const { body: _body, params: _params, refusals: _refusals, ...bare } = example;
    const open = codesOf({ ...bare, method: 'GET', role: null });
    expect(open).toEqual({ 421: ['unknown_host'], 500: ['internal_error'] });
  });

  it('take an Idempotency-Key when they write what is no stream', () => {
    expect(takesKey(example)).toBe(true);
    expect(takesKey({ ...example, role: 'read' })).toBe(false);
    expect(takesKey({ ...example, method: 'GET' })).toBe(false);
    const stream = { contentType: 'application/x-ndjson', description: 'Lines.' };
    expect(takesKey({ ...example, body: stream })).toBe(false);
  });
});
