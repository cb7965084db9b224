import type { RunStatus, Tier } from '@slowwave/fusion';
import { sql } from 'drizzle-orm';
import type { Transaction } from '../database.ts';
import { instantOf, msOf } from '../instants.ts';
import type { RunReport, RunWhy } from '../scheduling/run-records.ts';

/** Runs of one tier that are shown of one day (UTC) at most, the newest ones. */
export const RUNS_PER_DAY_SHOWN = 12;

/** A run as a timeline shows it. Instants in epoch ms. */
export interface TimelineRun {
  id: string;
  tier: Tier;
  why: RunWhy;
  status: RunStatus;
  preview: boolean;
  requestedAt: number;
  startedAt: number | null;
  finishedAt: number | null;
  errorCode: string | null;
  /** Absent of light, which changes nothing that people look for. */
  report: RunReport | null;
}

/** A user's runs of some days, newest first, and how many there were by tier. */
export async function readTimeline(
  tx: Transaction,
  of: { tenant: string; user: string; since: number },
): Promise<{ runs: TimelineRun[]; counts: Partial<Record<Tier, number>> }> {
  const rows = await tx.rows<TimelineRun & { total: number }>(sql`
    select * from (
      select r.id, r.tier, r.why, r.status, r.preview, ${msOf('r.requested_at')} as "requestedAt",
        ${msOf('r.started_at')} as "startedAt", ${msOf('r.finished_at')} as "finishedAt", r.error_code as "errorCode",
        case when r.tier <> 'light' then r.report end as report,
        row_number() over (partition by r.tier, date_trunc('day', r.requested_at, 'UTC') order by r.requested_at desc, r.id desc) as place,
        (count(*) over (partition by r.tier))::int as total
      from slowwave.runs r
      where r.tenant = ${of.tenant} and r.user_id = ${of.user} and r.requested_at >= ${instantOf(of.since)}
    ) found
    where place <= ${RUNS_PER_DAY_SHOWN}
    order by "requestedAt" desc, id desc`);
  const counts: Partial<Record<Tier, number>> = {};
  for (const { tier, total } of rows) counts[tier] = total;
  return { runs: rows, counts };
}
