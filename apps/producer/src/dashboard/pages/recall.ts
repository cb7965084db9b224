import { RECALL_CHARS_MAX, RECALL_ITEMS_MAX, RECALL_QUERY_MAX } from '@slowwave/api';
import { getUser } from '@slowwave/db';
import { bandOf, CATEGORIES } from '@slowwave/fusion';
import { z } from 'zod';
import { recallFor } from '../../http/memories-recall.ts';
import type { AppOptions } from '../../http/options.ts';
import { unknownUser } from '../../http/users.ts';
import { degradedText, type RecallAnswer, type RecalledMemory } from '../../memory-recall.ts';
import type { Desk } from '../desk.ts';
import { counted, DAY_MS, instantText, numberText } from '../format.ts';
import { type Html, html } from '../html.ts';
import type { PageContent } from '../layout.ts';
import { card, emptyState, formOf, wordsOf } from '../parts.ts';
import { actionOf, memoryPage, pageOf, userPage, type Visit } from '../visit.ts';
import { stateMark, toned } from '../words.ts';

const LIMIT_SHOWN = 10;
const QUERY = `expected 1 to ${numberText(RECALL_QUERY_MAX)} characters that are not all white space`;
const DAY = 'expected a day as YYYY-MM-DD, or nothing';

const dayField = z
  .string()
  .default('')
  .refine((text) => text === '' || !Number.isNaN(Date.parse(`${text}T00:00:00Z`)), DAY)
  .transform((text) => (text === '' ? undefined : Date.parse(`${text}T00:00:00Z`)));
const wholeField = (most: number) =>
  z
    .string()
    .default('')
    .refine(
      (text) => text === '' || (/^\d{1,9}$/.test(text) && Number(text) >= 1 && Number(text) <= most),
      `expected a whole number from 1 to ${numberText(most)}, or nothing`,
    )
    .transform((text) => (text === '' ? undefined : Number(text)));

const formSchema = z.object({
  query: z
    .string()
    .max(2 * RECALL_QUERY_MAX, QUERY)
    .refine((text) => text.trim() !== '' && [...text.trim()].length <= RECALL_QUERY_MAX, QUERY),
  limit: wholeField(RECALL_ITEMS_MAX),
  maxChars: wholeField(RECALL_CHARS_MAX),
  category: z.enum(['all', ...CATEGORIES]).default('all'),
  from: dayField,
  until: dayField,
  superseded: z.literal('yes').optional(),
});
type Fields = z.infer<typeof formSchema>;

/** Asks a user's memories as an agent would, and shows why each answer stands where it stands. */
export function registerRecallPage(desk: Desk, options: AppOptions): void {
  const path = '/dashboard/users/:user/recall';
  desk.page(path, { place: 'users' }, async ({ visit, params, database }) => {
    const user = params.user!;
    const found = await database.withTenant(visit.tenant, (tx) => getUser(tx, visit.tenant, user));
    if (found === null) throw unknownUser();
    return contentOf(visit, user, null, null);
  });
  desk.asked(path, { place: 'users', form: formSchema }, async ({ visit, params, fields }, request) => {
    const user = params.user!;
    // A question that is not recorded does not find out that there is no such user.
    const known = await options.database.withTenant(visit.tenant, (tx) => getUser(tx, visit.tenant, user));
    if (known === null) throw unknownUser();
    const { query, limit, maxChars, category, from, until, superseded } = fields;
    const answer = await recallFor(options, request, {
      tenant: visit.tenant,
      user,
      query,
      // A budget alone fills itself; without one the first ten are read.
      limit: limit ?? (maxChars === undefined ? LIMIT_SHOWN : undefined),
      maxChars,
      ...(category === 'all' ? {} : { categories: [category] }),
      saidAfter: from,
      saidBefore: until === undefined ? undefined : until + DAY_MS,
      explain: true,
      includeSuperseded: superseded === 'yes',
      silent: true,
    });
    return contentOf(visit, user, fields, answer);
  });
}

function contentOf(
  visit: Visit,
  user: string,
  fields: Fields | null,
  answer: RecallAnswer | null,
): PageContent {
  return {
    title: 'Ask this memory',
    lead: html`What the memories of <bdi>${user}</bdi> have to say, as an agent would find it. It is a look, and no question of theirs: nothing of it is recorded or counted.`,
    crumbs: [
      { text: 'Users', href: pageOf(visit, ['users']) },
      { text: user, href: userPage(visit, user) },
    ],
    main: html`${questionCard(visit, user, fields)}${answer?.degraded && byWordsAlone(answer.reason)}${answer !== null && resultsCard(visit, user, answer.memories)}`,
  };
}

const byWordsAlone = (reason: RecallAnswer['reason']): Html =>
  html`<div class="notice" role="status"><p><strong>By words alone:</strong> ${degradedText(reason)}.</p></div>`;

function questionCard(visit: Visit, user: string, fields: Fields | null): Html {
  const categories = ['all', ...CATEGORIES].map(
    (each) =>
      html`<option value="${each}" ${each === (fields?.category ?? 'all') && html`selected`}>${each}</option>`,
  );
  const day = (ms: number | undefined) => (ms === undefined ? '' : new Date(ms).toISOString().slice(0, 10));
  return card(
    { id: 'question', title: 'Question' },
    formOf(
      visit,
      { action: actionOf(['users', user, 'recall']) },
      html`<div class="field"><label for="query" class="hidden-visually">Question</label><input id="query" class="wide" type="search" name="query" value="${fields?.query ?? ''}" maxlength="${RECALL_QUERY_MAX}" required autocomplete="off" dir="auto"></div>
<div class="filters"><div class="field"><label for="category">Category</label><select id="category" name="category">${categories}</select></div>
<div class="field"><label for="from">Said from</label><input id="from" type="date" name="from" value="${day(fields?.from)}"></div>
<div class="field"><label for="until">Said until</label><input id="until" type="date" name="until" value="${day(fields?.until)}"></div>
<div class="field"><label for="limit">At most</label><input id="limit" type="number" name="limit" min="1" max="${RECALL_ITEMS_MAX}" value="${fields?.limit ?? ''}" placeholder="${LIMIT_SHOWN}"></div>
<div class="field"><label for="maxChars">Characters</label><input id="maxChars" type="number" name="maxChars" min="1" max="${RECALL_CHARS_MAX}" value="${fields?.maxChars ?? ''}" placeholder="any"></div>
<label class="choice"><input type="checkbox" name="superseded" value="yes" ${fields?.superseded && html`checked`}> superseded ones too</label>
<button type="submit" class="main">Ask</button></div>`,
    ),
  );
}

function resultsCard(visit: Visit, user: string, memories: readonly RecalledMemory[]): Html {
  const characters = memories.reduce((sum, { content }) => sum + [...content].length, 0);
  if (memories.length === 0) {
    return card(
      { id: 'results', title: 'Nothing answers' },
      emptyState(
        'No memory has a word of this question, or anything near to it',
        'Ask with other words, or with fewer filters.',
      ),
    );
  }
  const items = memories.map((memory) => resultOf(visit, user, memory));
  return card(
    {
      id: 'results',
      title: 'What comes to mind',
      aside: `${counted(memories.length, 'memory', 'memories')}, ${counted(characters, 'character')}`,
    },
    html`<ol class="results">${items}</ol>`,
  );
}

function resultOf(visit: Visit, user: string, memory: RecalledMemory): Html {
  const { id, content, category, isLatest, said, score, prominence } = memory;
  const [first, last] = [said.from, said.to].map((at) => instantText(at, 'UTC', 'day'));
  const marks = [
    stateMark('band', bandOf(prominence)),
    !isLatest && toned('plain', '↦', 'superseded'),
    memory.memoryType === 'derived' && toned('info', '⊕', 'derived'),
  ].filter((mark) => mark !== false);
  return html`<li data-row=""><p>${wordsOf(content)}</p>
<div class="meta small quiet"><span>${category}, said ${first === last ? first : html`from ${first} to ${last}`}</span><span class="marks">${marks}</span><a href="${memoryPage(visit, user, id)}">open</a></div>
<details><summary>Why this one: <span class="nowrap">score ${score.toFixed(2)}</span></summary>${whyOf(memory)}</details></li>`;
}

/** The words of a question may tell more than once over: this many times fills the bar. */
const WORDS_FULL = 2.2;

function whyOf({ parts, similarity, score }: RecalledMemory): Html | null {
  if (!parts) return null;
  const { words, meaning, relevance, prominence, recency } = parts;
  const rows: [string, number, number, string][] = [
    [
      'Words',
      words,
      WORDS_FULL,
      'how many of the question’s words it has, the rare ones and short texts counting more',
    ],
    [
      'Meaning',
      meaning,
      1,
      similarity === null
        ? 'it has no vector'
        : `cosine ${similarity.toFixed(2)}; 0.50 where texts count as related`,
    ],
    ['Relevance', relevance, 1, 'words and meaning together'],
    ['Prominence', prominence, 1, 'what fading leaves of it: a few percent at most'],
    ['Recency', recency, 1, 'what its age leaves of it: a few percent at most'],
    ['Score', score, 1, 'relevance × prominence × recency'],
  ];
  return html`<table class="why"><caption class="hidden-visually">Parts of the score</caption><thead><tr><th scope="col">Part</th><th scope="col" class="number">Value</th><th scope="col"><span class="hidden-visually">Bar</span></th><th scope="col">What it is</th></tr></thead><tbody>${rows.map(
    ([name, value, full, what]) =>
      html`<tr><th scope="row">${name}</th><td class="number">${value.toFixed(2)}</td><td>${barOf(value / full)}</td><td class="small quiet">${what}</td></tr>`,
  )}</tbody></table>`;
}

function barOf(share: number): Html {
  const width = (Math.max(0, Math.min(1, share)) * 100).toFixed(1);
  return html`<svg class="share" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true"><rect class="share-back" width="100" height="8"></rect><rect class="bars-fill" width="${width}" height="8"></rect></svg>`;
}
