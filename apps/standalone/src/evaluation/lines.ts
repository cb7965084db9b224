import { BUDGETS, DIGEST_BUDGETS, QUESTION_TYPES, type SearchFigures } from '@slowwave/fusion';
import { tableLines } from '../table.ts';
import type { EvaluationReport } from './evaluate.ts';
import { DIGESTS, SEARCHES, type SearchName, type StageFigures } from './stage.ts';

const NAMES: Record<SearchName, string> = {
  recall: 'recall',
  bm25: 'plain BM25',
  cosine: 'cosine alone',
  newest: 'newest first',
};

const share = (value: number | null): string => (value === null ? '–' : value.toFixed(3));
const whole = (value: number | null): string => (value === null ? '–' : String(Math.round(value)));
const grouped = (value: number): string => value.toLocaleString('en-US');

const stageName = ({ nights }: StageFigures): string =>
  nights === 0 ? 'before' : `after ${nights} ${nights === 1 ? 'night' : 'nights'}`;

/** An evaluation as lines of text; every share is from 0 to 1. */
export function evaluationLines(report: EvaluationReport, columns: number | null): string[] {
  const asked = QUESTION_TYPES.map((type) => `${report.questions[type] ?? 0} ${type}`).join(', ');
  const lines = [
    `${report.users} users, ${grouped(report.memories)} memories, questions: ${asked}`,
    `model ${report.model}, embedder ${report.embedder}; ${report.runs} runs, $${report.costDollars.toFixed(4)} by the ledger`,
  ];
  for (const [title, header, cells] of TABLES) {
    lines.push('', title);
    const rows = report.stages.flatMap((stage) =>
      SEARCHES.map((name) => [stageName(stage), NAMES[name], ...cells(stage.searches[name])]),
    );
    lines.push(...tableLines(['', '', ...header], rows, columns));
  }
  lines.push('', 'share of the answers held in a digest, line by line (all words of it)');
  lines.push(
    ...tableLines(
      ['', '', ...DIGEST_BUDGETS.map((budget) => `${grouped(budget)} CHARS`)],
      report.stages.flatMap((stage) =>
        DIGESTS.map((name) => [
          stageName(stage),
          name,
          ...DIGEST_BUDGETS.map((budget) => {
            const { lines: held, words } = stage.digests[name][budget]!;
            return `${share(held)} (${share(words)})`;
          }),
        ]),
      ),
      columns,
    ),
  );
  lines.push('', 'what is stored');
  lines.push(...tableLines(STORE_HEADER, report.stages.map(storeRow), columns));
  return lines;
}

type Table = [title: string, header: string[], cells: (figures: SearchFigures) => string[]];

const TABLES: readonly Table[] = [
  [
    'evidence found, and answers held, in so many characters',
    [
      'RECALL@5',
      'RECALL@10',
      'ALL@10',
      'MRR',
      ...BUDGETS.map((budget) => `RECALL ${grouped(budget)}`),
      ...BUDGETS.map((budget) => `ANSWER ${grouped(budget)}`),
      'CHARS OF 10',
    ],
    (of) => [
      share(of.recall5),
      share(of.recall10),
      share(of.all10),
      share(of.reciprocalRank),
      ...BUDGETS.map((budget) => share(of.recallWithin[budget])),
      ...BUDGETS.map((budget) => share(of.answerWithin[budget])),
      whole(of.characters10),
    ],
  ],
  [
    'by type: recall@10 / answers in 1,500 characters',
    [
      ...QUESTION_TYPES.filter((type) => type !== 'unanswerable').map((type) => type.toUpperCase()),
      'OUTDATED ABOVE CURRENT',
      'UNANSWERABLE REJECTED',
      'RECALL@10 BY LINEAGE ALONE',
    ],
    (of) => [
      ...QUESTION_TYPES.filter((type) => type !== 'unanswerable').map(
        (type) => `${share(of.byType[type].recall10)} / ${share(of.byType[type].answer1500)}`,
      ),
      share(of.outdatedAbove),
      share(of.rejected),
      share(of.plainRecall10),
    ],
  ],
];

const STORE_HEADER = [
  '',
  'ACTIVE',
  'CHARACTERS',
  'VECTORS',
  'DERIVED',
  'SUPERSEDED',
  'ARCHIVED',
  'DUPLICATES LEFT',
  'LENGTH RATIO',
];

function storeRow(stage: StageFigures): string[] {
  const { store } = stage;
  const duplicates = store.duplicates;
  return [
    stageName(stage),
    grouped(store.memories),
    grouped(store.characters),
    grouped(store.vectors),
    grouped(store.derived),
    grouped(store.superseded),
    grouped(store.archived),
    duplicates === null ? '–' : `${duplicates.left} of ${duplicates.planted}`,
    share(store.lengthRatio),
  ];
}
