import { type SQL, sql } from 'drizzle-orm';
import type { Transaction } from './database.ts';

/** Something to read that stands in one value, so that many of them are read in one statement. */
export interface Question<Answer> {
  /** An expression of type json. */
  value: SQL;
  /** What is made of the value. */
  read(value: unknown): Answer;
}

/** The one row of a query, null when it has none. Instants and numbers in it are what the query makes of them, save that infinity is a word. */
export function oneRow<Row extends object>(query: SQL): Question<Row | null> {
  return { value: sql`(select to_json(one) from (${query}) one)`, read: (value) => value as Row | null };
}

/** The one row of a query that always has one. */
export function theRow<Row extends object>(query: SQL): Question<Row> {
  return oneRow<Row>(query) as Question<Row>;
}

/** All rows of a query, in its order. */
export function allRows<Row extends object>(query: SQL): Question<Row[]> {
  return {
    value: sql`(select coalesce(json_agg(each), '[]') from (${query}) each)`,
    read: (value) => value as Row[],
  };
}

/** Whether a query has a row. It ends at the first one. */
export function anyRow(query: SQL): Question<boolean> {
  return { value: sql`to_json(exists (${query}))`, read: (value) => value as boolean };
}

/** What needs not be asked. */
export function given<Answer>(answer: Answer): Question<Answer> {
  return { value: sql`null::json`, read: () => answer };
}

/** An answer with something made of it. */
export function mapped<From, To>(question: Question<From>, map: (from: From) => To): Question<To> {
  return { value: question.value, read: (value) => map(question.read(value)) };
}

/** The answers by the names of their questions. */
export type Answers<Questions extends Record<string, Question<unknown>>> = {
  [Name in keyof Questions]: Questions[Name] extends Question<infer Answer> ? Answer : never;
};

/** Asks everything in one statement. One question that the database refuses fails them all. */
export async function askAll<Questions extends Record<string, Question<unknown>>>(
  tx: Transaction,
  questions: Questions,
): Promise<Answers<Questions>> {
  const names = Object.keys(questions);
  const values = names.map((name, i) => sql`${questions[name]!.value} as ${sql.raw(`a${i}`)}`);
  const [row] = await tx.rows<Record<string, unknown>>(sql`select ${sql.join(values, sql`, `)}`);
  return Object.fromEntries(
    names.map((name, i) => [name, questions[name]!.read(row![`a${i}`])]),
  ) as Answers<Questions>;
}

/** Asks one question alone. */
export async function ask<Answer>(tx: Transaction, question: Question<Answer>): Promise<Answer> {
  return (await askAll(tx, { question })).question;
}
