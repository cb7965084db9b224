import type { FastifyRequest } from 'fastify';
import { principalOf } from '../../http/principal.ts';
import type { Problem } from '../../http/problem.ts';
import type { Assets } from '../assets.ts';
import { themeOf } from '../desk.ts';
import { documentOf, html } from '../html.ts';

const TITLES: Record<number, string> = {
  400: 'That cannot be read',
  401: 'Signed out',
  403: 'Not allowed',
  404: 'Not found',
  409: 'Not as things stand',
  503: 'Not available just now',
};

/** A request of the dashboard that was refused or went wrong. It says why and what to do, in words of ours. */
export function problemPage(assets: Assets, problem: Problem, request: FastifyRequest): string {
  const title = TITLES[problem.status] ?? 'Something went wrong';
  const back = request.headers.referer;
  const own = back && URL.canParse(back) ? new URL(back) : null;
  const known = own !== null && own.host === request.headers.host && own.pathname.startsWith('/dashboard');
  const again = known ? `${own.pathname}${own.search}` : '/dashboard';
  return documentOf(html`<html lang="en" data-theme="${themeOf(request)}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<link rel="icon" href="/dashboard/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="${assets.style.path}">
<title>${title} · Slowwave</title>
</head>
<body>
<main id="main">
<div class="head"><div><h1>${title}</h1></div></div>
<div class="notice bad" role="alert"><p>${sentence(problem.message)}</p></div>
<p class="actions"><a class="button main" href="${again}">Go back</a><a class="button" href="/dashboard">Overview</a>${
    problem.status === 401 && html`<a class="button" href="/login?next=/dashboard">Sign in</a>`
  }</p>
<p class="quiet small">Code <code>${problem.code}</code>, signed in as ${principalOf(request).name}.</p>
</main>
</body>
</html>`);
}

/** Details of problems begin small, since programs put them behind a code. */
export function sentence(text: string): string {
  const whole = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(whole) ? whole : `${whole}.`;
}
