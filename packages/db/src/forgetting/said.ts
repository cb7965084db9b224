import { type SQL, sql } from 'drizzle-orm';
import { nameArray } from '../arrays.ts';
import type { Transaction } from '../database.ts';
import { owned } from '../fusions/scope.ts';
import type { Owner } from './reach.ts';
import { foldText, type Matcher } from './words.ts';

const PAGE = 2_000;

/** What was said, and where. */
export interface Said {
  /** Messages that go, of sessions that stay. */
  messages: { sessionId: string; position: number }[];
  /** Sessions that stay and lost messages, or whose summary says it: what was made of them is made anew. */
  touched: Set<string>;
  /** Questions that go. */
  recallEvents: string[];
}

/**
 * A first look at a text column: whatever holds one of the texts passes, and much else does not. Texts of other letters than plain ones
 * always pass, since one character of theirs may stand for several.
 */
export function mayContain(column: string, anchors: Matcher['anchors']): SQL {
  if (anchors.length === 0) return sql`false`;
  if (anchors.includes(null)) return sql`true`;
  const text = sql.raw(column);
  const patterns = nameArray([...new Set(anchors)].map((anchor) => `%${anchor}%`));
  return sql`(${text} ilike any(${patterns}) or octet_length(${text}) <> char_length(${text}))`;
}

/**
 * Finds where it was said: in its own sessions whatever says the same, in other sessions and in questions what holds its words. Pages
 * through the candidates, so that a long history is never held whole.
 * @param own sessions in which the memories were said
 * @param leaving sessions that go as a whole, and are not looked through
 */
export async function findSaid(
  tx: Transaction,
  of: Owner,
  matcher: Matcher,
  sessions: { own: ReadonlySet<string>; leaving: ReadonlySet<string> },
): Promise<Said> {
  const { own, leaving } = sessions;
  const messages = await findMessages(tx, of, matcher, sessions);
  const summarised = await findSummaries(tx, of, matcher, own);
  const touched = new Set([...messages.map(({ sessionId }) => sessionId), ...summarised]);
  for (const session of leaving) touched.delete(session);
  return { messages, touched, recallEvents: await findQuestions(tx, of, matcher) };
}

async function findMessages(
  tx: Transaction,
  of: Owner,
  matcher: Matcher,
  { own, leaving }: { own: ReadonlySet<string>; leaving: ReadonlySet<string> },
): Promise<Said['messages']> {
  const found: Said['messages'] = [];
  let last = { sessionId: '', position: 0 };
  for (;;) {
    const page = await tx.rows<{ sessionId: string; position: number; content: string }>(sql`
      select m.session_id as "sessionId", m.position, m.content from slowwave.messages m
      where ${owned(of, 'm')} and (m.session_id, m.position) > (${last.sessionId}, ${last.position}::int)
        and m.session_id <> all(${nameArray(leaving)})
        and (m.session_id = any(${nameArray(own)}) or ${mayContain('m.content', matcher.anchors)})
      order by m.session_id, m.position
      limit ${PAGE}`);
    for (const { sessionId, position, content } of page) {
      const goes = own.has(sessionId) ? matcher.says(content) : matcher.contains(content);
      if (goes) found.push({ sessionId, position });
    }
    const end = page.at(-1);
    if (!end || page.length < PAGE) return found;
    last = { sessionId: end.sessionId, position: end.position };
  }
}

async function findSummaries(
  tx: Transaction,
  of: Owner,
  matcher: Matcher,
  own: ReadonlySet<string>,
): Promise<string[]> {
  const rows = await tx.rows<{ sessionId: string; summary: string; topics: string[] }>(sql`
    select s.session_id as "sessionId", s.summary, s.topics from slowwave.session_summaries s
    where ${owned(of, 's')} and (s.session_id = any(${nameArray(own)}) or ${mayContain('s.summary', matcher.anchors)}
      or ${mayContain('s.topics::text', matcher.anchors)})`);
  return rows
    .filter(({ sessionId, summary, topics }) =>
      [summary, ...topics].some((text) => (own.has(sessionId) ? matcher.says(text) : matcher.contains(text))),
    )
    .map(({ sessionId }) => sessionId);
}

/** Questions that hold the text, or are a part of it. */
async function findQuestions(tx: Transaction, of: Owner, matcher: Matcher): Promise<string[]> {
  const found: string[] = [];
  let last = '00000000-0000-0000-0000-000000000000';
  if (matcher.anchors.length === 0) return found;
  for (;;) {
    const page = await tx.rows<{ id: string; query: string }>(sql`
      select e.id, e.query from slowwave.recall_events e
      where ${owned(of, 'e')} and e.id > ${last}::uuid
      order by e.id
      limit ${PAGE}`);
    for (const { id, query } of page) {
      if (matcher.contains(query) || (foldText(query) !== '' && matcher.isPart(query))) found.push(id);
    }
    const end = page.at(-1);
    if (!end || page.length < PAGE) return found;
    last = end.id;
  }
}
