// Everything here improves pages that work without it.
const REFRESH_MS = 15_000;
const say = (text) => {
  const region = document.getElementById('said');
  if (region) region.textContent = text;
};
const remembered = (name, otherwise) => {
  try {
    return localStorage.getItem(name) ?? otherwise;
  } catch {
    return otherwise;
  }
};
const remember = (name, value) => {
  try {
    localStorage.setItem(name, value);
  } catch {
    // Storage is switched off: the choice holds for this page.
  }
};

/** Shows a dialog and resolves to whether it was agreed to. */
function ask(dialog) {
  return new Promise((resolve) => {
    dialog.returnValue = '';
    dialog.addEventListener('close', () => resolve(dialog.returnValue === 'yes'), { once: true });
    dialog.showModal();
  });
}

const agreed = new WeakSet();
document.addEventListener('submit', async (event) => {
  const form = event.target;
  const dialog = document.getElementById('confirm-dialog');
  const question = form.dataset?.confirm;
  if (!question || agreed.has(form) || !dialog) return;
  event.preventDefault();
  const { submitter } = event;
  dialog.querySelector('[data-question]').textContent = question;
  dialog.querySelector('[value="yes"]').textContent = submitter?.textContent.trim() || 'Go on';
  if (!(await ask(dialog))) return;
  agreed.add(form);
  form.requestSubmit(submitter ?? undefined);
});

for (const button of document.querySelectorAll('[data-copy]')) {
  button.hidden = !navigator.clipboard;
}
document.addEventListener('click', async (event) => {
  const button = event.target.closest?.('[data-copy]');
  if (!button) return;
  try {
    await navigator.clipboard.writeText(button.dataset.copy);
    say('Copied');
  } catch {
    say('The browser did not allow copying');
  }
});

// Keys
const keysOn = () => remembered('slowwave-keys', 'on') === 'on';
const rows = () => [...document.querySelectorAll('[data-row]')].filter((row) => row.offsetParent !== null);

function step(by) {
  const all = rows();
  if (all.length === 0) return;
  const at = all.findIndex((row) => row.contains(document.activeElement));
  const next =
    all[at === -1 ? (by > 0 ? 0 : all.length - 1) : Math.min(all.length - 1, Math.max(0, at + by))];
  next.querySelector('a, button')?.focus();
  next.scrollIntoView({ block: 'nearest' });
}

document.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  if (event.target.closest?.('input, textarea, select, dialog')) return;
  if (event.key === '?') {
    event.preventDefault();
    document.getElementById('keys')?.showModal();
    return;
  }
  if (!keysOn()) return;
  if (event.key === 'j') step(1);
  else if (event.key === 'k') step(-1);
  else if (event.key === '/') {
    const search = document.querySelector('input[type="search"]');
    if (!search) return;
    event.preventDefault();
    search.focus();
  }
});
for (const button of document.querySelectorAll('[data-opens]')) {
  button.hidden = false;
  button.addEventListener('click', () => document.getElementById(button.dataset.opens)?.showModal());
}
for (const box of document.querySelectorAll('[data-remember]')) {
  const name = `slowwave-${box.dataset.remember}`;
  box.checked = remembered(name, 'on') === 'on';
  box.addEventListener('change', () => remember(name, box.checked ? 'on' : 'off'));
}

// Fresh figures, where a page has any and nobody is using them.
const fresh = document.querySelector('[data-refresh]');
const label = document.querySelector('[data-refresh-choice]');
if (label) label.hidden = false;

async function refresh() {
  if (document.hidden || remembered('slowwave-refresh', 'on') !== 'on') return;
  if (fresh.contains(document.activeElement)) return;
  const answer = await fetch(location.href, { headers: { accept: 'text/html' } });
  if (!answer.ok || answer.redirected) return;
  const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
  const next = page.querySelector('[data-refresh]');
  if (next) fresh.replaceChildren(...next.childNodes);
}
if (fresh) setInterval(() => refresh().catch(() => {}), REFRESH_MS);
