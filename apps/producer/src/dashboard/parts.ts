import { FORM_FIELD } from './form-token.ts';
import { distanceText, instantText, shortId } from './format.ts';
import { type Html, html, type Value } from './html.ts';
import { DEFAULT_TENANT, type Visit } from './visit.ts';

/** Somebody's words: isolated from the page in their direction, and shown as they stand. */
export function wordsOf(text: string, clipped = false): Html {
  return html`<bdi class="${clipped ? 'text clip' : 'text'}" dir="auto">${text}</bdi>`;
}

/** An instant with how far away it is. */
export function when(visit: Pick<Visit, 'now'>, at: number | null, zone?: string): Html {
  if (at === null || !Number.isFinite(at)) return html`<span class="quiet">never</span>`;
  return html`${timeOf(at, instantText(at, zone))} <span class="quiet nowrap">(${distanceText(at, visit.now)})</span>`;
}

/** How far away an instant is, with the instant itself for whoever asks. */
export function ago(visit: Pick<Visit, 'now'>, at: number | null, zone?: string): Html {
  if (at === null || !Number.isFinite(at)) return html`<span class="quiet">never</span>`;
  const exact = instantText(at, zone);
  return html`<time class="nowrap" datetime="${isoOf(at)}" title="${exact}">${distanceText(at, visit.now)}</time>`;
}

export function timeOf(at: number, text: string): Html {
  return html`<time class="nowrap" datetime="${isoOf(at)}">${text}</time>`;
}

const isoOf = (at: number): string => new Date(at).toISOString();

/** An id in short, whole for those who copy it. */
export function idOf(id: string, short = shortId(id)): Html {
  return html`<code title="${id}">${short}</code>`;
}

export function copyButton(id: string, what: string): Html {
  return html`<button type="button" class="small" hidden data-copy="${id}">Copy ${what}</button>`;
}

/** A form that does something when it is sent, with the token of the session. */
export function formOf(
  visit: Visit,
  form: { action: string; confirm?: string; class?: string },
  content: Value,
): Html {
  const { formToken, tenant, allTenants } = visit;
  return html`<form method="post" action="${form.action}" class="${form.class ?? 'stack'}" ${
    form.confirm !== undefined && html`data-confirm="${form.confirm}"`
  }><input type="hidden" name="${FORM_FIELD}" value="${formToken}">${
    allTenants && tenant !== DEFAULT_TENANT && html`<input type="hidden" name="tenant" value="${tenant}">`
  }${content}</form>`;
}

/** A form that is one button. */
export function buttonForm(
  visit: Visit,
  form: { action: string; confirm?: string; label: string; kind?: 'main' | 'danger' | '' },
  hidden: Readonly<Record<string, string>> = {},
): Html {
  const fields = Object.entries(hidden).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  );
  const button = html`<button type="submit" class="${form.kind ?? ''}">${form.label}</button>`;
  return formOf(visit, { ...form, class: '' }, [fields, button]);
}

/** Nothing to show, and what to do about it. */
export function emptyState(title: string, what: Value): Html {
  return html`<div class="empty"><p><strong>${title}</strong></p><p>${what}</p></div>`;
}

/** A card with its heading, which names it. */
export function card(of: { id: string; title: string; class?: string; aside?: Value }, content: Value): Html {
  const heading = html`<h2 id="${of.id}">${of.title}</h2>`;
  return html`<section class="card ${of.class ?? ''}" aria-labelledby="${of.id}">${
    of.aside
      ? html`<div class="card-head">${heading}<div class="small quiet">${of.aside}</div></div>`
      : heading
  }${content}</section>`;
}

export interface Column<Row> {
  title: string;
  kind?: 'number' | 'block';
  cell: (row: Row) => Value;
}

/** A table whose rows become cards where there is little room. The first column names the row. */
export function tableOf<Row>(
  of: { caption: Value; hideCaption?: boolean },
  columns: readonly Column<Row>[],
  rows: readonly Row[],
): Html {
  const head = columns.map(
    ({ title, kind }) => html`<th scope="col" class="${kind === 'number' ? 'number' : ''}">${title}</th>`,
  );
  const cellOf = ({ title, kind, cell }: Column<Row>, row: Row, at: number) =>
    at === 0
      ? html`<th scope="row">${cell(row)}</th>`
      : html`<td class="${kind ?? ''}" data-label="${title}">${cell(row)}</td>`;
  return html`<table class="rows"><caption class="${of.hideCaption ? 'hidden-visually' : ''}">${of.caption}</caption>
<thead><tr>${head}</tr></thead>
<tbody>${rows.map((row) => html`<tr data-row="">${columns.map((column, at) => cellOf(column, row, at))}</tr>`)}</tbody></table>`;
}

/** Facts by name. */
export function factsOf(facts: readonly (readonly [string, Value])[]): Html {
  return html`<dl class="facts">${facts.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>`;
}

/** A link to the next page of a list. */
export function nextPage(address: string | null): Html | null {
  return address === null
    ? null
    : html`<p class="actions"><a class="button" href="${address}" rel="next">Next page</a></p>`;
}
