import {
  DEEP_INTERVAL_MS,
  nextDeepDue,
  nextSleepDue,
  SLEEP_MIN_GAP_MS,
  type StartedRun,
  userHashOf,
  type Workspace,
} from '@slowwave/db';
import type { Tier } from '@slowwave/fusion';
import type { TierQuestion } from './look.ts';
import { CROSSINGS, ITEMS, WORKSPACES } from './questions.ts';
import type { RunContext } from './run-steps.ts';

/** What the end of a run asks of its look. */
export function questionsOfEnd(tier: Tier): readonly TierQuestion<unknown>[] {
  return tier === 'light' ? [CROSSINGS, ITEMS, WORKSPACES] : [];
}

/**
 * When this tier of this user is due again after a success, epoch ms; Infinity when nothing lies ahead. What a budget left undone is due
 * once the budget is whole again: for a night's work that is in the quiet hours, this night's if they last so long.
 */
export async function nextDue(run: RunContext, started: StartedRun): Promise<number> {
  const refusal = run.spending?.refusal() ?? null;
  const due = await dueBySchedule(run, started);
  if (refusal === null) return due;
  const { renewsAt } = refusal;
  return Math.min(
    due,
    run.tier !== 'sleep' ? renewsAt : nextSleep(run, started, renewsAt - SLEEP_MIN_GAP_MS),
  );
}

/** @param lastSuccess from when on the user counts as rested again after SLEEP_MIN_GAP_MS, epoch ms */
function nextSleep({ tenant, user, at }: RunContext, started: StartedRun, lastSuccess: number): number {
  const { timezone, quietStart, quietEnd } = started;
  const userHash = userHashOf(tenant, user);
  return nextSleepDue({ timezone, quietStart, quietEnd, userHash, after: at, lastSuccess });
}

async function dueBySchedule(run: RunContext, started: StartedRun): Promise<number> {
  const { tier, at, look } = run;
  if (tier === 'deep')
    return nextDeepDue(Number.isFinite(started.dueAt) ? started.dueAt : at - DEEP_INTERVAL_MS, at);
  if (tier === 'sleep') return nextSleep(run, started, at);
  // Light comes when a memory crosses a band or expires, an item has waited too long, or insights are due; nothing else wakes it.
  const times = [
    (await look.seen(CROSSINGS)).nextAt,
    (await look.seen(ITEMS)).nextExpiry,
    nextInsights(await look.seen(WORKSPACES), at),
  ];
  return Math.min(...times.map((time) => time ?? Number.POSITIVE_INFINITY));
}

/** A worker without the folder or the model must not be asked again at once. */
const INSIGHTS_AGAIN_MS = 3_600_000;

/** When insights of a workspace of this user are due next, epoch ms; those that are due now were not this run's to extract. */
function nextInsights(workspaces: readonly Workspace[], at: number): number | null {
  const dues = workspaces
    .filter(({ insightsEnabled, memoryEnabled }) => insightsEnabled && memoryEnabled)
    .map(({ insightsDueAt }) => insightsDueAt ?? at)
    .map((due) => (due <= at ? at + INSIGHTS_AGAIN_MS : due));
  return dues.length === 0 ? null : Math.min(...dues);
}
