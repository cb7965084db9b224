import { type Dependent, redo, UndoRefused, type UndoResult, type UndoTarget, undo } from '@slowwave/db';
import { z } from 'zod';
import type { AppOptions } from '../../http/options.ts';
import { Problem } from '../../http/problem.ts';
import type { Desk } from '../desk.ts';
import { counted, shortId } from '../format.ts';
import { type Html, html, type Value } from '../html.ts';
import { buttonForm, card, factsOf, idOf, when } from '../parts.ts';
import { actionOf, fusionPage, memoryPage, pageOf, runPage, userPage, type Visit } from '../visit.ts';
import { sentence } from './problem.ts';
import { asProblem } from './refused.ts';

const fields = {
  fusion: z.string().max(200).optional(),
  run: z.string().max(200).optional(),
  set: z.string().max(200).optional(),
  direction: z.enum(['undo', 'redo']),
};
const askSchema = z.object(fields);
type Asked = z.infer<typeof askSchema>;
const SHOWN = 20;

/** Taking back a fusion, a run or one change set, or making it good again: what would happen is shown first. */
export function registerTakeBackPage(desk: Desk, { logger }: AppOptions): void {
  desk.page(
    '/dashboard/users/:user/take-back',
    { place: null, query: askSchema, role: 'write' },
    async ({ visit, params, fields: asked, database }) => {
      const user = params.user!;
      const input = inputOf(visit, user, asked);
      const act = asked.direction === 'undo' ? undo : redo;
      const result = await act(database, { ...input, checkOnly: true }).catch((error: unknown) => {
        if (error instanceof UndoRefused && error.code !== 'unknown') return error;
        return asProblem(error);
      });
      return {
        title: asked.direction === 'undo' ? 'Undo' : 'Redo',
        lead: html`${whatOf(visit, user, asked)}: nothing has been changed yet`,
        crumbs: [
          { text: 'Users', href: pageOf(visit, ['users']) },
          { text: user, href: userPage(visit, user) },
        ],
        main:
          result instanceof UndoRefused ? refusal(visit, user, result) : proposal(visit, user, asked, result),
      };
    },
  );

  desk.action(
    '/dashboard/users/:user/take-back',
    { form: askSchema },
    async ({ visit, params, fields: asked, database }) => {
      const user = params.user!;
      const act = asked.direction === 'undo' ? undo : redo;
      const result = await act(database, inputOf(visit, user, asked)).catch(asProblem);
      const { status, changeSetIds, restored, removed } = result;
      logger.info(
        {
          action: asked.direction,
          tenant: visit.tenant,
          user,
          by: visit.principal.name,
          status,
          changeSetIds,
          restored: restored.length,
          removed: removed.length,
        },
        'a person took changes back',
      );
      return { to: placeOf(visit, user, asked), said: asked.direction === 'undo' ? 'undone' : 'redone' };
    },
  );
}

function targetOf({ fusion, run, set }: Asked): UndoTarget {
  if (fusion !== undefined) return { fusion };
  if (run !== undefined) return { run };
  if (set !== undefined) return { changeSet: set };
  throw new Problem(400, 'invalid_request', 'nothing is named that could be taken back');
}

function inputOf(visit: Visit, user: string, asked: Asked) {
  return { tenant: visit.tenant, user, target: targetOf(asked), at: visit.now, actor: visit.principal.name };
}

function placeOf(visit: Visit, user: string, { fusion, run }: Asked): string {
  if (fusion !== undefined) return fusionPage(visit, user, fusion);
  return run === undefined ? userPage(visit, user) : runPage(visit, user, run);
}

function whatOf(visit: Visit, user: string, asked: Asked): Html {
  const { fusion, run, set } = asked;
  const text = fusion
    ? `Fusion ${shortId(fusion)}`
    : run
      ? `Run ${shortId(run)}`
      : `Change set ${shortId(set ?? '')}`;
  return html`<a href="${placeOf(visit, user, asked)}">${text}</a>`;
}

function proposal(visit: Visit, user: string, asked: Asked, result: UndoResult): Html {
  const { changeSets, restored, removed, relations, conflicts } = result;
  const hidden = Object.fromEntries(
    Object.entries(asked).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
  const label = asked.direction === 'undo' ? 'Undo it' : 'Redo it';
  return html`${card(
    { id: 'would', title: 'What would happen' },
    factsOf([
      ['Change sets', counted(changeSets.length, 'change set')],
      ['Come back or get earlier values', memoriesOf(visit, user, restored)],
      ['Go away', memoriesOf(visit, user, removed)],
      ['Relations', counted(relations, 'relation')],
      ['Conflicts', counted(conflicts, 'conflict')],
    ]),
  )}<div class="card actions">${
    visit.mayWrite &&
    buttonForm(visit, { action: actionOf(['users', user, 'take-back']), label, kind: 'main' }, hidden)
  }<a class="button" href="${placeOf(visit, user, asked)}">Leave it</a></div>`;
}

function memoriesOf(visit: Visit, user: string, ids: readonly string[]): Value {
  if (ids.length === 0) return html`<span class="quiet">none</span>`;
  const links = ids
    .slice(0, SHOWN)
    .map((id) => html` <a class="mono" href="${memoryPage(visit, user, id)}">${shortId(id)}</a>`);
  const more = ids.length > SHOWN && ` and ${ids.length - SHOWN} more`;
  return html`${counted(ids.length, 'memory', 'memories')}:${links}${more}`;
}

function refusal(visit: Visit, user: string, { message, dependents, memoryIds }: UndoRefused): Html {
  const inTheWay = dependents.map((dependent) => html`<li>${dependentOf(visit, user, dependent)}</li>`);
  return html`<div class="notice warn" role="alert"><p><strong>Not possible now.</strong> ${sentence(message)}</p></div>${
    inTheWay.length > 0 &&
    card({ id: 'way', title: 'What stands on it, newest first' }, html`<ul>${inTheWay}</ul>`)
  }${
    memoryIds.length > 0 &&
    card(
      { id: 'memories', title: 'Memories that are no longer as they were left' },
      html`<p>${memoriesOf(visit, user, memoryIds)}</p>`,
    )
  }`;
}

function dependentOf(
  visit: Visit,
  user: string,
  { kind, fusionKey, runId, changeSetId, createdAt }: Dependent,
): Html {
  const link = fusionKey
    ? html`<a href="${fusionPage(visit, user, fusionKey)}">${kind} ${shortId(fusionKey)}</a>`
    : runId
      ? html`<a href="${runPage(visit, user, runId)}">${kind} in run ${shortId(runId)}</a>`
      : html`${kind} ${idOf(changeSetId)}`;
  return html`${link}, ${when(visit, createdAt)}`;
}
