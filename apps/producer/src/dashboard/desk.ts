import { idField, ROLES, type Role, tenantField } from '@slowwave/api';
import { countWaiting, type Database } from '@slowwave/db';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { cookieOf, isHttps, SESSION_COOKIE } from '../http/cookies.ts';
import { parseInput } from '../http/input.ts';
import type { AppOptions } from '../http/options.ts';
import { principalOf, requireRole, tenantFor } from '../http/principal.ts';
import { Problem } from '../http/problem.ts';
import { ownPath } from '../http/sign-in.ts';
import type { Assets } from './assets.ts';
import { FORM_FIELD, type FormTokens } from './form-token.ts';
import { type PageContent, type Place, wholePage } from './layout.ts';
import { THEMES, type Theme, type Visit } from './visit.ts';

const THEME_COOKIE = 'slowwave_theme';
const YEAR_SECONDS = 31_536_000;

/** What pages and actions are given. */
export interface Ask<Fields> {
  visit: Visit;
  params: Record<string, string>;
  /** Of the query, or of the form. */
  fields: Fields;
  database: Database;
}

/** Where to go after something was done, and what to say there. */
export interface Done {
  to: string;
  /** A key of DONE. */
  said?: keyof typeof DONE;
}

/** What pages say after something was done: fixed sentences, so that an address can put no words there. */
export const DONE = {
  approved: 'The fusion is approved and applied.',
  rejected: 'The proposal is rejected; its sources stay as they are.',
  undone: 'It is taken back. What it superseded stands again.',
  redone: 'It is made good again.',
  retried: 'The fusion is in the queue again.',
  requeued:
    'The queue no longer had its job. It stands in the failed list again in a moment: have it tried again then.',
  settled: 'The conflict is settled.',
  confirmed: 'The memory is confirmed.',
  edited: 'The memory says something else now; the journal has the old words.',
  forgotten: 'It is forgotten for good, with everything that was made of it.',
  requested: 'The run is requested. It shows here when it begins.',
  existing: 'A run was asked for before and has not begun: it answers this one too.',
  changed: 'The settings are changed.',
  paused: 'Paused.',
  resumed: 'Resumed.',
  released: 'Released: runs go on at their next turn.',
  cancelled: 'The run is asked to stop.',
} as const;

/** Registers pages and actions, each behind the same checks. `role`: the least that is let in, as the API asks for the same. */
export interface Desk {
  page<Fields>(
    path: string,
    /** Role: default read. */
    of: { place: Place; query?: z.ZodType<Fields>; role?: Role },
    render: (ask: Ask<Fields>) => Promise<PageContent>,
  ): void;
  /** A form whose answer is a page of its own: what was asked stands in no address. Role: default read. */
  asked<Fields>(
    path: string,
    of: { place: Place; form?: z.ZodType<Fields>; role?: Role },
    render: (ask: Ask<Fields>, request: FastifyRequest) => Promise<PageContent>,
  ): void;
  action<Fields>(
    path: string,
    /** Role: default write. */
    of: { form?: z.ZodType<Fields>; role?: Role },
    act: (ask: Ask<Fields>) => Promise<Done>,
  ): void;
}

interface Parts {
  options: AppOptions;
  assets: Assets;
  tokens: FormTokens;
}

const askedTenant = z.object({ tenant: tenantField });
const paramsSchema = z.record(z.string(), idField);
const nothing = z.object({});

/** @param app a scope of its own, whose requests have been let in already */
export function createDesk(app: FastifyInstance, parts: Parts): Desk {
  const { options, assets, tokens } = parts;
  const { database } = options;
  registerTheme(app, tokens);
  return {
    page(path, { place, query, role = 'read' }, render) {
      app.get(path, async (request, reply) => {
        const principal = principalOf(request);
        requireRole(principal, role);
        const { tenant } = parseInput(askedTenant, request.query, 'query');
        const params = parseInput(paramsSchema, request.params, 'path');
        const fields = parseInput<unknown>(query ?? nothing, request.query, 'query') as never;
        const visit = await visitOf(parts, request, tenantFor(principal, tenant));
        const content = await render({ visit, params, fields, database });
        return reply.type('text/html; charset=utf-8').send(wholePage(visit, assets, place, content));
      });
    },
    asked(path, { place, form, role = 'read' }, render) {
      app.post(path, async (request, reply) => {
        const ask = await askOf(request, form ?? nothing, role);
        const content = await render(ask as never, request);
        return reply.type('text/html; charset=utf-8').send(wholePage(ask.visit, assets, place, content));
      });
    },
    action(path, { form, role = 'write' }, act) {
      app.post(path, async (request, reply) => {
        const { to, said } = await act((await askOf(request, form ?? nothing, role)) as never);
        return reply.redirect(said === undefined ? to : withSaid(to, said), 303);
      });
    },
  };

  /** What a form asks for. @throws Problem 403 `foreign_form`, `role_too_low`; 400 for fields that cannot be read */
  async function askOf(request: FastifyRequest, form: z.ZodType<unknown>, role: Role): Promise<Ask<unknown>> {
    const given = formIn(request, tokens);
    const principal = principalOf(request);
    requireRole(principal, role);
    const { tenant } = parseInput(askedTenant, given, 'body');
    const params = parseInput(paramsSchema, request.params, 'path');
    const fields = parseInput(form, given, 'body');
    const visit = await visitOf(parts, request, tenantFor(principal, tenant));
    return { visit, params, fields, database };
  }
}

/** @throws DatabaseError */
async function visitOf({ options, tokens }: Parts, request: FastifyRequest, tenant: string): Promise<Visit> {
  const { database, now, version } = options;
  const principal = principalOf(request);
  const { done } = request.query as { done?: unknown };
  const allTenants = principal.tenant === null;
  const may = (role: Role) => ROLES.indexOf(principal.role) >= ROLES.indexOf(role);
  return {
    principal,
    tenant,
    mayWrite: may('write'),
    mayAdminister: may('admin'),
    allTenants,
    mayOpenBoard: allTenants && may('admin'),
    theme: themeOf(request),
    formToken: tokens.of(cookieOf(request, SESSION_COOKIE) ?? ''),
    now: now(),
    address: request.url,
    waiting: await database.withTenant(tenant, (tx) => countWaiting(tx, { tenant })),
    done: typeof done === 'string' && Object.hasOwn(DONE, done) ? DONE[done as keyof typeof DONE] : null,
    version,
  };
}

function withSaid(to: string, said: string): string {
  return `${to}${to.includes('?') ? '&' : '?'}done=${said}`;
}

/** The fields of a form that our own page of this session showed. @throws Problem 403 `foreign_form` */
function formIn(request: FastifyRequest, tokens: FormTokens): Record<string, string> {
  const form = request.body instanceof URLSearchParams ? request.body : new URLSearchParams();
  if (!tokens.fits(cookieOf(request, SESSION_COOKIE) ?? '', form.get(FORM_FIELD))) {
    throw new Problem(
      403,
      'foreign_form',
      'this form was shown to another session, or before you signed in anew; go back, load the page again and repeat it',
    );
  }
  return Object.fromEntries([...form].filter(([name]) => name !== FORM_FIELD));
}

const themeSchema = z.object({ theme: z.enum(THEMES), next: z.string().max(2_000).default('/dashboard') });

/** Light, dark or as the system has it: remembered by a cookie, so that it holds from the first byte of a page. */
function registerTheme(app: FastifyInstance, tokens: FormTokens): void {
  app.post('/dashboard/theme', async (request, reply) => {
    const { theme, next } = parseInput(themeSchema, formIn(request, tokens), 'body');
    const attributes = [`Max-Age=${YEAR_SECONDS}`, 'Path=/', 'HttpOnly', 'SameSite=Strict'];
    if (isHttps(request)) attributes.push('Secure');
    reply.header('set-cookie', [`${THEME_COOKIE}=${theme}`, ...attributes].join('; '));
    return reply.redirect(ownPath(next), 303);
  });
}

export function themeOf(request: FastifyRequest): Theme {
  const given = cookieOf(request, THEME_COOKIE);
  return THEMES.find((theme) => theme === given) ?? 'auto';
}
