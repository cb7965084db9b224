import { sql } from 'drizzle-orm';
import { boolean, check, doublePrecision, integer, primaryKey, text } from 'drizzle-orm/pg-core';
import { instant, slowwave } from './column-types.ts';

/**
 * How fast one model may be asked, by all workers together; made with the first look at it. Of a model to which nobody has objected only
 * the counts move, every few seconds. Everything is reckoned at `counted_at`, on the database's own clock; whoever reads later lets the
 * time between pass.
 */
export const modelRates = slowwave.table(
  'model_rates',
  {
    provider: text('provider').notNull(),
    model: text('model').notNull(),
    /** Calls a minute that are allowed; null: the endpoint has never objected, or not for long. */
    perMinute: doublePrecision('per_minute'),
    /** Calls a minute that a minute of answers adds to it. */
    raiseBy: doublePrecision('raise_by').notNull().default(0),
    /** Calls that may be made at once; below 0: promised to calls that wait. */
    permits: doublePrecision('permits').notNull().default(0),
    /** Calls of the last minute, each counting less and less as it ages. */
    used: doublePrecision('used').notNull().default(0),
    /** Those that the endpoint objected to, since it was last lowered, counted likewise. */
    refused: doublePrecision('refused').notNull().default(0),
    /** What is left of the budget of retries. */
    retryTokens: doublePrecision('retry_tokens').notNull(),
    countedAt: instant('counted_at').notNull(),
    /** No call before this instant: the endpoint asked for it. */
    notBefore: instant('not_before').notNull().default(sql`'-infinity'`),
    /** When it was last lowered. */
    loweredAt: instant('lowered_at'),
  },
  (t) => [
    primaryKey({ columns: [t.provider, t.model] }),
    check(
      'model_rates_amounts',
      sql`coalesce(per_minute, 1) >= 1 and least(raise_by, used, refused, retry_tokens) >= 0`,
    ),
  ],
);

/** What came of the exam of a model as judge, the last time it was taken; by model and version of the exam and of the judge's prompt. */
export const judgeExams = slowwave.table(
  'judge_exams',
  {
    model: text('model').notNull(),
    version: text('version').notNull(),
    passed: boolean('passed').notNull(),
    good: integer('good').notNull(),
    goodAccepted: integer('good_accepted').notNull(),
    unsafe: integer('unsafe').notNull(),
    unsafeAccepted: integer('unsafe_accepted').notNull(),
    takenAt: instant('taken_at').notNull(),
  },
  (t) => [primaryKey({ columns: [t.model, t.version] })],
);
