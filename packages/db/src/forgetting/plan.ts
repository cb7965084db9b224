import { sql } from 'drizzle-orm';
import type { Transaction } from '../database.ts';
import { owned } from '../fusions/scope.ts';
import { addressed, uuidOrNull } from '../memories/addressed.ts';
import { listEarlierWordings } from './earlier-wordings.ts';
import {
  extendReach,
  findReach,
  listInsights,
  listStatementsBeside,
  type Owner,
  type Reach,
} from './reach.ts';
import { findSaid, type Said } from './said.ts';
import { type ForgetInput, ForgetRefused, type ForgetWhy } from './types.ts';
import { createMatcher, type Matcher } from './words.ts';

/** A target other than a whole user. */
export type PartTarget = Exclude<ForgetInput['target'], { user: true }>;

/** Everything that goes and everything that is touched, before anything is. */
export interface Plan extends Said {
  reach: Reach;
  matcher: Matcher;
  /** The session that goes as a whole, if one was named. */
  leaving: Set<string>;
}

/**
 * Finds what a target reaches; reads only.
 * @throws ForgetRefused `unknown_memory`, `unknown_session`
 */
export async function makePlan(tx: Transaction, of: Owner, target: PartTarget): Promise<Plan> {
  const start =
    'memory' in target ? await startAt(tx, of, target.memory) : await startIn(tx, of, target.session);
  const leaving = new Set('session' in target ? [target.session] : []);
  const reach = await findReach(tx, of, start);
  // A note that was put otherwise by hand said the same before: it must not stand for itself again.
  const wordings = await listEarlierWordings(tx, of, reach.why.keys());
  await extendReach(tx, of, reach, new Map(wordings.map((id) => [id, 'duplicate'])));
  const matcher = createMatcher(reach.texts);
  const beside = await listStatementsBeside(tx, of, reach.keys);
  const saying = beside.filter(({ content }) => matcher.says(content)).map(({ id }) => id);
  await extendReach(tx, of, reach, new Map(saying.map((id) => [id, 'derived'])));
  const said = await findSaid(tx, of, matcher, { own: reach.sessions, leaving });
  // What was thought about a conversation may hold any of it.
  const insights = await listInsights(tx, of, new Set([...said.touched, ...leaving]));
  await extendReach(tx, of, reach, new Map(insights.map((id) => [id, 'derived'])));
  return { reach, matcher, leaving, ...said };
}

async function startAt(tx: Transaction, of: Owner, id: string): Promise<Map<string, ForgetWhy>> {
  const [row] = await tx.rows<{ id: string | null }>(sql`
    select coalesce(${addressed({ ...of, id })}, (
      select c.id from slowwave.cold_memories c
      where ${owned(of, 'c')} and (c.id = ${uuidOrNull(id)}::uuid or c.memory->>'external_id' = ${id})
      order by c.id = ${uuidOrNull(id)}::uuid desc nulls last limit 1)) as id`);
  if (!row?.id) {
    throw new ForgetRefused(
      'unknown_memory',
      id,
      'there is no such memory of this user; it may have been forgotten before',
    );
  }
  return new Map([[row.id, 'asked']]);
}

async function startIn(tx: Transaction, of: Owner, session: string): Promise<Map<string, ForgetWhy>> {
  const rows = await tx.rows<{ id: string | null }>(sql`
    select m.id from slowwave.memories m where ${owned(of, 'm')} and m.session = ${session}
    union all
    select c.id from slowwave.cold_memories c where ${owned(of, 'c')} and c.memory->>'session' = ${session}
    union all
    select null from slowwave.sessions s where ${owned(of, 's')} and s.id = ${session}`);
  if (rows.length === 0)
    throw new ForgetRefused('unknown_session', session, 'there is no such session of this user');
  return new Map(rows.flatMap(({ id }) => (id === null ? [] : [[id, 'session'] as const])));
}
