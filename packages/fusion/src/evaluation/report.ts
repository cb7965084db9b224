import { ANSWERING_CHARS, type AnsweringFigures } from './answering.ts';
import { DIGEST_BUDGETS, type DigestFigures } from './digest.ts';
import type { GroupCounts, GroupFigures } from './groups.ts';
import { QUESTION_TYPES } from './questions.ts';
import { BUDGETS, type SearchFigures } from './score.ts';

/** What is compared: our recall, and three rankings of the same memories that anybody could write. */
export const SEARCHES = ['recall', 'bm25', 'cosine', 'newest'] as const;
export type SearchName = (typeof SEARCHES)[number];
export const DIGESTS = ['newest', 'important', 'random'] as const;
export type DigestName = (typeof DIGESTS)[number];

export const SEARCH_NAMES: Readonly<Record<SearchName, string>> = {
  recall: 'recall',
  bm25: 'plain BM25',
  cosine: 'cosine alone',
  newest: 'newest first',
};

/** What is stored at one point of time, and how well it answers. */
export interface StageFigures {
  /** Simulated nights before it. */
  nights: number;
  store: {
    /** Memories that are neither superseded nor archived, their characters (UTF-16 units) and vectors. */
    memories: number;
    characters: number;
    vectors: number;
    derived: number;
    superseded: number;
    archived: number;
    /** Of the restatements that the set marks: how many still stand beside what they restate. Null: it marks none. */
    duplicates: { planted: number; left: number } | null;
    /** Characters of each derived memory over those of its sources, median; null without one. */
    lengthRatio: number | null;
  };
  searches: Record<SearchName, SearchFigures>;
  /** By the budget in characters. */
  digests: Record<DigestName, Record<string, DigestFigures>>;
  /** How far notes that say the same have come; absent where the set marks none. */
  groups?: GroupFigures | undefined;
  /** How the model answered from what recall brought back; absent where it was not asked. */
  answering?: AnsweringFigures | undefined;
}

/** An evaluation: figures alone, no text of any memory or question. */
export interface EvaluationReport {
  version: 1;
  /** What the files are called, without their folders. */
  files: string[];
  users: number;
  memories: number;
  questions: Record<string, number>;
  model: string;
  embedder: string;
  stages: StageFigures[];
  /** What the nights cost by the ledger, US dollars, and how many runs they took. */
  costDollars: number;
  runs: number;
}

/** A table of an evaluation: the first one or two columns name the row. */
export interface EvaluationTable {
  title: string;
  columns: string[];
  rows: string[][];
}

const share = (value: number | null): string => (value === null ? '–' : value.toFixed(3));
const whole = (value: number | null): string => (value === null ? '–' : String(Math.round(value)));
const grouped = (value: number): string => value.toLocaleString('en-US');

const stageName = ({ nights }: StageFigures): string =>
  nights === 0 ? 'before' : `after ${nights} ${nights === 1 ? 'night' : 'nights'}`;

/** What was evaluated, and what it cost, in two lines. */
export function evaluationSummary(report: EvaluationReport): [string, string] {
  const asked = QUESTION_TYPES.map((type) => `${report.questions[type] ?? 0} ${type}`).join(', ');
  return [
    `${report.users} users, ${grouped(report.memories)} memories, questions: ${asked}`,
    `model ${report.model}, embedder ${report.embedder}; ${report.runs} runs, $${report.costDollars.toFixed(4)} by the ledger`,
  ];
}

/** All figures of an evaluation as tables of text; every share is from 0 to 1. */
export function evaluationTables(report: EvaluationReport): EvaluationTable[] {
  return [
    ...SEARCH_TABLES.map(({ title, columns, cells }) => ({
      title,
      columns: ['', '', ...columns],
      rows: report.stages.flatMap((stage) =>
        SEARCHES.map((name) => [stageName(stage), SEARCH_NAMES[name], ...cells(stage.searches[name])]),
      ),
    })),
    {
      title: 'share of the answers held in a digest, line by line (all words of it)',
      columns: ['', '', ...DIGEST_BUDGETS.map((budget) => `${grouped(budget)} CHARS`)],
      rows: report.stages.flatMap((stage) =>
        DIGESTS.map((name) => [
          stageName(stage),
          name,
          ...DIGEST_BUDGETS.map((budget) => {
            const { lines: held, words } = stage.digests[name][budget]!;
            return `${share(held)} (${share(words)})`;
          }),
        ]),
      ),
    },
    ...answeringTables(report),
    ...groupTables(report),
    { title: 'what is stored', columns: STORE_COLUMNS, rows: report.stages.map(storeRow) },
  ];
}

function answeringTables({ stages }: EvaluationReport): EvaluationTable[] {
  const rows = stages.flatMap((stage) => {
    const { answering } = stage;
    if (!answering) return [];
    const { questions, right, failed, inputTokens, outputTokens } = answering;
    const tokens = `${grouped(inputTokens)} + ${grouped(outputTokens)}`;
    return [[stageName(stage), `${right} of ${questions}`, share(right / questions), String(failed), tokens]];
  });
  if (rows.length === 0) return [];
  const title = `questions that the model answers rightly from ${grouped(ANSWERING_CHARS)} characters, graded by itself`;
  return [{ title, columns: ['', 'RIGHT', 'SHARE', 'WITHOUT A VERDICT', 'TOKENS IN + OUT'], rows }];
}

const GROUP_COLUMNS = ['GROUPS', 'MET IN A WINDOW', 'OFFERED', 'PROPOSED', 'ACCEPTED'];
const groupCells = ({ groups, met, offered, proposed, accepted }: GroupCounts): string[] => [
  String(groups),
  String(met),
  `${offered}${met > 0 ? ` (${Math.round((100 * offered) / met)} % of met)` : ''}`,
  String(proposed),
  String(accepted),
];

function groupTables({ stages }: EvaluationReport): EvaluationTable[] {
  const known = stages.flatMap((stage) =>
    stage.groups && stage.nights > 0 ? [{ name: stageName(stage), groups: stage.groups }] : [],
  );
  if (known.length === 0) return [];
  const each = (count: number, saved: number) => (saved > 0 ? (count / saved).toFixed(1) : '–');
  return [
    {
      title: 'groups of notes that say the same, two of which were together',
      columns: ['', '', ...GROUP_COLUMNS],
      rows: known.flatMap(({ name, groups }) => [
        [name, 'all', ...groupCells(groups)],
        ...Object.entries(groups.byLanguage).map(([language, counts]) => [
          name,
          language,
          ...groupCells(counts),
        ]),
      ]),
    },
    {
      title: 'what fusing took, and what it saved',
      columns: ['', 'REQUESTS', 'TOKENS', 'NOTES SAVED', 'REQUESTS EACH', 'TOKENS EACH', 'REFUSED BY LANE'],
      rows: known.map(({ name, groups: { requests, tokens, saved, refused } }) => [
        name,
        grouped(requests),
        grouped(tokens),
        grouped(saved),
        each(requests, saved),
        each(tokens, saved),
        Object.entries(refused)
          .map(([lane, count]) => `${lane} ${count}`)
          .join(', ') || '–',
      ]),
    },
  ];
}

const ANSWERABLE = QUESTION_TYPES.filter((type) => type !== 'unanswerable');

const SEARCH_TABLES: readonly {
  title: string;
  columns: string[];
  cells: (figures: SearchFigures) => string[];
}[] = [
  {
    title: 'evidence found, and answers held, in so many characters',
    columns: [
      'RECALL@5',
      'RECALL@10',
      'ALL@10',
      'MRR',
      ...BUDGETS.map((budget) => `RECALL ${grouped(budget)}`),
      ...BUDGETS.map((budget) => `ANSWER ${grouped(budget)}`),
      'CHARS OF 10',
    ],
    cells: (of) => [
      share(of.recall5),
      share(of.recall10),
      share(of.all10),
      share(of.reciprocalRank),
      ...BUDGETS.map((budget) => share(of.recallWithin[budget])),
      ...BUDGETS.map((budget) => share(of.answerWithin[budget])),
      whole(of.characters10),
    ],
  },
  {
    title: 'by type: recall@10 / answers in 1,500 characters',
    columns: [
      ...ANSWERABLE.map((type) => type.toUpperCase()),
      'OUTDATED ABOVE CURRENT',
      'UNANSWERABLE REJECTED',
      'RECALL@10 BY LINEAGE ALONE',
    ],
    cells: (of) => [
      ...ANSWERABLE.map(
        (type) => `${share(of.byType[type].recall10)} / ${share(of.byType[type].answer1500)}`,
      ),
      share(of.outdatedAbove),
      share(of.rejected),
      share(of.plainRecall10),
    ],
  },
];

const STORE_COLUMNS = [
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
