import {
  editMemory,
  explainMemory,
  getMemory,
  type Lineage,
  lineageOf,
  listChangeSets,
  type MemoryDetail,
  type MemoryExplanation,
} from '@slowwave/db';
import { CATEGORIES } from '@slowwave/fusion';
import { z } from 'zod';
import type { AppOptions } from '../../http/options.ts';
import { Problem } from '../../http/problem.ts';
import { changeMemory } from '../../memory-change.ts';
import { wordsWithAtoms } from '../atoms.ts';
import type { Desk } from '../desk.ts';
import { lineageView } from '../drawings/lineage.ts';
import { prominencePlot } from '../drawings/prominence-plot.ts';
import { counted, instantText, numberText, shareText, shortId } from '../format.ts';
import { type Html, html, type Value } from '../html.ts';
import { buttonForm, card, copyButton, emptyState, factsOf, formOf, tableOf, when } from '../parts.ts';
import { actionOf, fusionPage, memoryPage, pageOf, runPage, userPage, type Visit } from '../visit.ts';
import { codeText, stateMark, toned } from '../words.ts';
import { explanationOf } from './memory-why.ts';
import { asProblem } from './refused.ts';

const HISTORY_SHOWN = 50;
type ChangeSets = Awaited<ReturnType<typeof listChangeSets>>;

interface Loaded {
  memory: MemoryDetail;
  explained: MemoryExplanation;
  lineage: Lineage | null;
  changeSets: ChangeSets;
}

/** One memory: what it says, how prominent it is and why, where it comes from, what happened to it, and what a person may do about it. */
export function registerMemoryPage(desk: Desk, options: AppOptions): void {
  desk.page('/dashboard/users/:user/memories/:id', { place: null }, async ({ visit, params, database }) => {
    const of = { tenant: visit.tenant, user: params.user!, id: params.id! };
    const loaded = await database.withTenant(visit.tenant, async (tx): Promise<Loaded> => {
      const [memory, explained] = [
        await getMemory(tx, { ...of, at: visit.now }),
        await explainMemory(tx, { ...of, at: visit.now }),
      ];
      if (memory === null || explained === null) {
        throw new Problem(
          404,
          'unknown_memory',
          'this user has no such memory; it may have been forgotten or moved to cold storage',
        );
      }
      const { id } = memory;
      return {
        memory,
        explained,
        lineage: await lineageOf(tx, { ...of, id }),
        changeSets: await listChangeSets(tx, { ...of, memory: id, limit: HISTORY_SHOWN }),
      };
    });
    const { memory } = loaded;
    return {
      title: `Memory ${shortId(memory.id)}`,
      lead: html`${stateMark('band', memory.band)} ${codeText(memory.memoryType)} ${memory.category}, importance ${memory.importance}`,
      crumbs: [
        { text: 'Users', href: pageOf(visit, ['users']) },
        { text: of.user, href: userPage(visit, of.user) },
      ],
      aside: buttonsOf(visit, memory),
      main: mainOf(visit, loaded),
    };
  });
  registerChanges(desk, options);
}

const editSchema = z.object({
  content: z
    .string()
    .min(1, 'a memory cannot be empty')
    .transform((text) => text.replaceAll('\r\n', '\n')),
  category: z.enum(CATEGORIES),
  importance: z.coerce.number().int().min(1).max(10),
});

function registerChanges(desk: Desk, { logger, maxMemoryChars }: AppOptions): void {
  desk.action('/dashboard/users/:user/memories/:id/confirm', {}, async ({ visit, params, database }) => {
    const of = { tenant: visit.tenant, user: params.user!, id: params.id! };
    const changed = await database.withTenant(visit.tenant, (tx) =>
      changeMemory(tx, { ...of, at: visit.now }, { kind: 'confirm' }),
    );
    if (changed === null) throw new Problem(404, 'unknown_memory', 'this user has no such memory');
    logger.info({ action: 'confirm', ...of, by: visit.principal.name }, 'a person changed a memory');
    return { to: memoryPage(visit, of.user, of.id), said: 'confirmed' };
  });

  desk.action(
    '/dashboard/users/:user/memories/:id/edit',
    { form: editSchema },
    async ({ visit, params, fields, database }) => {
      const of = { tenant: visit.tenant, user: params.user!, id: params.id! };
      const edit = {
        ...of,
        ...fields,
        at: visit.now,
        actor: visit.principal.name,
        maxContentChars: maxMemoryChars,
      };
      const result = await database.withTenant(visit.tenant, (tx) => editMemory(tx, edit)).catch(asProblem);
      if (result === null) throw new Problem(404, 'unknown_memory', 'this user has no such memory');
      const { version, undoneFusion, reopened } = result;
      logger.info(
        { ...of, by: visit.principal.name, version, undoneFusion, reopened: reopened.length },
        'a person edited a memory',
      );
      return { to: memoryPage(visit, of.user, of.id), said: 'edited' };
    },
  );
}

function buttonsOf(visit: Visit, { user, id, isLatest }: MemoryDetail): Value {
  if (!visit.mayWrite) return null;
  return [
    isLatest &&
      buttonForm(visit, {
        action: actionOf(['users', user, 'memories', id, 'confirm']),
        label: 'Confirm',
        kind: 'main',
      }),
    html`<a class="button danger" href="${pageOf(visit, ['users', user, 'forget'], { memory: id })}">Forget…</a>`,
  ];
}

function mainOf(visit: Visit, { memory, explained, lineage, changeSets }: Loaded): Html {
  const { user, supersededBy, archivedAt } = memory;
  const stands =
    supersededBy !== null
      ? html`<div class="notice"><p>Another memory stands for it: <a href="${memoryPage(visit, user, supersededBy)}">memory ${shortId(supersededBy)}</a>.</p></div>`
      : archivedAt !== null &&
        html`<div class="notice"><p>It was archived ${when(visit, archivedAt)}.</p></div>`;
  return html`${stands}<div class="grid">
<section class="card w7 stack" aria-labelledby="words"><h2 id="words">What it says</h2><blockquote>${wordsWithAtoms(memory.content)}</blockquote>${editForm(visit, memory)}</section>
${card({ id: 'record', title: 'Record', class: 'w5' }, recordOf(visit, memory))}
${card({ id: 'prominence', title: 'Prominence over time', class: 'w7', aside: `${shareText(explained.prominence)} now` }, prominencePlot(explained))}
${card({ id: 'why', title: 'How it comes about', class: 'w5' }, explanationOf(explained))}
${lineage && card({ id: 'lineage', title: 'Lineage' }, lineageView(visit, user, lineage))}
${card({ id: 'history', title: 'What happened to it' }, historyOf(visit, user, changeSets))}
</div>`;
}

function editForm(visit: Visit, { user, id, content, category, importance }: MemoryDetail): Html | null {
  if (!visit.mayWrite) return null;
  const options = CATEGORIES.map(
    (each) => html`<option value="${each}" ${each === category && html`selected`}>${each}</option>`,
  );
  const form = formOf(
    visit,
    { action: actionOf(['users', user, 'memories', id, 'edit']) },
    html`<div class="field"><label for="content">Words</label><textarea id="content" name="content" required dir="auto">${`\n${content}`}</textarea></div>
<div class="filters"><div class="field"><label for="category">Category</label><select id="category" name="category">${options}</select></div>
<div class="field"><label for="importance">Importance <span class="hint">(1 to 10)</span></label><input id="importance" name="importance" type="number" min="1" max="10" value="${importance}" required></div>
<button type="submit" class="main">Save</button></div>
<p class="hint">What superseded it, or what it stands for, is taken back with the edit. It can be undone.</p>`,
  );
  return html`<details><summary>Edit it</summary>${form}</details>`;
}

function recordOf(visit: Visit, memory: MemoryDetail): Html {
  const { id, externalId, origin, learnedFrom, trust, confidence, relations, supersedes, recalls, said } =
    memory;
  const links = Object.entries(relations.outgoing).reduce((sum, [, count]) => sum + count, 0);
  const back = Object.entries(relations.incoming).reduce((sum, [, count]) => sum + count, 0);
  const facts: [string, Value][] = [
    ['Id', html`<code>${id}</code> ${copyButton(id, 'id')}`],
    [
      'Writer’s own id',
      externalId === null ? html`<span class="quiet">none</span>` : html`<bdi>${externalId}</bdi>`,
    ],
    [
      'Said',
      html`${said.from !== said.to && html`from ${when(visit, said.from)} to `}${when(visit, said.to)} by ${origin}`,
    ],
    ['Learned from', codeText(learnedFrom)],
    ['Trust', `${numberText(trust)}, confidence ${numberText(confidence)}`],
    ['Version', `${memory.version}${memory.isLatest ? ', the latest' : ''}`],
    ['Relations', `${counted(links, 'from it', 'from it')}, ${counted(back, 'to it', 'to it')}`],
    ['Stands for', supersedes === 0 ? 'itself only' : counted(supersedes, 'other memory', 'other memories')],
    [
      'Recalled',
      recalls.count === 0
        ? 'never'
        : html`${counted(recalls.count, 'time')}, last ${when(visit, recalls.lastAt)}`,
    ],
  ];
  if (memory.eventDate !== null) facts.push(['Happens', instantText(memory.eventDate)]);
  if (memory.validFrom !== null) facts.push(['True from', instantText(memory.validFrom)]);
  if (memory.validTo !== null) facts.push(['True until', instantText(memory.validTo)]);
  if (memory.expiresAt !== null) facts.push(['Expires', when(visit, memory.expiresAt)]);
  return factsOf(facts);
}

function historyOf(visit: Visit, user: string, changeSets: ChangeSets): Html {
  if (changeSets.length === 0) {
    return emptyState('Nothing so far', 'Changes stand here with who made them, and can be taken back.');
  }
  return tableOf(
    { caption: 'Changes of this memory, newest first', hideCaption: true },
    [
      { title: 'Change', cell: ({ kind }: ChangeSets[number]) => codeText(kind) },
      { title: 'When', cell: ({ createdAt }) => when(visit, createdAt) },
      { title: 'By', cell: ({ actor }) => (actor === null ? 'a tier' : html`<bdi>${actor}</bdi>`) },
      { title: 'Part of', cell: ({ fusionKey, runId }) => partOf(visit, user, fusionKey, runId) },
      {
        title: 'State',
        cell: ({ undoneBy, imagesDroppedAt, id }) =>
          undoneBy !== null
            ? toned('plain', '↶', 'undone')
            : imagesDroppedAt !== null
              ? toned('plain', '–', 'can no longer be undone')
              : visit.mayWrite &&
                html`<a href="${pageOf(visit, ['users', user, 'take-back'], { set: id, direction: 'undo' })}">undo…</a>`,
      },
    ],
    changeSets,
  );
}

function partOf(visit: Visit, user: string, fusionKey: string | null, runId: string | null): Value {
  if (fusionKey !== null)
    return html`<a href="${fusionPage(visit, user, fusionKey)}">fusion ${shortId(fusionKey)}</a>`;
  if (runId !== null) return html`<a href="${runPage(visit, user, runId)}">run ${shortId(runId)}</a>`;
  return html`<span class="quiet">nothing else</span>`;
}
