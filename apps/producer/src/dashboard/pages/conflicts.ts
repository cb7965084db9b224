import {
  CONFLICT_CHOICES,
  CONFLICT_STATUSES,
  type ConflictSideView,
  type ConflictView,
  getConflict,
  pageConflicts,
  RESOLUTION_CHARS_MAX,
  resolveConflict,
} from '@slowwave/db';
import { z } from 'zod';
import type { AppOptions } from '../../http/options.ts';
import { Problem } from '../../http/problem.ts';
import { atomLegend, wordsWithAtoms } from '../atoms.ts';
import type { Desk } from '../desk.ts';
import { instantText, numberText, shortId } from '../format.ts';
import { type Html, html, type Value } from '../html.ts';
import { ago, emptyState, formOf, nextPage, wordsOf } from '../parts.ts';
import {
  actionOf,
  conflictPage,
  DEFAULT_TENANT,
  memoryPage,
  pageOf,
  userPage,
  type Visit,
} from '../visit.ts';
import { codeText, stateMark, toned } from '../words.ts';

const PER_PAGE = 20;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const querySchema = z.object({
  user: z.string().max(400).optional(),
  status: z.enum([...CONFLICT_STATUSES, 'all']).catch('open'),
  cursor: z.string().optional(),
});
const CHOICE = 'choose which of the two holds, or both';
const resolveSchema = z.object({
  keep: z.enum(CONFLICT_CHOICES, { error: CHOICE }),
  note: z
    .string()
    .max(RESOLUTION_CHARS_MAX, `expected at most ${RESOLUTION_CHARS_MAX} characters`)
    .default(''),
});

/** Memories that disagree: both texts side by side, and a person's word. */
export function registerConflictPages(desk: Desk, { logger }: AppOptions): void {
  desk.page(
    '/dashboard/conflicts',
    { place: 'conflicts', query: querySchema },
    async ({ visit, fields, database }) => {
      const { tenant } = visit;
      const { status, cursor } = fields;
      const user = fields.user || undefined;
      const wanted = status === 'all' ? undefined : status;
      const { rows, nextCursor } = await database.withTenant(tenant, (tx) =>
        pageConflicts(tx, { tenant, user, status: wanted, limit: PER_PAGE, cursor }),
      );
      const none = emptyState(
        status === 'open' ? 'No conflict waits' : 'No such conflict',
        'Memories that contradict each other are found by the nightly steps; those that code cannot settle wait here for a person.',
      );
      return {
        title: 'Conflicts',
        lead: user ? html`Of <bdi>${user}</bdi>` : html`Of everybody in tenant ${tenant}`,
        main: html`${filters(visit, fields)}${rows.length === 0 ? none : html`${atomLegend()}<div class="stack listed">${rows.map((conflict) => conflictCard(visit, conflict))}</div>`}${nextPage(
          nextCursor && pageOf(visit, ['conflicts'], { user, status, cursor: nextCursor }),
        )}`,
      };
    },
  );

  desk.page(
    '/dashboard/users/:user/conflicts/:id',
    { place: 'conflicts' },
    async ({ visit, params, database }) => {
      const of = { tenant: visit.tenant, user: params.user!, id: requireConflict(params.id!) };
      const conflict = await database.withTenant(visit.tenant, (tx) => getConflict(tx, of));
      if (conflict === null) throw new Problem(404, 'unknown_conflict', 'this user has no such conflict');
      return {
        title: `Conflict ${shortId(conflict.id)}`,
        lead: html`${stateMark('conflict', conflict.status)} found ${ago(visit, conflict.detectedAt)}`,
        crumbs: [
          { text: 'Conflicts', href: pageOf(visit, ['conflicts']) },
          { text: of.user, href: userPage(visit, of.user) },
        ],
        main: html`${conflictCard(visit, conflict)}${atomLegend()}`,
      };
    },
  );

  desk.action(
    '/dashboard/users/:user/conflicts/:id',
    { form: resolveSchema },
    async ({ visit, params, fields, database }) => {
      const of = { tenant: visit.tenant, user: params.user!, id: requireConflict(params.id!) };
      const { keep } = fields;
      const note = fields.note.trim() || undefined;
      const settled = await resolveConflict(database, {
        ...of,
        resolution: { keep, note },
        by: visit.principal.name,
        at: visit.now,
      });
      const { winner, loser } = settled;
      logger.info(
        { tenant: of.tenant, user: of.user, conflict: of.id, by: visit.principal.name, keep, winner, loser },
        'a person settled a conflict',
      );
      return { to: conflictPage(visit, of.user, of.id), said: 'settled' };
    },
  );
}

function requireConflict(id: string): string {
  if (UUID.test(id)) return id;
  throw new Problem(404, 'unknown_conflict', 'that is no id of a conflict');
}

const STATUS_WORDS = {
  open: 'open',
  reported: 'not labelled yet',
  resolved: 'settled',
  all: 'all',
} as const;

function filters({ tenant, allTenants }: Visit, { user, status }: z.infer<typeof querySchema>): Html {
  const options = (['open', 'reported', 'resolved', 'all'] as const).map(
    (each) =>
      html`<option value="${each}" ${each === status && html`selected`}>${STATUS_WORDS[each]}</option>`,
  );
  return html`<form class="filters" method="get" action="/dashboard/conflicts">${
    allTenants && tenant !== DEFAULT_TENANT && html`<input type="hidden" name="tenant" value="${tenant}">`
  }<div class="field"><label for="user">User</label><input id="user" type="search" name="user" value="${user ?? ''}" spellcheck="false" autocomplete="off"></div>
<div class="field"><label for="status">State</label><select id="status" name="status">${options}</select></div>
<button type="submit">Show</button></form>`;
}

function conflictCard(visit: Visit, conflict: ConflictView): Html {
  const { id, user, slot, type, description, source, detectedAt, confidence, stale } = conflict;
  const name = `c-${shortId(id)}`;
  return html`<article class="card stack" aria-labelledby="${name}" data-row="">
<div class="card-head"><h2 id="${name}"><a href="${conflictPage(visit, user, id)}">${slot ? html`<bdi>${slot}</bdi>` : `Conflict ${shortId(id)}`}</a></h2>
<span class="small quiet"><a href="${userPage(visit, user)}"><bdi>${user}</bdi></a> · ${type === null ? 'not labelled yet' : codeText(type)}${
    confidence !== null && ` (${numberText(Math.round(confidence * 100))} % sure)`
  } · found by ${source} ${ago(visit, detectedAt)}</span></div>
${description && html`<p class="quiet">${wordsOf(description)}</p>`}
<div class="sides">${(['a', 'b'] as const).map((side) => sideOf(visit, conflict, side))}</div>
${outcomeOf(visit, conflict)}${stale && conflict.status !== 'resolved' && html`<p class="notice warn">One of the two was superseded or says something else by now: it is no conflict any more, and the next night takes it off the list.</p>`}
</article>`;
}

function sideOf(visit: Visit, conflict: ConflictView, name: 'a' | 'b'): Html {
  const side: ConflictSideView = conflict[name];
  const { user, winner, status } = conflict;
  const mark =
    status !== 'resolved' || winner === null
      ? null
      : winner === side.id
        ? toned('good', '✓', 'holds')
        : toned('plain', '–', 'superseded');
  return html`<blockquote><p class="small"><strong>${name.toUpperCase()}</strong> ${mark}</p>${wordsWithAtoms(side.content)}<div class="about"><a href="${memoryPage(visit, user, side.id)}">memory ${shortId(side.id)}</a><span>said ${instantText(side.documentDate, 'UTC', 'day')}</span><span>by ${side.origin}</span><span>trust ${numberText(side.trust)}</span><span>confirmed ${numberText(side.confirmations)} ×</span></div></blockquote>`;
}

function outcomeOf(visit: Visit, conflict: ConflictView): Value {
  const { id, user, status, stale, resolvedBy, actor, resolution, resolvedAt } = conflict;
  if (status === 'resolved') {
    return html`<p>Settled by ${resolvedBy ?? 'nobody'}${actor !== null && html` (<bdi>${actor}</bdi>)`} ${ago(visit, resolvedAt)}${
      resolution && html`: <bdi>${resolution}</bdi>`
    }</p>`;
  }
  if (!visit.mayWrite || stale) return null;
  const name = `keep-${shortId(id)}`;
  const choices = [
    ['a', 'A holds; B is superseded by it'],
    ['b', 'B holds; A is superseded by it'],
    ['both', 'Both hold, or neither can be preferred: both stay'],
  ] as const;
  return formOf(
    visit,
    { action: actionOf(['users', user, 'conflicts', id]) },
    html`<fieldset><legend>Which one holds?</legend>${choices.map(
      ([value, text]) =>
        html`<label class="choice"><input type="radio" name="keep" value="${value}" required> ${text}</label>`,
    )}</fieldset>
<div class="field"><label for="${name}">Note <span class="hint">(optional; it stands in the record)</span></label><input id="${name}" name="note" maxlength="${RESOLUTION_CHARS_MAX}" autocomplete="off"></div>
<div class="actions"><button type="submit" class="main">Settle</button></div>`,
  );
}
