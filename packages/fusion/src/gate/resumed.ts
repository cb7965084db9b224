import type { Statement } from './unit.ts';

/** So many clauses may stand between a subject and its verb. */
const MAX_BETWEEN = 3;
const RELATIVE = new Set(['who', 'which', 'whose', 'where']);
const ARTICLES = new Set(['the', 'a', 'an', 'my', 'his', 'her', 'their', 'our', 'its', 'user', '']);

/**
 * Joins what an apposition or a relative clause parts: "the team, the Harriers, beat them" is one statement with its subject's other name in
 * between.
 *
 * @param opensWithVerb clauses whose first word is a verb.
 */
export function joinResumed(statement: Statement, opensWithVerb: ReadonlySet<number>): void {
  const { openings, sentenceOf } = statement;
  const verbal = statement.verbalClauses as Set<number>;
  const past = statement.pastClauses as Set<number>;
  const firsts = new Map<number, number>();
  for (const [clause, sentence] of sentenceOf)
    firsts.set(sentence, Math.min(clause, firsts.get(sentence) ?? clause));
  for (const from of opensWithVerb) {
    const head = firsts.get(sentenceOf.get(from) ?? -1);
    if (head === undefined || verbal.has(head) || from - head < 2 || from - head > MAX_BETWEEN + 1) continue;
    const aside = openings.get(head + 1) ?? '-';
    const counted = statement.units.some(({ clause, kind }) => clause === head + 1 && kind === 'number');
    if (!RELATIVE.has(aside) && (verbal.has(head + 1) || !(ARTICLES.has(aside) || counted))) continue;
    for (const list of [statement.units, statement.pronouns, statement.userAt]) {
      for (const one of list) if (one.clause === from) one.clause = head;
    }
    for (const clauses of [verbal, past]) if (clauses.delete(from)) clauses.add(head);
    verbal.add(head);
    for (let clause = head + 1; clause < from; clause += 1)
      (statement.asides as Map<number, number>).set(clause, head);
    openings.delete(from);
    sentenceOf.delete(from);
  }
}
