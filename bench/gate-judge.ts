/** A labelled row as the gate sees it without a judge: one statement over all its sources, by floor and repetition. */
import { checkGate } from '@slowwave/fusion';
import type { LabelledRow, RowVerdict } from './gate-score.ts';

/** What becomes of a row where no language model judges. Days are taken in UTC. */
export function judgeRow({ sources, summary }: LabelledRow): RowVerdict {
  const said = sources.map(({ content, documentDate }) => ({
    content,
    day: new Date(documentDate).toISOString().slice(0, 10),
  }));
  const verdict = checkGate(said, summary, [], { isExamined: false });
  if (verdict.accepted) return { covered: sources.map((_, at) => at + 1) };
  return { refused: verdict.lane === 'floor' ? 'floor' : 'no_judge' };
}
