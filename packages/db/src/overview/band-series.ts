import { sql } from 'drizzle-orm';
import type { Transaction } from '../database.ts';
import { instantOf, msOf } from '../instants.ts';

/** Points that one series has at most, in either direction. */
export const BAND_POINTS_MAX = 120;

/** Memories of a user that count (latest, not archived), by band of prominence at an instant. */
export interface BandPoint {
  /** Epoch ms. */
  at: number;
  active: number;
  dormant: number;
  faded: number;
}

export interface BandSeries {
  /** As runs counted them at their time, one point a day (UTC) at most, the oldest first. */
  counted: BandPoint[];
  /** What time alone will do from now on, unless something is written: exact, from the crossings that stand with each memory. */
  ahead: BandPoint[];
}

/**
 * Reads how a user's memories faded and will fade, in one statement.
 * @param of.since counted from here on, epoch ms
 * @param of.at the first point ahead, epoch ms
 * @param of.until the last point ahead, epoch ms
 * @param of.points how many ahead, 2 to BAND_POINTS_MAX
 */
export async function readBandSeries(
  tx: Transaction,
  of: { tenant: string; user: string; since: number; at: number; until: number; points: number },
): Promise<BandSeries> {
  const points = Math.max(2, Math.min(BAND_POINTS_MAX, Math.floor(of.points)));
  const stepMs = (of.until - of.at) / (points - 1);
  const [row] = await tx.rows<BandSeries>(sql`
    with memories as materialized (
      select crosses_050_at as below_active, crosses_010_at as below_dormant, expires_at from slowwave.memories
      where tenant = ${of.tenant} and user_id = ${of.user} and is_latest and archived_at is null
    ), moments as (
      select ${instantOf(of.at)} + n * (${stepMs}::float8 * interval '1 millisecond') as moment from generate_series(0, ${points - 1}::int) n
    ), ahead as (
      select g.moment, count(*) filter (where m.below_active >= g.moment)::int as active,
        count(*) filter (where m.below_active < g.moment and m.below_dormant >= g.moment)::int as dormant,
        count(*) filter (where m.below_dormant < g.moment)::int as faded
      from moments g left join memories m on m.expires_at is null or m.expires_at > g.moment
      group by g.moment
    ), counted as (
      select distinct on (date_trunc('day', r.finished_at, 'UTC')) r.finished_at as moment, s.step->'counts' as counts
      from slowwave.runs r cross join lateral jsonb_array_elements(
        case when jsonb_typeof(r.report->'steps') = 'array' then r.report->'steps' else '[]' end) s(step)
      where r.tenant = ${of.tenant} and r.user_id = ${of.user} and r.requested_at >= ${instantOf(of.since)}
        and r.finished_at <= ${instantOf(of.at)} and not r.preview
        and s.step->>'step' = 'health' and s.step->>'status' = 'done'
      order by date_trunc('day', r.finished_at, 'UTC') desc, r.finished_at desc
      limit ${BAND_POINTS_MAX}
    )
    select (select coalesce(jsonb_agg(jsonb_build_object('at', ${msOf('moment')}, 'active', (counts->>'active')::int,
        'dormant', (counts->>'dormant')::int, 'faded', (counts->>'faded')::int) order by moment), '[]') from counted) as counted,
      (select coalesce(jsonb_agg(jsonb_build_object('at', ${msOf('moment')}, 'active', active, 'dormant', dormant, 'faded', faded)
        order by moment), '[]') from ahead) as ahead`);
  return row!;
}
