import { pageReviews, type ReviewView } from '@slowwave/db';
import { z } from 'zod';
import { atomLegend, wordsWithAtoms } from '../atoms.ts';
import type { Desk } from '../desk.ts';
import { counted, shortId } from '../format.ts';
import { type Html, html } from '../html.ts';
import { ago, buttonForm, emptyState, nextPage } from '../parts.ts';
import { actionOf, fusionPage, pageOf, userPage, type Visit } from '../visit.ts';
import { toned } from '../words.ts';

const PER_PAGE = 20;
const querySchema = z.object({ user: z.string().max(400).optional(), cursor: z.string().optional() });

/** What waits for a person's yes or no, newest first. */
export function registerReviewsPage(desk: Desk): void {
  desk.page(
    '/dashboard/reviews',
    { place: 'reviews', query: querySchema },
    async ({ visit, fields, database }) => {
      const { tenant } = visit;
      const user = fields.user || undefined;
      const { rows, nextCursor } = await database.withTenant(tenant, (tx) =>
        pageReviews(tx, { tenant, user, limit: PER_PAGE, cursor: fields.cursor }),
      );
      const none = emptyState(
        'Nothing waits for review',
        html`Fusions wait here for users whose mode is <strong>review</strong>; set it on a user's page.`,
      );
      return {
        title: 'Reviews',
        lead: user ? html`Of <bdi>${user}</bdi>` : html`Of everybody in tenant ${tenant}`,
        main: html`${rows.length === 0 ? none : html`${atomLegend()}<div class="stack listed">${rows.map((review) => reviewCard(visit, review))}</div>`}${nextPage(
          nextCursor && pageOf(visit, ['reviews'], { user, cursor: nextCursor }),
        )}`,
      };
    },
  );
}

const FATES = {
  superseded: () => toned('warn', '→', 'would be superseded'),
  confirmed: () => toned('info', '↑', 'would be confirmed'),
  kept: () => toned('plain', '=', 'stays'),
} as const;

function reviewCard(visit: Visit, review: ReviewView): Html {
  const { key, user, kind, tier, sources, derived, proposedAt, expiresAt } = review;
  const changed = sources.some((source) => source.changed);
  const action = (name: string) => actionOf(['users', user, 'fusions', key, name]);
  return html`<article class="card stack" aria-labelledby="r-${shortId(key)}" data-row="">
<div class="card-head"><h2 id="r-${shortId(key)}"><a href="${fusionPage(visit, user, key)}">${kind === 'merge' ? 'Merge' : 'Fusion'} ${shortId(key)}</a></h2>
<span class="small quiet"><a href="${userPage(visit, user)}"><bdi>${user}</bdi></a> · ${tier} tier · proposed ${ago(visit, proposedAt)} · taken back ${ago(visit, expiresAt)}</span></div>
<div class="sides"><div class="stack"><h3>${counted(sources.length, 'source')}</h3>${sources.map(
    (source) =>
      html`<blockquote>${wordsWithAtoms(source.content)}<div class="about">${FATES[source.fate]()}${source.changed && toned('warn', '!', 'changed since')}<span>${source.category}</span></div></blockquote>`,
  )}</div>
<div class="stack"><h3>${derived ? 'Proposed text' : 'The first one stays for both'}</h3>${
    derived &&
    html`<blockquote class="derived">${wordsWithAtoms(derived.content)}<div class="about"><span>${derived.category}</span><span>importance ${derived.importance}</span></div></blockquote>`
  }${changed && html`<p class="small">A source has changed since: approving finds the proposal stale, and a later run proposes it anew.</p>`}${
    visit.mayWrite &&
    html`<div class="actions">${buttonForm(visit, { action: action('approve'), label: 'Approve', kind: 'main' }, { back: 'reviews' })}${buttonForm(
      visit,
      {
        action: action('reject'),
        label: 'Reject',
        kind: 'danger',
        confirm: 'A rejected set of sources is never proposed again, until one of them changes.',
      },
      { back: 'reviews' },
    )}</div>`
  }</div></div></article>`;
}
