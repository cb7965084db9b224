import type { BandPoint, BandSeries } from '@slowwave/db';
import { instantText, numberText } from '../format.ts';
import { type Html, html } from '../html.ts';
import { FLOOR, HEIGHT, LEFT, round, type Scale, TOP, timeAxis, timeScale, WIDTH } from './axis.ts';

const BANDS = ['active', 'dormant', 'faded'] as const;

/** A user's memories by band over time: counted by runs until now, by the formula from now on. With the same as a table. */
export function bandPlot(series: BandSeries, span: { from: number; until: number; now: number }): Html {
  const { counted, ahead } = series;
  const most = Math.max(
    1,
    ...[...counted, ...ahead].map(({ active, dormant, faded }) => active + dormant + faded),
  );
  const scale = timeScale(span.from, span.until);
  const height = (count: number) => FLOOR - (count / most) * (FLOOR - TOP);
  const label = 'Memories by band of prominence over time; the table below says the same';
  const grid = [0, 0.5, 1].map((share) => {
    const y = round(height(most * share));
    return html`<line class="axis" x1="${LEFT}" x2="${WIDTH}" y1="${y}" y2="${y}"></line><text x="${LEFT - 6}" y="${round(height(most * share) + 4)}" text-anchor="end">${numberText(Math.round(most * share))}</text>`;
  });
  return html`<svg class="plot" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${label}">${grid}${areasOf(counted, scale, height)}${areasOf(ahead, scale, height)}${timeAxis(scale, span)}</svg>
<ul class="keys"><li><svg viewBox="0 0 10 10" aria-hidden="true"><rect class="active-key" width="10" height="10"></rect></svg>active, at the bottom</li><li><svg viewBox="0 0 10 10" aria-hidden="true"><rect class="dormant-key" width="10" height="10"></rect></svg>dormant, in the middle</li><li><svg viewBox="0 0 10 10" aria-hidden="true"><rect class="faded-key" width="10" height="10"></rect></svg>faded, on top</li></ul>
<details><summary>As a table</summary><table><caption class="hidden-visually">Memories by band over time</caption><thead><tr><th scope="col">When</th><th scope="col" class="number">Active</th><th scope="col" class="number">Dormant</th><th scope="col" class="number">Faded</th></tr></thead><tbody>${[
    ...counted,
    ...ahead.filter((_, index) => index % 6 === 0),
  ].map(
    (point) =>
      html`<tr><th scope="row">${instantText(point.at, 'UTC', 'day')}${point.at > span.now && html` <span class="quiet">(ahead)</span>`}</th>${BANDS.map(
        (band) => html`<td class="number">${numberText(point[band])}</td>`,
      )}</tr>`,
  )}</tbody></table></details>`;
}

/** One area for each band, the later ones on top of the earlier. A single point is drawn as a narrow column. */
function areasOf(points: readonly BandPoint[], scale: Scale, height: (count: number) => number): Html[] {
  const [first] = points;
  if (first === undefined) return [];
  const wide = points.length > 1 ? points : [first, { ...first, at: first.at + 8 * 3_600_000 }];
  return BANDS.map((band, index) => {
    const below = (point: BandPoint) => BANDS.slice(0, index).reduce((sum, each) => sum + point[each], 0);
    const top = wide.map((point) => `${round(scale(point.at))},${round(height(below(point) + point[band]))}`);
    const bottom = wide.map((point) => `${round(scale(point.at))},${round(height(below(point)))}`);
    return html`<polygon class="${band}" points="${[...top, ...bottom.reverse()].join(' ')}"></polygon>`;
  });
}
