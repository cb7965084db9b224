import { type ForgetResult, type ForgetTarget, forget } from '@slowwave/db';
import { z } from 'zod';
import type { AppOptions } from '../../http/options.ts';
import { Problem } from '../../http/problem.ts';
import type { Desk } from '../desk.ts';
import { counted, shortId } from '../format.ts';
import { type Html, html, type Value } from '../html.ts';
import { card, factsOf, formOf } from '../parts.ts';
import { actionOf, memoryPage, pageOf, userPage, type Visit } from '../visit.ts';

const askSchema = z.object({ memory: z.string().min(1).max(400).optional() });
const doSchema = z.object({
  memory: z.string().max(400).default(''),
  confirm: z.string().max(400).default(''),
});
const SHOWN = 20;

/** Forgetting for good: what would go is shown first, and for a whole user the name has to be repeated. */
export function registerForgetPage(desk: Desk, { logger }: AppOptions): void {
  desk.page(
    '/dashboard/users/:user/forget',
    { place: null, query: askSchema, role: 'write' },
    async ({ visit, params, fields, database }) => {
      const user = params.user!;
      const target = targetOf(fields.memory);
      const input = { tenant: visit.tenant, user, target, at: visit.now, actor: visit.principal.name };
      const result = await forget(database, { ...input, checkOnly: true });
      return {
        title: fields.memory ? 'Forget a memory' : 'Forget this user',
        lead: 'Nothing has been changed yet. Forgetting cannot be undone.',
        crumbs: [
          { text: 'Users', href: pageOf(visit, ['users']) },
          { text: user, href: userPage(visit, user) },
        ],
        main: html`${whatGoes(visit, user, result)}${confirmation(visit, user, fields.memory)}`,
      };
    },
  );

  desk.action(
    '/dashboard/users/:user/forget',
    { form: doSchema },
    async ({ visit, params, fields, database }) => {
      const user = params.user!;
      const target = targetOf(fields.memory || undefined);
      if ('user' in target && fields.confirm !== user) {
        throw new Problem(
          409,
          'not_confirmed',
          'the name of the user was not repeated as it stands; nothing was forgotten',
        );
      }
      const result = await forget(database, {
        tenant: visit.tenant,
        user,
        target,
        at: visit.now,
        actor: visit.principal.name,
      });
      // Not which one: its id stands in one place only from now on.
      const facts = { what: Object.keys(target)[0], memories: result.removed.memories.length };
      logger.info(
        { tenant: visit.tenant, ...facts, changeSetId: result.changeSetId },
        'a person had something forgotten',
      );
      return { to: 'user' in target ? pageOf(visit, ['users']) : userPage(visit, user), said: 'forgotten' };
    },
  );
}

const targetOf = (memory: string | undefined): ForgetTarget =>
  memory === undefined ? { user: true } : { memory };

function whatGoes(visit: Visit, user: string, { removed, reopened, mentions }: ForgetResult): Html {
  const { memories, relations, conflicts, fusions, answers, images, summaries, messages, sessions } = removed;
  const goes: [string, Value][] = [
    [
      'Memories',
      memoryList(
        visit,
        user,
        memories.map(({ id }) => id),
      ),
    ],
    ['Relations', counted(relations, 'relation')],
    ['Conflicts', counted(conflicts, 'conflict')],
    ['Fusions', `${counted(fusions, 'fusion')}, ${counted(answers, 'answer')} of models`],
    [
      'Conversations',
      `${counted(sessions, 'session')}, ${counted(messages, 'message')}, ${counted(summaries, 'summary', 'summaries')}`,
    ],
    ['Journal', `${counted(images, 'image')}: those changes can no longer be taken back`],
  ];
  const still = mentions.memories.length + (mentions.documents?.length ?? 0);
  return html`<div class="grid">${card({ id: 'goes', title: 'What goes', class: 'w7' }, factsOf(goes))}${card(
    { id: 'stays', title: 'What stands again', class: 'w5' },
    html`<p>${memoryList(visit, user, reopened)}</p>${
      still > 0 &&
      html`<p>Somebody’s own words that stay say it as well: ${memoryList(visit, user, mentions.memories)}. Look at them.</p>`
    }`,
  )}</div>`;
}

function memoryList(visit: Visit, user: string, ids: readonly string[]): Value {
  if (ids.length === 0) return html`<span class="quiet">none</span>`;
  const links = ids
    .slice(0, SHOWN)
    .map((id) => html` <a class="mono" href="${memoryPage(visit, user, id)}">${shortId(id)}</a>`);
  return html`${counted(ids.length, 'memory', 'memories')}:${links}${ids.length > SHOWN && ` and ${ids.length - SHOWN} more`}`;
}

function confirmation(visit: Visit, user: string, memory: string | undefined): Html | null {
  if (!visit.mayWrite) return null;
  const back = memory === undefined ? userPage(visit, user) : memoryPage(visit, user, memory);
  const repeat = html`<div class="field"><label for="confirm">Repeat the name of the user: <bdi>${user}</bdi></label><input id="confirm" name="confirm" required autocomplete="off" spellcheck="false"></div>`;
  return html`<section class="card" aria-label="Forget">${formOf(
    visit,
    {
      action: actionOf(['users', user, 'forget']),
      ...(memory === undefined ? {} : { confirm: 'It goes for good, with everything that was made of it.' }),
    },
    html`${memory !== undefined && html`<input type="hidden" name="memory" value="${memory}">`}${memory === undefined && repeat}<div class="actions"><button type="submit" class="danger">Forget for good</button><a class="button" href="${back}">Leave it</a></div>`,
  )}</section>`;
}
