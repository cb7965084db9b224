import { goalText, ratioText } from './figures.ts';
import { type RowGoal, type RowResult, verdictOf } from './row.ts';

/** What became of one goal: the results of its row, why it could not be measured, or that it has no row yet. */
export type Outcome = { row: RowGoal; seconds: number } & (
  | { results: readonly RowResult[] }
  | { failed: string }
  | { missing: true }
);

const HEADS = ['', 'measured', 'goal', 'baseline', 'ours', 'ratio (range)', ''];

/** One line a result, under the line of its row; notes and failures follow below, so that the columns stay narrow. */
export function tableOf(outcomes: readonly Outcome[]): string[] {
  const cells: string[][] = [HEADS];
  const notes: string[] = [];
  for (const outcome of outcomes) {
    const { id, goal, measure } = outcome.row;
    if ('missing' in outcome) {
      cells.push([id, measure, goalText(goal), '', '', '', 'missing']);
      notes.push(`${id} has no row yet: it is not measured`);
      continue;
    }
    if ('failed' in outcome) {
      cells.push([id, measure, goalText(goal), '', '', '', 'failed']);
      notes.push(`${id} could not be measured: ${outcome.failed}`);
      continue;
    }
    for (const [index, result] of outcome.results.entries()) {
      const { name, baseline, ours, ratio, note } = result;
      const goalCell = index === 0 ? goalText(goal) : '';
      const ratioCell = ratio ? ratioText(ratio) : '';
      cells.push([id, name, goalCell, baseline ?? '', ours, ratioCell, verdictOf(result)]);
      if (note !== undefined) notes.push(`${id}, ${name}: ${note}`);
    }
  }
  const wide = HEADS.map((_, column) => Math.max(...cells.map((line) => line[column]!.length)));
  const lines = cells.map((line) =>
    line
      .map((cell, column) => cell.padEnd(wide[column]!))
      .join('  ')
      .trimEnd(),
  );
  return notes.length === 0 ? lines : [...lines, '', ...notes];
}

/** 2 when a row could not be measured; 1 when a goal is missed, which small data cannot tell; else 0. */
export function exitCodeOf(outcomes: readonly Outcome[], quick: boolean): 0 | 1 | 2 {
  if (outcomes.some((outcome) => 'failed' in outcome)) return 2;
  const missed = outcomes.some(
    (outcome) => 'results' in outcome && outcome.results.some(({ met }) => met === false),
  );
  return missed && !quick ? 1 : 0;
}
