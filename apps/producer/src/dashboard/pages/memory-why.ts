import type { MemoryExplanation } from '@slowwave/db';
import { CROSSING_THRESHOLDS } from '@slowwave/fusion';
import { counted, distanceText, instantText, shareText } from '../format.ts';
import { type Html, html } from '../html.ts';
import { factsOf } from '../parts.ts';
import { codeText } from '../words.ts';

const THRESHOLD_WORDS: Record<number, string> = {
  0.8: 'leaves the night’s window above',
  0.5: 'is no longer active',
  0.1: 'is no longer dormant: faded',
  0.05: 'leaves the night’s window below',
};

/** How a memory's prominence comes about, factor by factor, and which thresholds lie ahead. */
export function explanationOf({ params, terms, prominence, crossings, at }: MemoryExplanation): Html {
  if (params.memoryType === 'static_profile') {
    return html`<p>It is part of the static profile, whose prominence is always 1.</p>`;
  }
  const { rate, stability, floor, ageDays, demotion } = terms;
  const n = (value: number) => String(Number(value.toPrecision(3)));
  const days = Math.max(0, ageDays - 1);
  const ahead = CROSSING_THRESHOLDS.flatMap((threshold) => {
    const crossing = crossings.find((each) => each.threshold === threshold);
    return crossing?.state === 'ahead' && crossing.at !== null
      ? [
          html`<li>${instantText(crossing.at, 'UTC', 'day')} (${distanceText(crossing.at, at)}): ${THRESHOLD_WORDS[threshold] ?? `falls below ${threshold}`}</li>`,
        ]
      : [];
  });
  return html`<div class="stack">${factsOf([
    [
      'Peak',
      html`${n(params.peak)} on ${instantText(params.anchorAt, 'UTC', 'day')}, when it was last written, confirmed or set`,
    ],
    ['Kept a day', `${n(rate * 100)} % (${params.category}, ${codeText(params.memoryType)})`],
    ['Stability', `${n(stability)}, from ${counted(params.confirmations, 'confirmation')}`],
    ['Floor', floor > 0 ? `${n(floor)}: it never sinks below` : 'none'],
    ['Age', `${n(Math.max(0, ageDays))} days, of which ${n(days)} count`],
    ['Demotion', demotion === 1 ? 'none' : `${n(demotion)}, by the retrieval audit or a person`],
  ])}<pre>${`${n(demotion)} × (${n(floor)} + (${n(params.peak)} − ${n(floor)}) × ${n(rate)}^(${n(days)} / ${n(stability)})) = ${shareText(prominence)}`}</pre>
${ahead.length > 0 ? html`<div><h3>Ahead, if nobody confirms it</h3><ul class="plain">${ahead}</ul></div>` : html`<p class="quiet">No threshold lies ahead.</p>`}</div>`;
}
