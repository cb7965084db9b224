import type { EvaluationReport } from '@slowwave/fusion';

const share = (value: number | null): string => (value === null ? '–' : value.toFixed(3));

/** What a run on both halves leaves in the log: rows of the table at the end of docs/memory-quality.md. */
export function finalLog(
  { stages, model, embedder }: EvaluationReport,
  { half, commit, date }: { half: string; commit: string; date: string },
): string {
  return stages
    .flatMap(({ nights, searches }) =>
      (['recall', 'bm25'] as const).map((name) => {
        const of = searches[name];
        const cells = [
          date,
          commit,
          half,
          `${model}, ${embedder}`,
          String(nights),
          name,
          share(of.recall10),
          share(of.recallWithin[1_500]),
          share(of.answerWithin[1_500]),
          share(of.byType.temporal.answer1500),
          share(of.outdatedAbove),
        ];
        return `| ${cells.join(' | ')} |\n`;
      }),
    )
    .join('');
}
