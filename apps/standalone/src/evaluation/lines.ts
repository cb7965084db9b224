import { type EvaluationReport, evaluationSummary, evaluationTables } from '@slowwave/fusion';
import { tableLines } from '../table.ts';

/** An evaluation as lines of text. @param columns of the terminal; null: nothing is cut */
export function evaluationLines(report: EvaluationReport, columns: number | null): string[] {
  return [
    ...evaluationSummary(report),
    ...evaluationTables(report).flatMap((table) => [
      '',
      table.title,
      ...tableLines(table.columns, table.rows, columns),
    ]),
  ];
}
