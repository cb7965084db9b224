import { sql } from 'drizzle-orm';
import type { Transaction } from '../database.ts';
import { owned } from '../fusions/scope.ts';
import type { Plan } from './plan.ts';
import type { Owner } from './reach.ts';
import { mayContain } from './said.ts';
import type { Mentions } from './types.ts';

interface Text {
  kind: Exclude<keyof Mentions, 'documents'>;
  id: string;
  text: string;
}

/** What is left that holds one of the texts, for a person to look at: memories of their own, items and goals. */
export async function listMentions(tx: Transaction, of: Owner, { matcher }: Plan): Promise<Mentions> {
  const may = (column: string) => mayContain(column, matcher.anchors);
  const found = await tx.rows<Text>(sql`
    select 'memories' as kind, m.id, t.text from slowwave.memories m
    cross join lateral (values (m.content), (m.source_chunk), (nullif(m.metadata::text, '{}'))) as t(text)
    where ${owned(of, 'm')} and t.text is not null and ${may('t.text')}
    union all
    select 'memories', c.id, t.text from slowwave.cold_memories c
    cross join lateral (values (c.memory->>'content'), (c.memory->>'source_chunk'), (nullif(c.memory->>'metadata', '{}')))
      as t(text)
    where ${owned(of, 'c')} and t.text is not null and ${may('t.text')}
    union all
    select 'scheduledItems', i.id, t.text from slowwave.scheduled_items i
    cross join lateral (values (i.content), (i.recurrence)) as t(text)
    where ${owned(of, 'i')} and t.text is not null and ${may('t.text')}
    union all
    select 'goals', g.id, g.title from slowwave.goals g where ${owned(of, 'g')} and ${may('g.title')}`);
  const mentions: Mentions = { memories: [], scheduledItems: [], goals: [] };
  for (const { kind, id, text } of found) {
    if (!mentions[kind].includes(id) && matcher.contains(text)) mentions[kind].push(id);
  }
  return mentions;
}

/** Conflicts whose words, a model's, hold one of the texts. */
export async function listQuotingConflicts(tx: Transaction, of: Owner, { matcher }: Plan): Promise<string[]> {
  const rows = await tx.rows<{ id: string; text: string }>(sql`
    select c.id, t.text from slowwave.conflicts c
    cross join lateral (values (c.slot), (c.description), (c.resolution)) as t(text)
    where ${owned(of, 'c')} and t.text is not null and ${mayContain('t.text', matcher.anchors)}`);
  return [...new Set(rows.filter(({ text }) => matcher.contains(text)).map(({ id }) => id))];
}
