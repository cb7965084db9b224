import type { LearnedFrom } from '@slowwave/fusion';
import { sql } from 'drizzle-orm';
import type { Transaction } from '../database.ts';
import { instantOf, msOf } from '../instants.ts';

interface Span {
  tenant: string;
  user: string;
  /** Exclusive, epoch ms. */
  from: number;
  /** Inclusive, epoch ms. */
  to: number;
  limit: number;
}

/** A memory that fell below a band. */
export interface FadedMemory {
  id: string;
  content: string;
  /** 0.5 or 0.1. */
  threshold: number;
  /** Epoch ms. */
  at: number;
}

/** Latest memories that fell below 0.5 or 0.1 in a span of time, in the order in which they did. */
export function listFaded(tx: Transaction, input: Span): Promise<FadedMemory[]> {
  const within = (column: string) =>
    sql`${sql.raw(column)} > ${instantOf(input.from)} and ${sql.raw(column)} <= ${instantOf(input.to)}`;
  const mine = sql`m.tenant = ${input.tenant} and m.user_id = ${input.user} and m.is_latest`;
  return tx.rows(sql`
    select id, content, threshold, ${msOf('at')} as at from (
      select m.id, m.content, 0.5::float8 as threshold, m.crosses_050_at as at from slowwave.memories m
      where ${mine} and ${within('m.crosses_050_at')}
      union all
      select m.id, m.content, 0.1::float8, m.crosses_010_at from slowwave.memories m
      where ${mine} and ${within('m.crosses_010_at')}
    ) crossed order by crossed.at, id, threshold limit ${input.limit}`);
}

/** A memory that a tier wrote. */
export interface LearnedMemory {
  id: string;
  content: string;
  category: string;
  /** Epoch ms. */
  createdAt: number;
}

/** Latest memories that were learned in a way, created in a span of time, oldest first. */
export function listLearned(
  tx: Transaction,
  input: Span & { learnedFrom: LearnedFrom },
): Promise<LearnedMemory[]> {
  return tx.rows(sql`
    select m.id, m.content, m.category, ${msOf('m.created_at')} as "createdAt" from slowwave.memories m
    where m.tenant = ${input.tenant} and m.user_id = ${input.user} and m.is_latest and m.learned_from = ${input.learnedFrom}
      and m.created_at > ${instantOf(input.from)} and m.created_at <= ${instantOf(input.to)}
    order by m.created_at, m.id limit ${input.limit}`);
}

/** A connection that REM thinks of. */
export interface Hypothesis {
  sourceId: string;
  targetId: string;
  source: string;
  target: string;
  explanation: string;
  /** As it was when it was made, 0 to 1. */
  confidence: number;
  /** Epoch ms. */
  createdAt: number;
}

/** Hypotheses made in a span of time, the surest first. */
export function listHypotheses(tx: Transaction, input: Span): Promise<Hypothesis[]> {
  return tx.rows(sql`
    select r.source_id as "sourceId", r.target_id as "targetId", s.content as source, t.content as target,
      coalesce(r.explanation, '') as explanation, r.confidence, ${msOf('r.created_at')} as "createdAt"
    from slowwave.relations r
      join slowwave.memories s on s.tenant = r.tenant and s.user_id = r.user_id and s.id = r.source_id
      join slowwave.memories t on t.tenant = r.tenant and t.user_id = r.user_id and t.id = r.target_id
    where r.tenant = ${input.tenant} and r.user_id = ${input.user} and r.hypothesis
      and r.created_at > ${instantOf(input.from)} and r.created_at <= ${instantOf(input.to)}
    order by r.confidence desc, r.created_at, r.source_id, r.target_id limit ${input.limit}`);
}
