import { type EvaluationReport, SEARCH_NAMES, SEARCHES, type SearchName } from './report.ts';
import { BUDGETS, type Budget } from './score.ts';

const [WIDTH, HEIGHT] = [640, 360];
const PLOT = { left: 60, right: 470, top: 40, bottom: 310 };
/** Told apart without colour vision, on white and on black. */
const COLOURS: Record<SearchName, string> = {
  recall: '#0a7ea4',
  bm25: '#c2570c',
  cosine: '#7a4fbf',
  newest: '#6b7280',
};
/** Recall of evidence against the budget in characters as a drawing (SVG): before sleep solid, after it dashed. */
export function recallPicture(report: EvaluationReport): string {
  const [least, most] = [BUDGETS[0], BUDGETS.at(-1)!].map(Math.log) as [number, number];
  const x = (budget: number) =>
    PLOT.left + ((Math.log(budget) - least) / (most - least)) * (PLOT.right - PLOT.left);
  const y = (share: number) => PLOT.bottom - share * (PLOT.bottom - PLOT.top);
  const grid = [0, 0.25, 0.5, 0.75, 1].flatMap((share) => [
    `<line x1="${PLOT.left}" x2="${PLOT.right}" y1="${y(share)}" y2="${y(share)}" stroke="currentColor" stroke-opacity="0.15"/>`,
    `<text x="${PLOT.left - 8}" y="${y(share) + 4}" text-anchor="end">${share}</text>`,
  ]);
  const budgets = BUDGETS.map(
    (budget) => `<text x="${x(budget)}" y="${PLOT.bottom + 20}" text-anchor="middle">${budget}</text>`,
  );
  const lines = report.stages.flatMap(({ nights, searches }) =>
    SEARCHES.map((name) => {
      const at = (budget: Budget) => searches[name].recallWithin[budget] ?? 0;
      const points = BUDGETS.map((budget) => `${x(budget).toFixed(1)},${y(at(budget)).toFixed(1)}`).join(' ');
      const dashes = nights === 0 ? '' : ' stroke-dasharray="6 4"';
      return `<polyline points="${points}" fill="none" stroke="${COLOURS[name]}" stroke-width="2"${dashes}/>`;
    }),
  );
  const legend = SEARCHES.map((name, place) => {
    const top = PLOT.top + 20 * place;
    return (
      `<line x1="${PLOT.right + 20}" x2="${PLOT.right + 44}" y1="${top}" y2="${top}" stroke="${COLOURS[name]}" stroke-width="3"/>` +
      `<text x="${PLOT.right + 52}" y="${top + 4}">${SEARCH_NAMES[name]}</text>`
    );
  });
  const nights = report.stages.at(-1)?.nights ?? 0;
  const note = nights > 0 ? `solid: before, dashed: after ${nights} nights` : 'before any night';
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="system-ui, sans-serif" font-size="12" fill="currentColor" role="img" aria-label="Share of the evidence found, against characters read">`,
    `<text x="${PLOT.left}" y="20" font-size="14">Share of the evidence found, by characters read</text>`,
    ...grid,
    ...budgets,
    ...lines,
    ...legend,
    `<text x="${PLOT.left}" y="${HEIGHT - 10}">${note}</text>`,
    '</svg>',
    '',
  ].join('\n');
}
