import {
  approveFusion,
  type FusionDetail,
  type Lineage,
  lineageOf,
  listReviews,
  readFusion,
  rejectFusion,
} from '@slowwave/db';
import { differenceWords } from '@slowwave/fusion';
import { fusionJobId } from '@slowwave/queue';
import { z } from 'zod';
import type { AppOptions } from '../../http/options.ts';
import { Problem } from '../../http/problem.ts';
import { atomLegend, atomTable } from '../atoms.ts';
import type { Desk } from '../desk.ts';
import { lineageView } from '../drawings/lineage.ts';
import { counted, instantText, numberText, shortId } from '../format.ts';
import { type Html, html, type Value } from '../html.ts';
import { buttonForm, card, copyButton, emptyState, factsOf, idOf, when } from '../parts.ts';
import { actionOf, fusionPage, pageOf, runPage, userPage, type Visit } from '../visit.ts';
import { failureText, laneText, stateMark } from '../words.ts';
import { derivedOf, derivedTitle, type Fate, judgementOf, proposalsOf, sourceOf } from './fusion-texts.ts';
import { asProblem } from './refused.ts';
import { retryFusion } from './retry.ts';

const KEY = /^[0-9a-f]{64}$/;
const KIND_TITLES = { fusion: 'Fusion', merge: 'Merge', restatement: 'Restatement' } as const;
const PROPOSED_TITLES = {
  fusion: 'What the model proposed',
  merge: 'What was compared',
  restatement: 'Statements, each with a note that may say it again',
} as const;

/** One fusion: its sources beside what was made of them, the verdicts of the gate, its lineage, and what can be done about it. */
export function registerFusionPage(desk: Desk, options: AppOptions): void {
  desk.page('/dashboard/users/:user/fusions/:key', { place: null }, async ({ visit, params, database }) => {
    const { tenant, now } = visit;
    const of = { tenant, user: params.user!, key: requireKey(params.key!) };
    const { fusion, lineage, fates } = await database.withTenant(tenant, async (tx) => {
      const found = await readFusion(tx, { ...of, at: now });
      if (found === null) throw new Problem(404, 'unknown_fusion', 'this user has no such fusion');
      const made = found.derived?.state === 'stored' && found.derived.id !== null ? found.derived.id : null;
      const waiting = found.status === 'review' ? await listReviews(tx, { ...of, limit: 200 }) : [];
      return {
        fusion: found,
        lineage: made === null ? null : await lineageOf(tx, { ...of, id: made }),
        fates: new Map(waiting.find(({ key }) => key === of.key)?.sources.map(({ id, fate }) => [id, fate])),
      };
    });
    return {
      title: `${KIND_TITLES[fusion.kind]} ${shortId(fusion.key)}`,
      lead: html`${stateMark('fusion', fusion.status)} in the ${fusion.tier} tier, ${counted(fusion.sources.length, 'source')}`,
      crumbs: [
        { text: 'Users', href: pageOf(visit, ['users']) },
        { text: of.user, href: userPage(visit, of.user) },
      ],
      aside: buttonsOf(visit, of.user, fusion),
      main: mainOf(visit, of.user, { fusion, lineage, fates }),
    };
  });
  registerDecisions(desk, options);
}

const noFields = z.object({});

function registerDecisions(desk: Desk, options: AppOptions): void {
  const { logger, queues } = options;
  const back = z.object({ back: z.enum(['reviews', 'fusion']).catch('fusion') });
  for (const [action, decide, said] of [
    ['approve', approveFusion, 'approved'],
    ['reject', rejectFusion, 'rejected'],
  ] as const) {
    desk.action(`/dashboard/users/:user/fusions/:key/${action}`, { form: back }, async (ask) => {
      const { visit, params, fields, database } = ask;
      const of = { tenant: visit.tenant, user: params.user!, key: requireKey(params.key!) };
      const decision = { ...of, at: visit.now, by: visit.principal.name };
      const result = await decide(database, decision).catch(asProblem);
      logger.info(
        { action, ...of, by: decision.by, status: result.status },
        'a person decided about a fusion',
      );
      if (result.status === 'stale') {
        throw new Problem(
          409,
          'stale',
          'a source has changed since this was proposed; nothing was written, and a later run proposes it anew',
        );
      }
      return {
        to: fields.back === 'reviews' ? pageOf(visit, ['reviews']) : fusionPage(visit, of.user, of.key),
        said,
      };
    });
  }
  desk.action(
    '/dashboard/users/:user/fusions/:key/retry',
    { form: noFields },
    async ({ visit, params, database }) => {
      const of = { tenant: visit.tenant, user: params.user!, key: requireKey(params.key!) };
      const said = await retryFusion(
        { database, queues, logger },
        { ...of, at: visit.now, by: visit.principal.name },
      );
      return { to: fusionPage(visit, of.user, of.key), said };
    },
  );
}

function requireKey(key: string): string {
  if (KEY.test(key)) return key;
  throw new Problem(404, 'unknown_fusion', 'that is no key of a fusion, which has 64 hexadecimal digits');
}

function buttonsOf(visit: Visit, user: string, fusion: FusionDetail): Value {
  const action = (name: string) => actionOf(['users', user, 'fusions', fusion.key, name]);
  const takeBack = (direction: string) =>
    pageOf(visit, ['users', user, 'take-back'], { fusion: fusion.key, direction });
  const board =
    visit.mayOpenBoard && fusion.status === 'failed'
      ? html`<a class="button" href="/board/queue/fusions/${fusionJobId(fusion.key)}?status=failed">Job in the queue</a>`
      : null;
  if (!visit.mayWrite) return board;
  switch (fusion.status) {
    case 'review':
      return [
        buttonForm(visit, { action: action('approve'), label: 'Approve', kind: 'main' }),
        buttonForm(visit, {
          action: action('reject'),
          label: 'Reject',
          kind: 'danger',
          confirm: 'A rejected set of sources is never proposed again, until one of them changes.',
        }),
      ];
    case 'failed':
      return [buttonForm(visit, { action: action('retry'), label: 'Try again', kind: 'main' }), board];
    case 'applied':
      return fusion.undoable && html`<a class="button danger" href="${takeBack('undo')}">Undo…</a>`;
    case 'closed':
      return (
        fusion.statements.some(({ status }) => status === 'applied') &&
        html`<a class="button danger" href="${takeBack('undo')}">Undo all…</a>`
      );
    case 'undone':
      return fusion.redoable && html`<a class="button" href="${takeBack('redo')}">Redo…</a>`;
    default:
      return null;
  }
}

interface Loaded {
  fusion: FusionDetail;
  lineage: Lineage | null;
  fates: ReadonlyMap<string, Fate>;
}

function mainOf(visit: Visit, user: string, { fusion, lineage, fates }: Loaded): Html {
  const texts = [
    ...fusion.sources.map(({ content }, index) => ({ name: `Source ${index + 1}`, text: content })),
    ...(fusion.derived ? [{ name: 'Derived text', text: fusion.derived.content }] : []),
  ];
  const { derived, request, sources } = fusion;
  const isClosed = fusion.status === 'closed';
  const words =
    request === null || derived === null
      ? null
      : differenceWords(
          sources.map(({ content }) => content),
          derived.content,
        );
  return html`${verdictNotice(fusion)}${statementsOf(visit, user, fusion)}
<div class="card stack"><div class="sides"><section aria-labelledby="sources" class="stack"><h2 id="sources">Sources</h2>${fusion.sources.map(
    (source, index) =>
      sourceOf(visit, user, source, {
        number: index + 1,
        fate: isClosed ? 'offered' : fates.get(source.id),
        words: words?.sources[index],
      }),
  )}${fusion.sources.length === 0 && emptyState('No sources any more', 'They were forgotten or taken away.')}</section>
<section aria-labelledby="derived" class="stack"><h2 id="derived">${isClosed ? PROPOSED_TITLES[fusion.kind] : derivedTitle(fusion)}</h2>${
    isClosed
      ? proposalsOf(fusion)
      : html`${derivedOf(visit, user, fusion, words?.added)}${judgementOf(fusion)}`
  }</section></div>
${atomLegend()}${atomTable(texts)}</div>
${lineage && card({ id: 'lineage', title: 'Lineage', aside: 'what it is made of, and what was made of it' }, lineageView(visit, user, lineage))}
${card({ id: 'facts', title: 'Record' }, recordOf(visit, user, fusion))}`;
}

/** What a fusion that is closed came to. */
function closedNotice({ kind, statements, errorCode }: FusionDetail): Html {
  if (kind === 'restatement') {
    const found =
      statements.length > 0
        ? `${counted(statements.length, 'note')} said a statement again, which stands for the note too; the other notes stay as they are.`
        : `No note says a statement again${errorCode === null ? '' : `, mostly for this reason: ${laneText(errorCode)}`}. All memories stay as they are.`;
    return html`<div class="notice"><p><strong>Closed.</strong> ${found}</p></div>`;
  }
  const text =
    statements.length > 0
      ? `${counted(statements.length, 'statement')} took the place of their sources; the other sources stay as they are.`
      : errorCode === null
        ? 'No sources say the same thing or parts of one: all of them stay as they are.'
        : `No statement was accepted, mostly for this reason: ${laneText(errorCode)}. All sources stay as they are.`;
  return html`<div class="notice"><p><strong>Closed.</strong> ${text}</p></div>`;
}

function statementsOf(visit: Visit, user: string, { kind, statements, request }: FusionDetail): Html | null {
  if (request !== null) {
    const what = kind === 'merge' ? 'Asked about by restatement' : 'One statement of fusion';
    return html`<p>${what} <a href="${fusionPage(visit, user, request)}">${shortId(request)}</a>.</p>`;
  }
  if (statements.length === 0) return null;
  const rows = statements.map(
    ({ key, status, content }) =>
      html`<li>${stateMark('fusion', status)} <a href="${fusionPage(visit, user, key)}">${content ?? `statement ${shortId(key)}`}</a></li>`,
  );
  return card(
    { id: 'statements', title: kind === 'restatement' ? 'Said again' : 'Statements' },
    html`<ol class="stack">${rows}</ol>`,
  );
}

function verdictNotice(fusion: FusionDetail): Html | null {
  const { status, errorCode, kind, reviewExpiresAt } = fusion;
  if (status === 'closed') return closedNotice(fusion);
  if (status === 'failed') {
    return html`<div class="notice bad"><p><strong>Failed.</strong> ${failureText(errorCode)} <code>${errorCode ?? 'no code'}</code></p></div>`;
  }
  if (status === 'review') {
    const until =
      reviewExpiresAt === null
        ? ''
        : ` Decided by nobody until ${instantText(reviewExpiresAt)} UTC, it is taken back.`;
    return html`<div class="notice warn"><p><strong>Waits for a person.</strong> It passed the gate: its hard facts are those of its sources, and it repeats them word for word or a judge found nothing lost or added.${until}</p></div>`;
  }
  if (status === 'applied') {
    const why =
      kind === 'merge'
        ? fusion.request === null
          ? 'The two say the same: one stands for both.'
          : 'The statement says all that the note says: it stands for the note too.'
        : 'Its facts are those of its sources, and it repeats them word for word or a judge found nothing lost or added.';
    return html`<div class="notice good"><p><strong>Applied.</strong> ${why}</p></div>`;
  }
  return null;
}

function recordOf(visit: Visit, user: string, fusion: FusionDetail): Html {
  const { key, model, inputTokens, outputTokens, attempt, runId, decidedBy, decidedAt, changeSetId } = fusion;
  const facts: [string, Value][] = [
    ['Key', html`<code>${key}</code> ${copyButton(key, 'key')}`],
    ['Model', html`<code>${model}</code>, prompt ${fusion.promptVersion}, attempt ${attempt}`],
    ['Tokens', `${numberText(inputTokens)} in, ${numberText(outputTokens)} out`],
    [
      'Run',
      runId === null ? 'none' : html`<a href="${runPage(visit, user, runId)}">run ${shortId(runId)}</a>`,
    ],
    ['Planned', when(visit, fusion.createdAt)],
    ['Last change', when(visit, fusion.updatedAt)],
  ];
  if (decidedBy !== null)
    facts.push(['Decided', html`by <bdi>${decidedBy}</bdi>, ${when(visit, decidedAt)}`]);
  if (changeSetId !== null) facts.push(['Change set', idOf(changeSetId)]);
  return factsOf(facts);
}
