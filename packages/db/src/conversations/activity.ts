import type { DayActivity } from '@slowwave/fusion';
import { sql } from 'drizzle-orm';
import type { Transaction } from '../database.ts';
import { owned } from '../fusions/scope.ts';
import { instantOf, msOf } from '../instants.ts';
import { anyRow, type Question } from '../questions.ts';

const HOURS_OF_DAY = 24;

interface DayRow extends Omit<DayActivity, 'hours'> {
  /** Messages by local hour, hours without any left out. */
  byHour: Record<string, number>;
}

/** Whether a user said anything since behaviour was last inferred, up to `at` (epoch ms). */
export function askActivity(of: { tenant: string; user: string; at: number }): Question<boolean> {
  const through = sql`(select p.behaviour_through from slowwave.user_profiles p where ${owned(of, 'p')})`;
  return anyRow(sql`
    select 1 from slowwave.messages
    where ${owned(of)} and role = 'user' and said_at <= ${instantOf(of.at)} and said_at > coalesce(${through}, '-infinity')`);
}

/**
 * What a user said, by days of the user's own clocks, earliest first; days without a word are left out. Only messages of role 'user'
 * count, and topics are those of the summaries of the sessions they were said in.
 * @param input.timezone an IANA name; one that the database does not know is a DatabaseError `invalid_text`
 * @param input.since epoch ms, exclusive; null: from the first message on
 * @param input.at epoch ms, inclusive
 */
export async function readActivity(
  tx: Transaction,
  input: { tenant: string; user: string; timezone: string; since: number | null; at: number },
): Promise<DayActivity[]> {
  const days = await tx.rows<DayRow>(sql`
    with said as (
      select session_id, said_at, (said_at at time zone ${input.timezone}) as local, length(content) as characters,
        -- A question mark at the end or before a space: one inside an address is none.
        content ~ '[?？](\\s|$)' as question
      from slowwave.messages
      where ${owned(input)} and role = 'user' and said_at <= ${instantOf(input.at)}
        and said_at > coalesce(${instantOf(input.since)}, '-infinity')
    ), hourly as (
      select local::date as day, date_part('hour', local)::int as hour, count(*)::int as messages,
        sum(characters) as characters, count(*) filter (where question) as questions, max(said_at) as last
      from said group by 1, 2
    ), topical as (
      select held.day, jsonb_agg(distinct topic order by topic) as topics
      from (select distinct local::date as day, session_id from said) held
        join slowwave.session_summaries s on ${owned(input, 's')} and s.session_id = held.session_id
        cross join lateral jsonb_array_elements_text(s.topics) as t(topic)
      group by held.day
    )
    select to_char(h.day, 'YYYY-MM-DD') as day, sum(h.messages)::int as messages, sum(h.characters)::float8 as characters,
      sum(h.questions)::int as questions, jsonb_object_agg(h.hour, h.messages) as "byHour", ${msOf('max(h.last)')} as at,
      coalesce((select topics from topical where topical.day = h.day), '[]') as topics
    from hourly h
    group by h.day
    order by h.day`);
  return days.map(({ byHour, ...day }) => ({
    ...day,
    hours: Array.from({ length: HOURS_OF_DAY }, (_, hour) => byHour[hour] ?? 0),
  }));
}
