import { pageUserRows, USER_FILTERS, type UserRow } from '@slowwave/db';
import { TIERS } from '@slowwave/fusion';
import { z } from 'zod';
import type { AppOptions } from '../../http/options.ts';
import type { Desk } from '../desk.ts';
import { type Html, html } from '../html.ts';
import { ago, emptyState, nextPage, tableOf } from '../parts.ts';
import { DEFAULT_TENANT, pageOf, userPage, type Visit } from '../visit.ts';
import { toned } from '../words.ts';

const PER_PAGE = 50;
const querySchema = z.object({
  q: z.string().max(200).default(''),
  filter: z.enum(USER_FILTERS).catch('all'),
  cursor: z.string().optional(),
});
const FILTER_WORDS: Record<(typeof USER_FILTERS)[number], string> = {
  all: 'everybody',
  overdue: 'overdue',
  failing: 'failed last time',
  paused: 'paused',
  quarantined: 'in quarantine',
  waiting: 'something waits for a person',
};

/** Users by name, found by a part of it and by how they are. */
export function registerUsersPage(desk: Desk, { overdueMs }: AppOptions): void {
  desk.page(
    '/dashboard/users',
    { place: 'users', query: querySchema },
    async ({ visit, fields, database }) => {
      const { tenant, now } = visit;
      const { q, filter, cursor } = fields;
      const { rows, nextCursor } = await database.withTenant(tenant, (tx) =>
        pageUserRows(tx, { tenant, search: q, filter, at: now, graceMs: overdueMs, limit: PER_PAGE, cursor }),
      );
      const next = nextCursor && pageOf(visit, ['users'], { q, filter, cursor: nextCursor });
      return {
        title: 'Users',
        lead: html`Of tenant ${tenant}`,
        main: html`${filters(visit, fields)}<section class="card" aria-label="Users">${
          rows.length === 0 ? nobody(q !== '' || filter !== 'all') : listOf(visit, rows)
        }${nextPage(next)}</section>`,
      };
    },
  );
}

function filters({ tenant, allTenants }: Visit, { q, filter }: z.infer<typeof querySchema>): Html {
  const options = USER_FILTERS.map(
    (each) =>
      html`<option value="${each}" ${each === filter && html`selected`}>${FILTER_WORDS[each]}</option>`,
  );
  return html`<form class="filters" method="get" action="/dashboard/users" role="search">${
    allTenants && tenant !== DEFAULT_TENANT && html`<input type="hidden" name="tenant" value="${tenant}">`
  }<div class="field"><label for="q">Part of the name</label><input id="q" type="search" name="q" value="${q}" spellcheck="false" autocomplete="off"></div>
<div class="field"><label for="filter">Who</label><select id="filter" name="filter">${options}</select></div>
<button type="submit">Show</button></form>`;
}

function nobody(filtered: boolean): Html {
  return filtered
    ? emptyState(
        'Nobody is like that',
        html`Try a shorter part of the name, or <a href="/dashboard/users">everybody</a>.`,
      )
    : emptyState(
        'No users yet',
        html`Users come with their memories: <code>npx slowwave import notes.txt --user ana</code>.`,
      );
}

function listOf(visit: Visit, rows: readonly UserRow[]): Html {
  return tableOf(
    { caption: 'Users by name', hideCaption: true },
    [
      {
        title: 'User',
        cell: (row: UserRow) => html`<a href="${userPage(visit, row.user)}"><bdi>${row.user}</bdi></a>`,
      },
      { title: 'State', cell: stateOf },
      { title: 'Waits for a person', cell: waitingOf },
      ...TIERS.map((tier) => ({
        title: `Next ${tier}`,
        cell: ({ tiers }: UserRow) =>
          tiers[tier]?.dueAt == null
            ? html`<span class="quiet">nothing ahead</span>`
            : ago(visit, tiers[tier].dueAt),
      })),
      { title: 'Last night', cell: ({ tiers }) => ago(visit, tiers.sleep?.lastSuccessAt ?? null) },
      { title: 'Mode', cell: ({ mode }) => mode },
    ],
    rows,
  );
}

function stateOf({ quarantinedAt, tiers }: UserRow): Html {
  const failing = TIERS.filter((tier) => (tiers[tier]?.failures ?? 0) > 0);
  const paused = TIERS.filter((tier) => tiers[tier]?.paused);
  const marks = [
    quarantinedAt !== null && toned('bad', '✗', 'quarantine'),
    failing.length > 0 && toned('warn', '!', `failing: ${failing.join(', ')}`),
    paused.length > 0 &&
      toned('plain', '‖', paused.length === TIERS.length ? 'paused' : `paused: ${paused.join(', ')}`),
  ].filter((mark) => mark !== false);
  return html`<span class="marks">${marks.length > 0 ? marks : toned('good', '✓', 'well')}</span>`;
}

function waitingOf({ reviews, conflicts, failedFusions }: UserRow): Html {
  const marks = [
    reviews > 0 && toned('warn', '?', `${reviews} to review`),
    conflicts > 0 && toned('warn', '≠', `${conflicts} conflicts`),
    failedFusions > 0 && toned('bad', '✗', `${failedFusions} failed`),
  ].filter((mark) => mark !== false);
  return marks.length > 0
    ? html`<span class="marks">${marks}</span>`
    : html`<span class="quiet">nothing</span>`;
}
