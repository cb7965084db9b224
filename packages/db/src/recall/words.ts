import { sql } from 'drizzle-orm';
import type { Transaction } from '../database.ts';

/** A word of a question, in all the forms under which a memory may have it. */
export type QuestionWord = readonly string[];

/** Words of a question that are looked for; what a question holds beyond them is found by vector alone. */
const WORDS_MAX = 32;

/** The words of a question as the database reads them, in order, without those that only hold a sentence together. */
export async function questionWords(tx: Transaction, question: string): Promise<QuestionWord[]> {
  const rows = await tx.rows<{ lexemes: string[] }>(
    sql`select lexemes from slowwave.recall_terms(${question}) limit ${WORDS_MAX}`,
  );
  return rows.map(({ lexemes }) => lexemes);
}
