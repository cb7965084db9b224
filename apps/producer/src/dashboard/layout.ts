import type { Assets } from './assets.ts';
import { FORM_FIELD } from './form-token.ts';
import { documentOf, type Html, html, type Value } from './html.ts';
import { pageOf, THEMES, type Visit } from './visit.ts';

/** What a page of its own is made of. */
export interface PageContent {
  title: string;
  /** Below the title. */
  lead?: Value;
  /** Beside the title. */
  aside?: Value;
  /** The pages above this one, the outermost first. */
  crumbs?: readonly { text: string; href: string }[];
  main: Value;
}

export type Place = 'overview' | 'users' | 'reviews' | 'conflicts' | 'failed' | 'evaluation' | null;

const LOGO = html`<svg viewBox="0 0 24 24" aria-hidden="true" focusable="false"><path d="M2 15c2.2 0 2.2-7 5-7s2.4 9 5 9 2.3-11 5-11 2.4 9 5 9" fill="none" stroke="currentColor" stroke-width="2.2" stroke-linecap="round"/></svg>`;

/** A page whole, with the frame that all pages share. */
export function wholePage(visit: Visit, assets: Assets, place: Place, page: PageContent): string {
  return documentOf(html`<html lang="en" data-theme="${visit.theme}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<link rel="icon" href="/dashboard/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="${assets.style.path}">
<script type="module" src="${assets.script.path}"></script>
<title>${page.title} · Slowwave</title>
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header class="bar"><div class="bar-inner">
<a class="brand" href="${pageOf(visit, [])}">${LOGO}Slowwave</a>
${placesOf(visit, place)}
${toolsOf(visit)}
</div></header>
<main id="main" tabindex="-1">
${visit.done !== null && html`<div class="notice good" role="status"><p><strong>Done.</strong> ${visit.done}</p></div>`}
<div class="head"><div>${crumbsOf(page)}<h1>${page.title}</h1>${page.lead && html`<p>${page.lead}</p>`}</div>${
    page.aside && html`<div class="actions">${page.aside}</div>`
  }</div>
${page.main}
</main>
${footerOf(visit)}
${dialogs()}
<div id="said" class="hidden-visually" role="status" aria-live="polite"></div>
</body>
</html>`);
}

function crumbsOf({ crumbs, title }: PageContent): Html | null {
  if (!crumbs || crumbs.length === 0) return null;
  return html`<nav class="crumbs" aria-label="Where this page stands"><ol>${crumbs.map(
    ({ text, href }) => html`<li><a href="${href}">${text}</a></li>`,
  )}<li aria-current="page" class="hidden-visually">${title}</li></ol></nav>`;
}

function placesOf(visit: Visit, current: Place): Html {
  const { waiting } = visit;
  const places: { name: Exclude<Place, null>; text: string; href: string; count?: number; bad?: boolean }[] =
    [
      { name: 'overview', text: 'Overview', href: pageOf(visit, []) },
      { name: 'users', text: 'Users', href: pageOf(visit, ['users']) },
      { name: 'reviews', text: 'Reviews', href: pageOf(visit, ['reviews']), count: waiting.reviews },
      { name: 'conflicts', text: 'Conflicts', href: pageOf(visit, ['conflicts']), count: waiting.conflicts },
      {
        name: 'failed',
        text: 'Failed',
        href: pageOf(visit, ['failed']),
        count: waiting.failedFusions,
        bad: true,
      },
      { name: 'evaluation', text: 'Evaluation', href: pageOf(visit, ['evaluation']) },
    ];
  const items = places.map(
    ({ name, text, href, count, bad }) =>
      html`<li><a href="${href}" ${name === current && html`aria-current="page"`}>${text}${
        count !== undefined &&
        count > 0 &&
        html` <span class="count ${bad ? 'bad' : ''}">${count}<span class="hidden-visually"> waiting</span></span>`
      }</a></li>`,
  );
  const board = visit.mayOpenBoard && html`<li><a href="/board">Queues</a></li>`;
  return html`<nav class="places" aria-label="Dashboard"><ul>${items}${board}</ul></nav>`;
}

const THEME_TEXTS = { auto: 'Auto', light: 'Light', dark: 'Dark' } as const;

function toolsOf(visit: Visit): Html {
  const { allTenants, tenant, theme, formToken, address } = visit;
  const chooser = html`<form method="get" action="/dashboard"><label for="tenant">Tenant</label>
<input id="tenant" name="tenant" value="${tenant}" spellcheck="false" autocomplete="off"><button type="submit">Go<span class="hidden-visually"> to this tenant</span></button></form>`;
  const next = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length]!;
  return html`<div class="tools">${allTenants ? chooser : html`<span class="quiet">${tenant}</span>`}
<form method="post" action="/dashboard/theme"><input type="hidden" name="${FORM_FIELD}" value="${formToken}"><input type="hidden" name="next" value="${address}"><button type="submit" name="theme" value="${next}"><span aria-hidden="true">◐</span> ${THEME_TEXTS[theme]}<span class="hidden-visually">: colours; change to ${THEME_TEXTS[next].toLowerCase()}</span></button></form>
<form method="post" action="/logout"><button type="submit">Sign out</button></form></div>`;
}

function footerOf({ principal, version }: Visit): Html {
  return html`<footer><span>Signed in as ${principal.name} (${principal.role}${principal.tenant === null ? ', all tenants' : ''})</span><span>Slowwave ${version}</span><a href="/health/ready">Health</a><button type="button" class="small" hidden data-opens="keys">Keys</button></footer>`;
}

function dialogs(): Html {
  return html`<dialog id="confirm-dialog" aria-labelledby="confirm-title"><form method="dialog"><h2 id="confirm-title" class="dialog-title">Are you sure?</h2><p data-question></p><div class="actions"><button class="main" value="yes">Go on</button><button value="no" autofocus>Leave it</button></div></form></dialog>
<dialog id="keys" aria-labelledby="keys-title"><form method="dialog"><h2 id="keys-title" class="dialog-title">Keys</h2>
<dl class="facts"><dt><kbd>j</kbd> <kbd>k</kbd></dt><dd>next and previous row</dd><dt><kbd>/</kbd></dt><dd>search, where there is one</dd><dt><kbd>?</kbd></dt><dd>this list</dd></dl>
<p><label class="choice"><input type="checkbox" data-remember="keys"> Use these keys</label></p>
<div class="actions"><button class="main" value="no">Close</button></div></form></dialog>`;
}
