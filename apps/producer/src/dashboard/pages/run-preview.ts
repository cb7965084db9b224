import type { PreviewView } from '@slowwave/db';
import { shortId } from '../format.ts';
import { type Html, html } from '../html.ts';
import { card, emptyState, tableOf, wordsOf } from '../parts.ts';
import { fusionPage, type Visit } from '../visit.ts';
import { codeText, toned } from '../words.ts';

/** What a previewed run would have done. */
export function previewCard(visit: Visit, user: string, { fusions, merges }: PreviewView): Html {
  const all = [
    ...fusions.map(({ key, verdict, sources, derived }) => ({
      key,
      kind: 'fusion',
      verdict,
      sources,
      text: derived?.content ?? null,
    })),
    ...merges.map(({ key, verdict, sources }) => ({
      key,
      kind: 'merge',
      verdict,
      sources,
      text: sources[0]?.content ?? null,
    })),
  ];
  type Entry = (typeof all)[number];
  const table = tableOf(
    { caption: 'What the run would have done' },
    [
      {
        title: 'Fusion',
        cell: ({ key, kind }: Entry) =>
          html`<a href="${fusionPage(visit, user, key)}">${kind} ${shortId(key)}</a>`,
      },
      {
        title: 'Verdict',
        cell: ({ verdict }) =>
          verdict === 'ok'
            ? toned('good', '✓', 'would come to pass')
            : toned('plain', '–', codeText(verdict)),
      },
      { title: 'Sources', kind: 'number', cell: ({ sources }) => sources.length },
      {
        title: 'Text',
        kind: 'block',
        cell: ({ text }) => (text === null ? html`<span class="quiet">none</span>` : wordsOf(text, true)),
      },
    ],
    all,
  );
  const none = emptyState(
    'Nothing would be fused',
    'The preview found no cluster of fading, related memories.',
  );
  return card({ id: 'preview', title: 'Preview' }, all.length === 0 ? none : table);
}
