import type { HistoryEntry, MemoryExplanation } from '@slowwave/db';
import { type DecayParams, prominenceAt } from '@slowwave/fusion';
import { DAY_MS, instantText, shareText } from '../format.ts';
import { type Html, html } from '../html.ts';
import { codeText } from '../words.ts';
import { FLOOR, HEIGHT, LEFT, RIGHT, round, TOP, timeAxis, timeScale, WIDTH } from './axis.ts';

const AHEAD_DAYS_LEAST = 30;
const AHEAD_DAYS_MOST = 365;
const SAMPLES = 160;

/** A time in which a memory had these parameters. */
export interface Stretch {
  from: number;
  until: number;
  params: DecayParams;
}

/** What a memory's parameters were when, as far as the journal still tells. */
export function stretchesOf(memory: MemoryExplanation, until: number): Stretch[] {
  const stretches: Stretch[] = [];
  let params = memory.params;
  let end = until;
  for (const { at, before } of memory.history) {
    if (at < end) stretches.unshift({ from: at, until: end, params });
    end = Math.min(end, at);
    if (before === null) return stretches;
    params = { ...params, ...before };
  }
  const from = Math.min(memory.createdAt, params.anchorAt);
  if (from < end) stretches.unshift({ from, until: end, params });
  return stretches;
}

/** When the plot ends: a little behind the next crossing, so that it is seen. */
function endOf({ at, crossings }: MemoryExplanation): number {
  const ahead = crossings.flatMap(({ at: when, state }) =>
    state === 'ahead' && when !== null ? [when] : [],
  );
  const days = ahead.length === 0 ? AHEAD_DAYS_LEAST : ((Math.min(...ahead) - at) / DAY_MS) * 1.3;
  return at + Math.min(AHEAD_DAYS_MOST, Math.max(AHEAD_DAYS_LEAST, days)) * DAY_MS;
}

/** One memory's prominence over time: as it was, as it is and as it will be if nobody confirms it. With the same as a table. */
export function prominencePlot(memory: MemoryExplanation): Html {
  const until = endOf(memory);
  const stretches = stretchesOf(memory, until);
  const from = stretches[0]?.from ?? memory.at - DAY_MS;
  const scale = timeScale(from, until);
  const height = (share: number) => FLOOR - share * (FLOOR - TOP);
  const points = stretches.flatMap(({ from: start, until: end, params }) => {
    const count = Math.max(2, Math.ceil((SAMPLES * (end - start)) / (until - from)));
    return Array.from({ length: count }, (_, index) => {
      const at = start + ((end - start) * index) / (count - 1);
      return { at, value: prominenceAt(params, at) };
    });
  });
  const line = (part: { at: number; value: number }[]) =>
    part.map(({ at, value }) => `${round(scale(at))},${round(height(value))}`).join(' ');
  const past = points.filter(({ at }) => at <= memory.at);
  const ahead = [{ at: memory.at, value: memory.prominence }, ...points.filter(({ at }) => at > memory.at)];
  const events = memory.history.filter(({ at }) => at >= from);
  return html`<svg class="plot" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="Prominence of this memory over time; the table below says the same">${thresholds(height)}${timeAxis(scale, { from, until, now: memory.at })}<polyline class="line" points="${line([...past, ahead[0]!])}"></polyline><polyline class="line ahead" points="${line(ahead)}"></polyline>${events.map(
    ({ at, kind }) =>
      html`<circle class="event" cx="${round(scale(at))}" cy="${round(height(valueAt(stretches, at)))}" r="4"><title>${codeText(kind)}</title></circle>`,
  )}</svg>
<p class="small quiet">Solid: as it was. Dashed: as it will be if nobody confirms it. Circles: what happened to it.</p>
${plotTable(memory, stretches, { from, until })}`;
}

function valueAt(stretches: readonly Stretch[], at: number): number {
  const stretch = stretches.find(({ from, until }) => from <= at && at < until) ?? stretches.at(-1);
  return stretch ? prominenceAt(stretch.params, at) : 0;
}

function thresholds(height: (share: number) => number): Html {
  return html`${[
    [1, '1'],
    [0.5, '0.5'],
    [0.1, '0.1'],
    [0, '0'],
  ].map(
    ([share, text]) =>
      html`<line class="threshold" x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${round(height(Number(share)))}" y2="${round(height(Number(share)))}"></line><text x="${LEFT - 6}" y="${round(height(Number(share)) + 4)}" text-anchor="end">${text}</text>`,
  )}`;
}

const ROWS = 8;

function plotTable(
  { at, history }: MemoryExplanation,
  stretches: readonly Stretch[],
  { from, until }: { from: number; until: number },
): Html {
  const known = new Map<number, HistoryEntry | null>(
    Array.from({ length: ROWS }, (_, index) => [from + ((until - from) * index) / (ROWS - 1), null]),
  );
  known.set(at, null);
  for (const entry of history) if (entry.at >= from) known.set(entry.at, entry);
  const moments = [...known].sort(([one], [other]) => one - other);
  return html`<details><summary>As a table</summary><table><caption class="hidden-visually">Prominence over time</caption><thead><tr><th scope="col">When</th><th scope="col" class="number">Prominence</th><th scope="col">What happened</th></tr></thead><tbody>${moments.map(
    ([moment, entry]) =>
      html`<tr><th scope="row">${instantText(moment, 'UTC', 'day')}</th><td class="number">${shareText(valueAt(stretches, moment))}</td><td>${
        moment === at ? 'now' : entry ? codeText(entry.kind) : moment > at ? 'ahead' : ''
      }</td></tr>`,
  )}</tbody></table></details>`;
}
