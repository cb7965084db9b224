/** The page of the last night, for hosts that show pages of tools (MCP Apps, 2026-01-26): it draws what get_consolidation answers. */
export const PAGE_URI = 'ui://slowwave/last-night';
export const PAGE_TYPE = 'text/html;profile=mcp-app';

const STYLE = `
:root { color-scheme: light dark;
  --text: var(--color-text-primary, light-dark(#1b2230, #e6e9f0)); --soft: var(--color-text-secondary, light-dark(#545d70, #a4acbd));
  --card: var(--color-background-secondary, light-dark(#f5f6f9, #1a1f2a)); --line: var(--color-border-primary, light-dark(#d5d9e2, #343b4a));
  --good: var(--color-text-success, light-dark(#1a6b3c, #7fd6a0)); --bad: var(--color-text-danger, light-dark(#a3201d, #ff9d96)); }
body { margin: 0; padding: 12px; font: 14px/1.5 var(--font-sans, system-ui, sans-serif); color: var(--text); background: transparent; }
h1 { font-size: 16px; margin: 0 0 2px; } h2 { font-size: 14px; margin: 16px 0 6px; }
p { margin: 0 0 8px; color: var(--soft); }
article { background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: 10px 12px; margin: 0 0 10px; overflow-wrap: anywhere; }
article strong { display: block; font-weight: 600; } ul { margin: 6px 0; padding-inline-start: 18px; color: var(--soft); }
button { font: inherit; color: var(--bad); background: none; border: 1px solid currentColor; border-radius: 6px; padding: 3px 10px; cursor: pointer; }
button:disabled { color: var(--soft); cursor: default; } button:focus-visible { outline: 2px solid var(--good); outline-offset: 2px; }
.why { color: var(--bad); }`;

/** Texts of memories are set as text and never as HTML. A click is the word of the person who reads: Undo needs no further question. */
const SCRIPT = `
const waiting = new Map(); let last = 0, asked = {};
const send = (message) => parent.postMessage({ jsonrpc: '2.0', ...message }, '*');
const ask = (method, params) => new Promise((resolve, reject) => { const id = ++last; waiting.set(id, { resolve, reject }); send({ id, method, params }); });
const make = (name, text, into) => { const made = document.createElement(name); if (text !== undefined) made.textContent = text; into.append(made); return made; };
function card(of, into) {
  const article = make('article', undefined, into);
  const text = make('strong', of.statement ?? of.fusion_key, article); text.dir = 'auto';
  const list = make('ul', undefined, article);
  for (const source of of.made_of) make('li', source, list).dir = 'auto';
  return article;
}
function undo(of, article) {
  const button = make('button', 'Undo', article);
  const state = make('span', '', article); state.setAttribute('role', 'status');
  button.onclick = async () => {
    button.disabled = true; state.textContent = ' …';
    const user = asked.user === undefined ? {} : { user: asked.user };
    try {
      const told = await ask('tools/call', { name: 'undo_consolidation', arguments: { ...user, fusion_key: of.fusion_key, confirm: true } });
      if (told.isError) throw new Error(told.content?.[0]?.text);
      state.textContent = ' Undone: ' + told.structuredContent.restored + ' memories are back.';
    } catch (error) { button.disabled = false; state.textContent = ' Not undone: ' + (error.message || 'the host does not allow it'); }
  };
}
function show(night) {
  const main = document.querySelector('main'); main.replaceChildren();
  if (!night || night.run_id === null) { make('h1', 'No night has ended yet', main); return; }
  make('h1', night.preview ? 'What a run would do' : 'The last night', main);
  const when = night.finished_at ? new Date(night.finished_at).toLocaleString() : night.status;
  const sums = night.totals ? night.totals.superseded + ' memories are stood for by ' + night.totals.fused + (night.totals.fused === 1 ? ' statement. ' : ' statements. ') : '';
  make('p', sums + night.tier + ', ' + when, main);
  const standing = night.fusions.filter((of) => of.statement !== null);
  if (standing.length > 0) make('h2', 'Joined', main);
  for (const of of standing) { const article = card(of, main); if (of.status === 'applied') undo(of, article); else make('span', of.status, article); }
  if (night.refused?.length > 0) make('h2', 'Refused: the memories stay as they are', main);
  for (const of of night.refused ?? []) make('span', of.why, card(of, main)).className = 'why';
}
addEventListener('message', ({ source, data }) => {
  if (source !== parent || data?.jsonrpc !== '2.0') return;
  const open = waiting.get(data.id);
  if (open && data.method === undefined) { waiting.delete(data.id); data.error ? open.reject(new Error(data.error.message)) : open.resolve(data.result); return; }
  if (data.method === 'ui/notifications/tool-input') asked = data.params.arguments ?? {};
  if (data.method === 'ui/notifications/tool-result') show(data.params.structuredContent);
  if (data.method === 'ui/notifications/host-context-changed') theme(data.params);
  if (data.method === 'ui/resource-teardown' || data.method === 'ping') send({ id: data.id, result: {} });
});
function theme(context) {
  const root = document.documentElement;
  if (context?.theme) root.style.colorScheme = context.theme;
  for (const [name, value] of Object.entries(context?.styles?.variables ?? {})) if (value) root.style.setProperty(name, value);
}
new ResizeObserver(() => send({ method: 'ui/notifications/size-changed', params: { width: document.body.scrollWidth, height: document.body.scrollHeight } })).observe(document.body);
ask('ui/initialize', { appCapabilities: {}, appInfo: { name: 'slowwave', version: '1' }, protocolVersion: '2026-01-26' })
  .then(({ hostContext }) => { theme(hostContext); send({ method: 'ui/notifications/initialized', params: {} }); });`;

export const PAGE = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>The last night</title><style>${STYLE}</style></head>
<body><main><p>Waiting for the night …</p></main><script>${SCRIPT}</script></body></html>
`;
