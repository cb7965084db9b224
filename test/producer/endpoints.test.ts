import { isRaw, ROLES, ROUTES, type Role, type Route } from '@slowwave/api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openBackendInScope } from '../fixtures/backends.ts';
import { CASES } from '../fixtures/endpoints/cases.ts';
import { readDescribed } from '../fixtures/endpoints/document.ts';
import { type EndpointStage, endpointStage, type Given, type Told } from '../fixtures/endpoints/stage.ts';

const byName = new Map(ROUTES.map((route) => [route.operation, route]));
const ordered = [...Object.keys(CASES)]
  .map((name) => byName.get(name))
  .filter((route) => route !== undefined);
const guarded = ordered.filter(({ role }) => role !== null);
const described = readDescribed();

describe('every endpoint, over real HTTP, against the published document', () => {
  let stage: EndpointStage;
  beforeAll(async () => {
    stage = await endpointStage(openBackendInScope);
  });
  afterAll(() => stage?.dispose());

  /** The header of whoever has just the role that the route asks for. */
  function allowed({ role, scope }: Route): string | null {
    if (role === null) return null;
    return scope === 'all' ? stage.tokens.operator : stage.tokens[role];
  }

  /** An answer of the service, told as described. */
  async function ask(route: Route, given: Given, authorization: string | null): Promise<Told> {
    const told = await stage.ask(route, given, authorization);
    expect(described.problemsOf(route.operation, told)).toEqual([]);
    return told;
  }

  function expectProblem(told: Told, status: number, code: string): void {
    expect([told.status, told.body]).toMatchObject([status, { status, code }]);
    expect(told.contentType).toContain('application/problem+json');
    expect(told.text).not.toContain(stage.north.canary);
  }

  it('has a case here, and each case an endpoint', () => {
    const names = ROUTES.map(({ operation }) => operation);
    expect(names.filter((name) => CASES[name] === undefined)).toEqual([]);
    expect(Object.keys(CASES).filter((name) => !names.includes(name))).toEqual([]);
    expect(new Set(names).size).toBe(names.length);
  });

  it.each(guarded.map((route) => [route.operation, route] as const))(
    'refuses whoever has no token or a wrong one: %s',
    async (name, route) => {
      const given = await CASES[name]!(stage);
      const wrong = `Bearer swt_${'0'.repeat(32)}_${'A'.repeat(43)}`;
      for (const authorization of [null, 'Bearer wrong', wrong, 'Basic b3BlcmF0b3I6eA==']) {
        const told = await ask(route, given, authorization);
        expectProblem(told, 401, 'not_signed_in');
        expect(told.headers.get('www-authenticate')).toBe('Bearer');
      }
    },
  );

  it.each(guarded.map((route) => [route.operation, route] as const))(
    'refuses a role below its own: %s',
    async (name, route) => {
      const given = await CASES[name]!(stage);
      for (const role of ROLES.slice(0, ROLES.indexOf(route.role as Role))) {
        expectProblem(await ask(route, given, stage.tokens[role]), 403, 'role_too_low');
      }
      if (route.scope === 'all') {
        expectProblem(await ask(route, given, stage.tokens.admin), 403, 'wrong_tenant');
      }
    },
  );

  it.each(guarded.map((route) => [route.operation, route] as const))(
    'shows nothing to another tenant: %s',
    async (name, route) => {
      if (route.scope === 'all') return;
      const given = await CASES[name]!(stage);
      const told = await stage.ask(route, given, stage.tokens.stranger);
      expect(told.status).toBeLessThan(500);
      expect(told.text).not.toContain(stage.north.canary);
      const named = namingTenant(route, given, stage.north.name);
      if (named !== null) expectProblem(await ask(route, named, stage.tokens.stranger), 403, 'wrong_tenant');
    },
  );

  it.each(ordered.map((route) => [route.operation, route] as const))(
    'refuses bad input and says which: %s',
    async (name, route) => {
      const given = await CASES[name]!(stage);
      for (const bad of badOf(route, given)) {
        const told = await ask(route, bad, allowed(route));
        expect([400, 413, 415]).toContain(told.status);
        expectProblem(told, told.status, (told.body as { code: string }).code);
      }
    },
  );

  it.each(ordered.map((route) => [route.operation, route] as const))(
    'answers as described: %s',
    async (name, route) => {
      const given = await CASES[name]!(stage);
      const told = await ask(route, given, allowed(route));
      expect(told.status, told.text).toBeLessThan(300);
    },
  );

  it('has written nothing of what the memories say to the log', () => {
    expect(stage.log.text()).not.toContain(stage.north.canary);
  });
});

/** The request with the tenant that it concerns said outright; null where it has no place for that. */
function namingTenant(route: Route, given: Given, tenant: string): Given | null {
  if (route.path.includes(':tenant')) return given;
  if (route.query && 'tenant' in route.query.shape) return { ...given, query: { ...given.query, tenant } };
  const takesJson = route.body !== undefined && !isRaw(route.body);
  return takesJson ? { ...given, body: { ...(given.body as object | undefined), tenant } } : null;
}

/** Requests that are wrong in each part that the endpoint reads. */
function badOf(route: Route, given: Given): Given[] {
  const bad: Given[] = [];
  if (route.query) {
    bad.push({ ...given, query: { ...given.query, nonsense: '1' } });
    if ('tenant' in route.query.shape) bad.push({ ...given, query: { ...given.query, tenant: '' } });
    if ('limit' in route.query.shape) bad.push({ ...given, query: { ...given.query, limit: 'many' } });
    if ('cursor' in route.query.shape) bad.push({ ...given, query: { ...given.query, cursor: 'nowhere' } });
  }
  if (route.body && !isRaw(route.body)) {
    for (const body of [{ ...(given.body as object | undefined), nonsense: 1 }, [], 7, '{"half']) {
      const headers = { ...given.headers, 'content-type': 'application/json' };
      bad.push({ ...given, body, headers });
    }
    bad.push({ ...given, body: 'plain', headers: { 'content-type': 'text/csv' } });
  }
  return bad;
}
