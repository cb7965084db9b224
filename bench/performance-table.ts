import { goalText, ratioText } from './figures.ts';
import { type RowGoal, type RowResult, verdictOf } from './row.ts';

/** What "npm run bench -- --json FILE" writes, as far as the page has it. */
export interface BenchFigures {
  measuredAt: string;
  quick: boolean;
  seed: number;
  rounds: number;
  node: string;
  cpu: string;
  cores: number;
  servers: string[];
  rows: (RowGoal & ({ results: RowResult[] } | { failed: string } | { missing: true }))[];
}

export const FROM = '<!-- figures -->';
export const TO = '<!-- /figures -->';

const line = (cells: readonly string[]): string =>
  `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;

const table = (heads: readonly string[], rows: readonly string[][]): string[] => [
  line(heads),
  line(heads.map(() => '---')),
  ...rows.map(line),
];

/** The rows with their goals alone. */
function goalsTable(rows: readonly RowGoal[]): string[] {
  return table(
    ['', 'measured', 'against', 'goal'],
    rows.map(({ id, measure, against, goal }) => [id, measure, against, goalText(goal)]),
  );
}

function resultCells(row: RowGoal, result: RowResult, first: boolean): string[] {
  const { name, baseline, ours, ratio } = result;
  const goal = first ? goalText(row.goal) : '';
  return [row.id, name, goal, baseline ?? '', ours, ratio ? ratioText(ratio) : '', verdictOf(result)];
}

function figuresTable(figures: BenchFigures): string[] {
  const { measuredAt, node, cores, cpu, servers, seed, rounds, rows } = figures;
  const cells = rows.flatMap((row) => {
    if ('results' in row) return row.results.map((result, index) => resultCells(row, result, index === 0));
    const why = 'missing' in row ? 'not measured yet' : 'could not be measured';
    return [[row.id, row.measure, goalText(row.goal), '', '', '', why]];
  });
  return [
    `Measured on ${measuredAt.slice(0, 10)} on ${cores} cores (${cpu}), Node ${node.replace(/^v/, '')}, ${servers.map(withoutPlace).join('; ')}; seed ${seed}, ${rounds} rounds.`,
    '',
    ...table(['', 'measured', 'goal', 'baseline', 'ours', 'ratio (range)', ''], cells),
  ];
}

/**
 * The page with the figures between its two marks; without figures the goals alone.
 * @throws Error when the page has no marks
 */
export function fillPage(page: string, rows: readonly RowGoal[], figures: BenchFigures | null): string {
  const [from, to] = [page.indexOf(FROM), page.indexOf(TO)];
  if (from < 0 || to < from) throw new Error(`expected ${FROM} and ${TO} in the page`);
  const lines = figures === null ? goalsTable(rows) : figuresTable(figures);
  return `${page.slice(0, from + FROM.length)}\n${lines.join('\n')}\n${page.slice(to)}`;
}

/** Where the programs were found says nothing to a reader. */
const withoutPlace = (description: string): string => description.replace(/, from .*$/, '');
