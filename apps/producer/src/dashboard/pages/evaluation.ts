import { readEvaluation } from '@slowwave/db';
import {
  type EvaluationReport,
  type EvaluationTable,
  evaluationSummary,
  evaluationTables,
} from '@slowwave/fusion';
import type { Desk } from '../desk.ts';
import { recallPlot } from '../drawings/recall-plot.ts';
import { counted } from '../format.ts';
import { type Html, html } from '../html.ts';
import { card, emptyState, when } from '../parts.ts';

const FILES_SHOWN = 5;

/** What an agent finds before and after sleep, as it was measured last. */
export function registerEvaluationPage(desk: Desk): void {
  desk.page('/dashboard/evaluation', { place: 'evaluation' }, async ({ visit, database }) => {
    const { tenant } = visit;
    const { evaluation, evaluatedAt } = await database.withTenant(tenant, (tx) => readEvaluation(tx, tenant));
    return {
      title: 'Evaluation',
      lead: html`What an agent finds before and after simulated nights, of tenant ${tenant}`,
      main:
        evaluation === null
          ? emptyState(
              'Nothing was evaluated yet',
              html`Measure it on questions of your own: <code>npx slowwave evaluate memories.jsonl --publish</code> shows its figures here.`,
            )
          : html`${summaryCard(evaluation, when(visit, evaluatedAt))}${pictureCard(evaluation)}${evaluationTables(evaluation).map(tableCard)}`,
    };
  });
}

function summaryCard(report: EvaluationReport, at: Html): Html {
  const [asked, models] = evaluationSummary(report);
  const { files } = report;
  const more = files.length - FILES_SHOWN;
  return card(
    { id: 'evaluated', title: 'What was measured', aside: at },
    html`<p>${asked}</p><p>${models}</p><p class="small quiet">${files.slice(0, FILES_SHOWN).join(', ')}${
      more > 0 && ` and ${counted(more, 'more file')}`
    }</p>`,
  );
}

const pictureCard = (report: EvaluationReport): Html =>
  card({ id: 'picture', title: 'Evidence found, by characters read' }, recallPlot(report));

function tableCard({ title, columns, rows }: EvaluationTable, at: number): Html {
  // The columns that name a row have no title.
  const names = columns.filter((column) => column === '').length;
  const head = columns.map((column, place) =>
    place < names
      ? html`<th scope="col"><span class="hidden-visually">${place === 0 ? 'When' : 'Order'}</span></th>`
      : html`<th scope="col" class="number">${column.toLowerCase()}</th>`,
  );
  const body = rows.map(
    (row) =>
      html`<tr>${row.map((cell, place) =>
        place < names ? html`<th scope="row">${cell}</th>` : html`<td class="number">${cell}</td>`,
      )}</tr>`,
  );
  return card(
    { id: `table-${at + 1}`, title: title[0]!.toUpperCase() + title.slice(1) },
    html`<div class="scrolls" tabindex="0" role="region" aria-label="${title}"><table class="numbers"><thead><tr>${head}</tr></thead><tbody>${body}</tbody></table></div>`,
  );
}
