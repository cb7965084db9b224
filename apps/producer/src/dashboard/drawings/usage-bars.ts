import type { Usage } from '@slowwave/db';
import { DAY_MS, numberText, shortNumber } from '../format.ts';
import { type Html, html } from '../html.ts';

const WIDTH = 560;
const HEIGHT = 132;
const FLOOR = 112;
const TOP = 16;
const DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });

/**
 * Tokens per day as bars: what went in below, what came out above it. The same stands in a table for those who do not see it.
 * @param since the first day, epoch ms at midnight UTC
 */
export function usageBars(usage: Usage['days'], since: number, days: number): Html {
  const all = Array.from({ length: days }, (_, index) => {
    const day = new Date(since + index * DAY_MS).toISOString().slice(0, 10);
    return usage.find((each) => each.day === day) ?? { day, calls: 0, inputTokens: 0, outputTokens: 0 };
  });
  const most = Math.max(1, ...all.map(({ inputTokens, outputTokens }) => inputTokens + outputTokens));
  const slot = WIDTH / days;
  const height = (tokens: number) => (tokens / most) * (FLOOR - TOP);
  const bars = all.map(({ day, inputTokens, outputTokens }, index) => {
    const x = index * slot + slot * 0.18;
    const inside = height(inputTokens);
    const outside = height(outputTokens);
    const middle = index * slot + slot / 2;
    const total = inputTokens + outputTokens;
    return html`<rect class="bars-fill" x="${x.toFixed(1)}" y="${(FLOOR - inside).toFixed(1)}" width="${(slot * 0.64).toFixed(1)}" height="${inside.toFixed(1)}"></rect><rect class="bars-fill second" x="${x.toFixed(1)}" y="${(FLOOR - inside - outside).toFixed(1)}" width="${(slot * 0.64).toFixed(1)}" height="${outside.toFixed(1)}"></rect>${
      total > 0 &&
      html`<text x="${middle.toFixed(1)}" y="${(FLOOR - inside - outside - 5).toFixed(1)}" text-anchor="middle">${shortNumber(total)}</text>`
    }<text x="${middle.toFixed(1)}" y="${FLOOR + 15}" text-anchor="middle">${DAY.format(Date.parse(day))}</text>`;
  });
  return html`<svg class="plot" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="Tokens per day; the table below says the same">${bars}<line class="axis" x1="0" x2="${WIDTH}" y1="${FLOOR + 0.5}" y2="${FLOOR + 0.5}"></line></svg>
<ul class="keys" aria-hidden="true"><li><svg viewBox="0 0 10 10"><rect class="bars-fill" width="10" height="10"></rect></svg>in</li><li><svg viewBox="0 0 10 10"><rect class="bars-fill second" width="10" height="10"></rect></svg>out</li></ul>
<details><summary>As a table</summary><table><caption class="hidden-visually">Tokens per day</caption><thead><tr><th scope="col">Day (UTC)</th><th scope="col" class="number">Calls</th><th scope="col" class="number">In</th><th scope="col" class="number">Out</th></tr></thead><tbody>${all.map(
    ({ day, calls, inputTokens, outputTokens }) =>
      html`<tr><th scope="row">${day}</th><td class="number">${numberText(calls)}</td><td class="number">${numberText(inputTokens)}</td><td class="number">${numberText(outputTokens)}</td></tr>`,
  )}</tbody></table></details>`;
}
