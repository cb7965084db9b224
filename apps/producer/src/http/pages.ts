import type { Tier } from '@slowwave/fusion';

export const STYLE = `
:root { color-scheme: light dark; --ink: #1d2433; --quiet: #56607a; --paper: #f6f7fb; --card: #fff; --line: #d5d9e5; --accent: #3949ab; --on-accent: #fff; --bad: #b3261e; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8eaf2; --quiet: #a5aec6; --paper: #12151d; --card: #1b202c; --line: #363d50; --accent: #aab6ff; --on-accent: #12151d; --bad: #ffb4ab; } }
* { box-sizing: border-box; }
body { margin: 0; padding: 1.5rem 1rem; background: var(--paper); color: var(--ink); font: 1rem/1.55 system-ui, sans-serif; }
main { max-width: 44rem; margin: 0 auto; }
main.narrow { max-width: 24rem; margin-top: 10vh; }
section, form.card { background: var(--card); border: 1px solid var(--line); border-radius: .6rem; padding: 1rem 1.25rem; margin: 1rem 0; }
h1 { font-size: 1.5rem; margin: 0 0 .25rem; }
h2 { font-size: 1.05rem; margin: 0 0 .5rem; }
p { margin: .25rem 0 .75rem; }
.quiet { color: var(--quiet); }
.bad { color: var(--bad); font-weight: 600; }
a { color: var(--accent); }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .25rem 1rem; margin: 0; }
dt { color: var(--quiet); } dd { margin: 0; overflow-wrap: anywhere; }
label { display: block; font-weight: 600; margin-bottom: .25rem; }
input, button { font: inherit; width: 100%; padding: .55rem .7rem; border-radius: .4rem; border: 1px solid var(--quiet); background: var(--paper); color: var(--ink); }
button { margin-top: .9rem; background: var(--accent); border-color: var(--accent); color: var(--on-accent); font-weight: 600; cursor: pointer; }
button.plain { width: auto; margin: 0; }
a:focus-visible, input:focus-visible, button:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
pre { margin: .25rem 0 .75rem; padding: .6rem .75rem; background: var(--paper); border: 1px solid var(--line); border-radius: .4rem; white-space: pre-wrap; overflow-wrap: anywhere; font-size: .85rem; }
`;

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}

function page(title: string, main: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<link rel="icon" href="data:,">
<title>${escapeHtml(title)}</title>
<style>${STYLE}</style>
</head>
<body>
${main}
</body>
</html>
`;
}

/** @param next where to go afterwards @param failure what to say about the last attempt */
export function loginPage(next: string, failure: string | null): string {
  const alert = failure === null ? '' : `<p class="bad" role="alert" id="failure">${escapeHtml(failure)}</p>`;
  const described = failure === null ? 'hint' : 'failure hint';
  return page(
    'Sign in · Slowwave',
    `<main class="narrow">
<h1>Slowwave</h1>
<p class="quiet">Sign in to see the dashboard and the queues.</p>
<form class="card" method="post" action="/login">
${alert}<input type="hidden" name="next" value="${escapeHtml(next)}">
<label for="token">Token</label>
<input id="token" name="token" type="password" autocomplete="current-password" spellcheck="false" required autofocus aria-describedby="${described}"${failure === null ? '' : ' aria-invalid="true"'}>
<p class="quiet" id="hint">The operator token (it stands in SLOWWAVE_OPERATOR_TOKEN, or was printed when the service started), or one of your tenant.</p>
<button type="submit">Sign in</button>
</form>
</main>`,
  );
}

/** A page that somebody who is signed in may not see. @param why what is missing, and what to do */
export function refusalPage(title: string, why: string): string {
  return page(
    `${title} · Slowwave`,
    `<main class="narrow">
<h1>${escapeHtml(title)}</h1>
<p class="bad" role="alert">${escapeHtml(why)}</p>
<p><a href="/">Start page</a></p>
<form method="post" action="/logout"><button class="plain" type="submit">Sign in with another token</button></form>
</main>`,
  );
}

export interface StartFacts {
  version: string;
  database: string;
  queue: string;
  tickSeconds: number;
  queueCap: number;
  tiers: readonly Tier[];
  /** The address under which the page was opened. */
  origin: string;
  signedIn: boolean;
}

export function startPage(facts: StartFacts): string {
  const header = `-H "Authorization: Bearer $SLOWWAVE_OPERATOR_TOKEN"`;
  const command = (text: string) => `<pre><code>${escapeHtml(text)}</code></pre>`;
  const row = (name: string, value: string) => `<dt>${escapeHtml(name)}</dt><dd>${escapeHtml(value)}</dd>`;
  const logout = `<form method="post" action="/logout"><button class="plain" type="submit">Sign out</button></form>`;
  return page(
    'Slowwave',
    `<main>
<h1>Slowwave</h1>
<p class="quiet">The sleep of an agent's memory: each user's memories are consolidated while nobody is talking.</p>
<section aria-labelledby="runs"><h2 id="runs">What runs</h2>
<dl>
${row('version', facts.version)}
${row('database', facts.database)}
${row('queue', facts.queue)}
${row('tiers', `${facts.tiers.join(', ')}, looked at every ${facts.tickSeconds} s`)}
${row('waiting at most', `${facts.queueCap} users per queue`)}
</dl></section>
<section aria-labelledby="look"><h2 id="look">Where to look</h2>
<p><a href="/dashboard">Dashboard</a>: what ran, what was fused and why, reviews, conflicts, undo.</p>
<p><a href="/board">Bull Board</a>: the queues, failed fusions and their reasons, retries.</p>
<p><a href="/health/ready">Health</a>: database, queue, ticks, users overdue.</p>
${facts.signedIn ? logout : '<p><a href="/login?next=/dashboard">Sign in</a> with the operator token, or with one of your tenant.</p>'}
</section>
<section aria-labelledby="next"><h2 id="next">What to try next</h2>
<p>Import a file, one memory on each line:</p>
${command(`curl ${header} -H "Content-Type: text/plain" --data-binary @notes.txt "${facts.origin}/v1/imports?user=ana"`)}
<p>Consolidate this user now:</p>
${command(`curl ${header} -H "Content-Type: application/json" -d '{"user":"ana","tier":"deep"}' ${facts.origin}/v1/consolidations`)}
<p>Follow the run with the <code>statusUrl</code> of the answer, and look at the user:</p>
${command(`curl ${header} ${facts.origin}/v1/users/ana`)}
</section>
</main>`,
  );
}
