import { type FusionView, pageFusions } from '@slowwave/db';
import { fusionJobId } from '@slowwave/queue';
import { z } from 'zod';
import type { Desk } from '../desk.ts';
import { shortId } from '../format.ts';
import { type Html, html } from '../html.ts';
import { ago, buttonForm, emptyState, nextPage, tableOf } from '../parts.ts';
import { actionOf, fusionPage, pageOf, userPage, type Visit } from '../visit.ts';
import { failureText } from '../words.ts';

const PER_PAGE = 50;
const querySchema = z.object({ cursor: z.string().optional() });

/** Fusions that failed: the ledger's own list, which outlives the queue's. */
export function registerFailedPage(desk: Desk): void {
  desk.page(
    '/dashboard/failed',
    { place: 'failed', query: querySchema },
    async ({ visit, fields, database }) => {
      const { tenant } = visit;
      const { rows, nextCursor } = await database.withTenant(tenant, (tx) =>
        pageFusions(tx, { tenant, status: 'failed', limit: PER_PAGE, cursor: fields.cursor }),
      );
      const none = emptyState(
        'No fusion has failed',
        'One that fails for good is listed here with its reason, until it is tried again or its sources change.',
      );
      return {
        title: 'Failed fusions',
        lead: html`Of tenant ${tenant}, those that changed last first`,
        aside:
          visit.mayOpenBoard &&
          html`<a class="button" href="/board/queue/fusions?status=failed">Failed jobs in the queue</a>`,
        main: html`<section class="card" aria-label="Failed fusions">${rows.length === 0 ? none : listOf(visit, rows)}${nextPage(
          nextCursor && pageOf(visit, ['failed'], { cursor: nextCursor }),
        )}</section>`,
      };
    },
  );
}

function listOf(visit: Visit, rows: readonly FusionView[]): Html {
  return tableOf(
    { caption: 'Failed fusions with their reasons', hideCaption: true },
    [
      {
        title: 'Fusion',
        cell: ({ key, user }: FusionView) =>
          html`<a href="${fusionPage(visit, user, key)}">${shortId(key)}</a>`,
      },
      { title: 'User', cell: ({ user }) => html`<a href="${userPage(visit, user)}"><bdi>${user}</bdi></a>` },
      { title: 'Tier', cell: ({ tier }) => tier },
      {
        title: 'Why',
        kind: 'block',
        cell: ({ errorCode }) => html`${failureText(errorCode)} <code>${errorCode ?? ''}</code>`,
      },
      { title: 'Sources', kind: 'number', cell: ({ sources }) => sources.length },
      { title: 'When', cell: ({ updatedAt }) => ago(visit, updatedAt) },
      { title: 'Do', kind: 'block', cell: (row) => buttonsOf(visit, row) },
    ],
    rows,
  );
}

function buttonsOf(visit: Visit, { key, user }: FusionView): Html {
  const retry = actionOf(['users', user, 'fusions', key, 'retry']);
  return html`<div class="actions">${visit.mayWrite && buttonForm(visit, { action: retry, label: 'Try again' })}${
    visit.mayOpenBoard &&
    html`<a href="/board/queue/fusions/${fusionJobId(key)}?status=failed">job<span class="hidden-visually"> of fusion ${shortId(key)} in the queue</span></a>`
  }</div>`;
}
