import {
  type Database,
  type FadedMemory,
  type FusionView,
  getUser,
  getUserProfile,
  type Hypothesis,
  type LearnedMemory,
  listFaded,
  listFusions,
  listHypotheses,
  listLearned,
  listScheduledItems,
} from '@slowwave/db';
import { nothingJoined, outcomesOf, printFusion } from '../print.ts';
import type { SimulatedRun } from '../simulation/simulation.ts';
import type { Terminal } from '../terminal.ts';
import { WEEK_END, WEEK_START } from './live.ts';

const DAY_MS = 86_400_000;
const LIMIT = 500;
const FADED_SHOWN = 3;
const FUSIONS_SHOWN = 3;
const HYPOTHESES_SHOWN = 3;
/** Characters of a text that is shown in one line. */
const LINE_MAX = 110;

interface Scope {
  tenant: string;
  user: string;
}

/** Everything that a week brought, read from the database. */
interface Week {
  timezone: string;
  faded: FadedMemory[];
  fusions: FusionView[];
  hypotheses: Hypothesis[];
  insights: LearnedMemory[];
  checkIns: { content: string; createdAt: number; goalStage: string | null }[];
  profile: string | null;
}

async function readWeek(database: Database, scope: Scope, from: number, to: number): Promise<Week> {
  return database.withTenant(scope.tenant, async (tx) => {
    const span = { ...scope, from, to, limit: LIMIT };
    const user = await getUser(tx, scope.tenant, scope.user);
    const items = await listScheduledItems(tx, { ...scope, limit: LIMIT });
    return {
      timezone: user?.timezone ?? 'UTC',
      faded: await listFaded(tx, span),
      fusions: await listFusions(tx, { ...scope, limit: LIMIT }),
      hypotheses: await listHypotheses(tx, span),
      insights: await listLearned(tx, { ...span, learnedFrom: 'self_reflection' }),
      checkIns: items.filter(({ kind }) => kind === 'check_in'),
      profile: (await getUserProfile(tx, scope))?.profile ?? null,
    };
  });
}

/** Tells a lived week day by day: what faded, what was fused at which tier, what REM found, what reflection said. */
export async function tellWeek(
  database: Database,
  terminal: Terminal,
  week: Scope & { runs: SimulatedRun[] },
): Promise<void> {
  const read = await readWeek(database, week, WEEK_START, WEEK_END);
  terminal.line(
    terminal.bold(
      `${week.user}: the week of 9 to 15 November 2026, under a clock of its own (${read.timezone})`,
    ),
  );
  for (let from = WEEK_START; from < WEEK_END; from += DAY_MS) {
    tellDay(terminal, read, week.runs, from, from + DAY_MS);
  }
  if (read.profile) {
    terminal.line(
      `  ${terminal.bold('how the assistant sees the week')} (self-reflection, never a fact about ${week.user}):`,
    );
    for (const line of read.profile.split('\n')) terminal.line(`    ${line}`);
  }
  terminal.line();
}

function tellDay(terminal: Terminal, week: Week, runs: SimulatedRun[], from: number, to: number): void {
  const isIn = (at: number): boolean => at > from && at <= to;
  const date = new Intl.DateTimeFormat('en-GB', {
    timeZone: week.timezone,
    weekday: 'short',
    day: 'numeric',
    month: 'short',
  }).format(from + DAY_MS / 2);
  const done = runs.filter(({ at, outcome }) => isIn(at) && outcome === 'completed');
  const count = (tier: string) => done.filter((run) => run.tier === tier).length;
  const sleep = done.find(({ tier }) => tier === 'sleep');
  const night = sleep ? `, sleep at ${timeOf(sleep.at, week.timezone)}` : '';
  terminal.line(`  ${terminal.bold(date)}  ${count('light')} × light, ${count('deep')} × deep${night}`);
  tellFaded(
    terminal,
    week.faded.filter(({ at }) => isIn(at)),
  );
  tellFusions(terminal, week.fusions.filter(({ updatedAt }) => isIn(updatedAt)).reverse());
  tellHypotheses(
    terminal,
    week.hypotheses.filter(({ createdAt }) => isIn(createdAt)),
  );
  for (const { content } of week.insights.filter(({ createdAt }) => isIn(createdAt))) {
    terminal.line(`    reflection: ${content}`);
  }
  for (const { content, goalStage } of week.checkIns.filter(({ createdAt }) => isIn(createdAt))) {
    terminal.line(`    goal ${goalStage}: ${content}`);
  }
}

/** The first fusions of a day whole, the others in a line each. */
function tellFusions(terminal: Terminal, fusions: FusionView[]): void {
  const { made, nothing } = outcomesOf(fusions);
  for (const [i, fusion] of made.entries()) {
    const where = `fused in ${fusion.tier}${fusion.tier === 'sleep' ? ' (NREM)' : ''}`;
    const { derived, sources } = fusion;
    if (i < FUSIONS_SHOWN || derived === null) {
      terminal.line(`    ${where}:`);
      printFusion(terminal, fusion, i + 1);
      continue;
    }
    const superseded = sources.filter((source) => source.superseded).length;
    terminal.line(terminal.dim(`    ${where}: ${superseded} → 1  ${short(derived.content)}`));
  }
  const line = nothingJoined(nothing);
  if (line !== null) terminal.line(terminal.dim(`    ${line}`));
}

function tellHypotheses(terminal: Terminal, hypotheses: Hypothesis[]): void {
  if (hypotheses.length === 0) return;
  terminal.line(`    REM connected ${hypotheses.length} pairs, as hypotheses:`);
  for (const { source, target, explanation } of hypotheses.slice(0, HYPOTHESES_SHOWN)) {
    terminal.line(`      ${short(source)}`);
    terminal.line(`        ↔ ${short(target)}`);
    if (explanation) terminal.line(terminal.dim(`        ${explanation}`));
  }
  tellRest(terminal, hypotheses.length - HYPOTHESES_SHOWN);
}

function tellFaded(terminal: Terminal, faded: FadedMemory[]): void {
  if (faded.length === 0) return;
  const dormant = faded.filter(({ threshold }) => threshold === 0.5);
  const archived = faded.length - dormant.length;
  terminal.line(`    faded: ${dormant.length} to dormant, ${archived} out of reach`);
  for (const { content } of faded.slice(0, FADED_SHOWN))
    terminal.line(terminal.dim(`      ${short(content)}`));
  tellRest(terminal, faded.length - FADED_SHOWN);
}

function tellRest(terminal: Terminal, count: number): void {
  if (count > 0) terminal.line(terminal.dim(`      … and ${count} more`));
}

/** The beginning of a text, in one line. */
function short(text: string): string {
  const points = [...text.replaceAll('\n', '; ')];
  return points.length <= LINE_MAX ? points.join('') : `${points.slice(0, LINE_MAX - 1).join('')}…`;
}

function timeOf(at: number, timeZone: string): string {
  return new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', minute: '2-digit' }).format(at);
}
