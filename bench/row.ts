/** What one row of the benchmark is: a measure, what it is measured against, its goal, and how to run it. */

/**
 * A ratio is baseline time over ours, so more is better; `times` is our time over the baseline's, and a `most` a figure of ours alone, so
 * less is better.
 */
export type Goal =
  | { kind: 'ratio'; atLeast: number }
  | { kind: 'times'; atMost: number }
  | { kind: 'most'; value: number; unit: string };

/** A median and the range it comes from. */
export interface Ratio {
  median: number;
  from: number;
  to: number;
}

/** Wall times in ms, one a round and side, in the order of the rounds. The ratio is baseline over ours, round by round. */
export interface Compared {
  baselineMs: number[];
  oursMs: number[];
  ratio: Ratio;
}

/** Two ways to do the same. Each call does the whole work anew. */
export interface Sides<T> {
  baseline(): Promise<T>;
  ours(): Promise<T>;
  /** Throws when the two results are not the same. */
  equal(baseline: T, ours: T): void;
}

export interface BenchContext {
  /** Small data, so that all rows together take a few minutes: figures to look at, not to quote. */
  quick: boolean;
  seed: number;
  /** Interleaved rounds of each comparison. */
  rounds: number;
  /** A line of progress, to standard error. */
  say(line: string): void;
  /** A PostgreSQL server with pgvector (make a database of your own on it and drop it) and a Redis. */
  servers: { databaseUrl: string; redisUrl: string };
  /** Seeded, from 0 up to 1. Each row has its own sequence, so that leaving out a row changes no other. */
  random(): number;
  /** Runs both sides once and insists on equality, then times them in rounds whose order alternates. */
  compare<T>(name: string, sides: Sides<T>): Promise<Compared>;
}

/** A printed line. Figures are text with their unit: `12.3 ms`. */
export interface RowResult {
  name: string;
  baseline: string | null;
  ours: string;
  ratio?: Ratio;
  /** Null: a figure to compare with, which has no goal of its own. */
  met: boolean | null;
  /** What a reader must know to judge the figure, in one sentence. */
  note?: string;
}

/** A line of the table of goals. */
export interface RowGoal {
  /** 'P3': the number of the goal. */
  id: string;
  measure: string;
  against: string;
  goal: Goal;
}

export interface Row extends RowGoal {
  /** Prepares its data, measures, and cleans up after itself. At least one result. */
  run(bench: BenchContext): Promise<RowResult[]>;
}

/** The verdict on a figure, in a word. */
export const verdictOf = ({ met }: Pick<RowResult, 'met'>): string =>
  met === null ? '' : met ? 'met' : 'missed';
