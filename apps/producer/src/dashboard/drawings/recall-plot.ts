import { BUDGETS, type EvaluationReport, SEARCH_NAMES, SEARCHES } from '@slowwave/fusion';
import { numberText } from '../format.ts';
import { type Html, html } from '../html.ts';

const WIDTH = 640;
const PLOT = { left: 40, right: 620, top: 16, bottom: 250 };
const HEIGHT = 280;

/** Share of the evidence against the characters read: before sleep solid, after it dashed. The tables say the same. */
export function recallPlot({ stages }: EvaluationReport): Html {
  const [least, most] = [Math.log(BUDGETS[0]), Math.log(BUDGETS.at(-1)!)];
  const x = (budget: number) =>
    PLOT.left + ((Math.log(budget) - least) / (most - least)) * (PLOT.right - PLOT.left);
  const y = (share: number) => PLOT.bottom - share * (PLOT.bottom - PLOT.top);
  const grid = [0, 0.25, 0.5, 0.75, 1].map(
    (share) =>
      html`<line class="axis" x1="${PLOT.left}" x2="${PLOT.right}" y1="${y(share)}" y2="${y(share)}"></line><text x="${PLOT.left - 6}" y="${y(share) + 4}" text-anchor="end">${share}</text>`,
  );
  const budgets = BUDGETS.map(
    (budget, at) =>
      html`<text x="${x(budget).toFixed(1)}" y="${PLOT.bottom + 18}" text-anchor="${at === 0 ? 'start' : at === BUDGETS.length - 1 ? 'end' : 'middle'}">${numberText(budget)}</text>`,
  );
  const lines = stages.flatMap(({ nights, searches }) =>
    SEARCHES.map((name) => {
      const points = BUDGETS.map(
        (budget) => `${x(budget).toFixed(1)},${y(searches[name].recallWithin[budget] ?? 0).toFixed(1)}`,
      );
      return html`<polyline class="search ${name} ${nights === 0 ? '' : 'later'}" points="${points.join(' ')}"></polyline>`;
    }),
  );
  const keys = SEARCHES.map(
    (name) =>
      html`<li><svg viewBox="0 0 18 10"><line class="search ${name}" x1="0" x2="18" y1="5" y2="5"></line></svg>${SEARCH_NAMES[name]}</li>`,
  );
  const nights = stages.at(-1)!.nights;
  return html`<svg class="plot recall-plot" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="Share of the evidence found against characters read; the tables below say the same">${grid}${budgets}${lines}</svg>
<ul class="keys" aria-hidden="true">${keys}<li>${nights === 0 ? 'before any night' : `solid before, dashed after ${nights} nights`}</li></ul>`;
}
