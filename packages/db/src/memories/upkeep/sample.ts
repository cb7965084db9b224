import type { DecayParams } from '@slowwave/fusion';
import { sql } from 'drizzle-orm';
import type { Transaction } from '../../database.ts';
import { owned } from '../../fusions/scope.ts';
import { msOf } from '../../instants.ts';
import { allRows, ask, mapped, type Question } from '../../questions.ts';
import { prominenceOf } from '../candidates.ts';

/** A memory's parameters beside what the database makes of them. */
export interface DecaySample extends DecayParams {
  id: string;
  /** At the instant asked for, by the formula in SQL. */
  prominence: number;
  /** The stored crossings of CROSSING_THRESHOLDS, in their order, as `crossingTime` gives them: null for never, -Infinity for always below. */
  crossings: (number | null)[];
}

/** Infinity is a word in JSON. */
type Crossing = number | 'Infinity' | '-Infinity';
type SampleRow = Omit<DecaySample, 'crossings'> &
  Record<'below080' | 'below050' | 'below010' | 'below005', Crossing>;

function crossingOf(stored: Crossing): number | null {
  const at = Number(stored);
  return at === Number.POSITIVE_INFINITY ? null : at;
}

/**
 * Some of a user's memories, superseded ones too, for comparing the formula in SQL with the other one. Which ones follows from `at`
 * (epoch ms): the same ones when asked again, other ones at another time.
 */
export function sampleDecay(
  tx: Transaction,
  input: { tenant: string; user: string; at: number; limit: number },
): Promise<DecaySample[]> {
  return ask(tx, askSample(input));
}

/** As sampleDecay. */
export function askSample(input: {
  tenant: string;
  user: string;
  at: number;
  limit: number;
}): Question<DecaySample[]> {
  const rows = allRows<SampleRow>(sql`
    select m.id, m.category, m.memory_type as "memoryType", m.importance, m.confirmations, m.peak,
      ${msOf('m.anchor_at')} as "anchorAt", m.demotion, ${prominenceOf(input.at)} as prominence,
      ${msOf('m.crosses_080_at')} as "below080", ${msOf('m.crosses_050_at')} as "below050",
      ${msOf('m.crosses_010_at')} as "below010", ${msOf('m.crosses_005_at')} as "below005"
    from slowwave.memories m
    where ${owned(input, 'm')}
    order by hashtextextended(m.id::text, ${Math.trunc(input.at)}::bigint), m.id
    limit ${input.limit}`);
  return mapped(rows, (found) =>
    found.map(({ below080, below050, below010, below005, ...sample }) => ({
      ...sample,
      crossings: [below080, below050, below010, below005].map(crossingOf),
    })),
  );
}
