import type { FusionDetail, FusionSourceView } from '@slowwave/db';
import { differenceWords } from '@slowwave/fusion';
import { wordsWithAtoms } from '../atoms.ts';
import { instantText, numberText, shortId } from '../format.ts';
import { type Html, html } from '../html.ts';
import { emptyState } from '../parts.ts';
import { memoryPage, type Visit } from '../visit.ts';
import { laneText, toned } from '../words.ts';

/** What becomes of a source. */
export type Fate = 'superseded' | 'confirmed' | 'kept' | 'offered';

/** A source with its hard facts marked, what becomes of it, and in which words the statement differs. */
export function sourceOf(
  visit: Visit,
  user: string,
  source: FusionSourceView,
  { number, fate, words }: { number: number; fate: Fate | undefined; words?: SourceWords | undefined },
): Html {
  const state = source.superseded
    ? toned('good', '✓', 'superseded')
    : fate === 'superseded'
      ? toned('warn', '→', 'would be superseded')
      : fate === 'confirmed'
        ? toned('info', '↑', 'would be confirmed')
        : fate === 'offered'
          ? source.isLatest
            ? toned('plain', '=', 'stays')
            : toned('good', '✓', 'superseded')
          : toned('plain', '=', 'stays');
  return html`<blockquote>${wordsWithAtoms(source.content)}<div class="about"><a href="${memoryPage(visit, user, source.id)}">source ${number}</a>${state}${
    source.changed && toned('warn', '!', 'changed since')
  }<span>${source.category}</span><span>said ${instantText(source.documentDate, 'UTC', 'day')}</span></div>${
    words && wordList(words.missing, 'Words that the statement does not have')
  }${words && wordList(words.flags, 'Words of the statement that stand in another source')}</blockquote>`;
}

export function derivedTitle({ kind, derived }: FusionDetail): string {
  if (kind === 'merge') return 'The one that stays';
  if (derived?.state === 'proposed') return 'Proposed text';
  return 'Derived text';
}

/** What was made of the sources, with its hard facts marked and what none of them says. */
export function derivedOf(
  visit: Visit,
  user: string,
  { derived, status }: FusionDetail,
  added: readonly string[] = [],
): Html {
  if (derived === null) {
    return emptyState(
      'There is no text',
      status === 'forgotten' ? 'It was forgotten.' : 'No answer of a model is on record for it.',
    );
  }
  const { id, content, category, importance, trust } = derived;
  return html`<blockquote class="derived">${wordsWithAtoms(content)}<div class="about">${
    id !== null &&
    derived.state === 'stored' &&
    html`<a href="${memoryPage(visit, user, id)}">memory ${shortId(id)}</a>`
  }<span>${category}</span><span>importance ${importance}</span><span>trust ${numberText(trust)}</span></div>${wordList(added, 'Words that no source has')}</blockquote>`;
}

/** What the writer proposed, in the place of a derived text, with each verdict, the votes, and in which words it differs from its sources. */
export function proposalsOf({ proposals, sources }: FusionDetail): Html {
  if (proposals === null)
    return emptyState('Not on record', 'The answer, or a vote on it, is not there any more.');
  if (proposals.length === 0)
    return emptyState('No statement', 'The model found nothing that says the same.');
  const numberOf = new Map(sources.map(({ id }, at) => [id, at + 1]));
  return html`${proposals.map((proposal) => {
    const { text, sourceIds, accepted, lane, mended } = proposal;
    const own = sources.filter(({ id }) => sourceIds.includes(id));
    const words = differenceWords(
      own.map(({ content }) => content),
      text,
    );
    return html`<blockquote class="derived">${wordsWithAtoms(text)}<div class="about">${
      accepted ? toned('good', '✓', laneText(lane)) : toned('bad', '✗', laneText(lane))
    }<span>sources ${sourceIds.map((id) => numberOf.get(id)).join(', ')}</span>${mended && html`<span>mended</span>`}</div>${judgedBy(
      proposal,
    )}${own.map(({ id }, at) =>
      wordList(words.sources[at]!.missing, `Words of source ${numberOf.get(id)} that it does not have`),
    )}${wordList(words.added, 'Words that no source has')}</blockquote>`;
  })}`;
}

/** How the text of a statement was judged; what was refused of the same sources stands on the page of its request. */
export function judgementOf({ proposals, derived, request, kind }: FusionDetail): Html | null {
  if (request === null || proposals === null) return null;
  const made = proposals.filter(
    ({ accepted, text }) => accepted && (kind === 'merge' || text === derived?.content),
  );
  return html`${made.map(judgedBy)}`;
}

/** The floor's objections, or each vote with its own. */
function judgedBy({ lane, votes, details }: Proposal): Html {
  if (votes.length === 0) {
    return html`<p class="small">${
      lane === 'repeat'
        ? 'No vote was needed: it repeats its sources word for word.'
        : details.length > 0 && html`Refused without a vote: ${quoted(details)}`
    }</p>`;
  }
  return html`<ol class="small">${votes.map(
    (vote) =>
      html`<li>${
        vote.lane === 'same'
          ? html`${toned('good', '✓', 'yes')} the judge found nothing lost, added or changed`
          : html`${toned('bad', '✗', 'no')} ${laneText(vote.lane)}`
      }${vote.details.length > 0 && html`: ${quoted(vote.details)}`}</li>`,
  )}</ol>`;
}

type Proposal = NonNullable<FusionDetail['proposals']>[number];

const quoted = (details: readonly string[]): Html =>
  html`${details.map((detail, at) => html`${at > 0 && '; '}<bdi>${detail}</bdi>`)}`;

/** Words in which a statement and a source differ: the judge accounted for each of them. */
export interface SourceWords {
  missing: readonly string[];
  flags: readonly string[];
}

function wordList(words: readonly string[], title: string): Html | null {
  if (words.length === 0) return null;
  const marked = words.map((word, at) => html`${at > 0 && ', '}<bdi>${word}</bdi>`);
  return html`<p class="small">${title}: ${marked}</p>`;
}
