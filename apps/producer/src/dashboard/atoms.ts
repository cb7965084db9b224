import { type AtomKind, type AtomSpan, atomSpans } from '@slowwave/fusion';
import { numberText } from './format.ts';
import { type Html, html } from './html.ts';

/** What each kind of hard fact is called. */
export const ATOM_WORDS: Record<AtomKind, string> = {
  number: 'number',
  date: 'date',
  time: 'time',
  name: 'name',
  email: 'e-mail address',
  url: 'web address',
  code: 'identifier',
  quote: 'quotation',
  negation: 'negation',
};

/** A stretch of a text, and the innermost hard fact that it belongs to. */
interface Segment {
  text: string;
  span: AtomSpan | null;
}

/** A text cut where hard facts begin and end. @param spans in order of where they begin; only a few overlap at any place */
function segmentsOf(text: string, spans: readonly AtomSpan[]): Segment[] {
  const cuts = [...new Set([0, text.length, ...spans.flatMap(({ from, to }) => [from, to])])].sort(
    (a, b) => a - b,
  );
  let next = 0;
  let open: AtomSpan[] = [];
  return cuts.slice(1).map((to, index) => {
    const from = cuts[index]!;
    open = open.filter((span) => span.to >= to);
    for (; next < spans.length && spans[next]!.from <= from; next += 1) open.push(spans[next]!);
    const [first, ...others] = open;
    const innermost = others.reduce(
      (least, span) => (span.to - span.from < least!.to - least!.from ? span : least),
      first,
    );
    return { text: text.slice(from, to), span: innermost ?? null };
  });
}

/** Hard facts are looked for in so many characters of a text: nothing else is served while they are, and a page may show many texts. */
export const MARKED_CHARS = 2_000;

/** Where the hard facts of a text stand. What the end of the marked part may have cut is none. */
function spansOf(text: string): AtomSpan[] {
  const spans = atomSpans(text.slice(0, MARKED_CHARS));
  return text.length > MARKED_CHARS ? spans.filter(({ to }) => to < MARKED_CHARS) : spans;
}

/** A text with its hard facts marked by kind. */
export function wordsWithAtoms(text: string): Html {
  const marked = segmentsOf(text, spansOf(text)).map(({ text: part, span }) =>
    span === null
      ? part
      : html`<mark class="atom atom-${span.kind}" title="${`${ATOM_WORDS[span.kind]}: ${span.values.join(', ')}`}">${part}</mark>`,
  );
  const rest =
    text.length > MARKED_CHARS &&
    html`<p class="small">Hard facts are marked in the first ${numberText(MARKED_CHARS)} characters.</p>`;
  return html`<bdi class="text" dir="auto">${marked}</bdi>${rest}`;
}

/** What the marks mean. */
export function atomLegend(): Html {
  const entries: [AtomKind, string][] = [
    ['number', 'number: solid line'],
    ['date', 'date or time: dashed line'],
    ['name', 'name: double line'],
    ['negation', 'negation: wavy line'],
    ['code', 'address, identifier or quotation: dotted line'],
  ];
  return html`<ul class="legend" aria-label="What the marks mean">${entries.map(([kind, text]) => {
    const [word, rest] = text.split(': ');
    return html`<li><mark class="atom atom-${kind}">${word}</mark> ${rest}</li>`;
  })}</ul>`;
}

/** The same as a table, for whoever does not see marks. */
export function atomTable(texts: readonly { name: string; text: string }[]): Html {
  const rows = texts.flatMap(({ name, text }) =>
    spansOf(text).map(
      (span) =>
        html`<tr><th scope="row">${name}</th><td>${ATOM_WORDS[span.kind]}</td><td><bdi>${text.slice(span.from, span.to)}</bdi></td><td>${span.values.join(', ')}</td></tr>`,
    ),
  );
  return html`<details><summary>The hard facts as a table</summary><div class="scroll" tabindex="0" role="region" aria-label="Hard facts"><table><caption>Hard facts of each text, as they are written and as they are compared</caption><thead><tr><th scope="col">Text</th><th scope="col">Kind</th><th scope="col">As written</th><th scope="col">Compared as</th></tr></thead><tbody>${rows}</tbody></table></div></details>`;
}
