import {
  cancelRun,
  countRunChanges,
  type Database,
  getRun,
  isFinished,
  listFusions,
  pageRuns,
  type Run,
  totalsOf,
} from '@slowwave/db';
import type { RunStatus, Tier } from '@slowwave/fusion';
import { anywhere, type CommandContext } from './anywhere.ts';
import { EXIT, HeldBack, UsageError } from './exit.ts';
import { printable } from './explain-lines.ts';
import type { CancelledRun, RunDetail, RunSummary, RunsPage, RunsQuestion } from './operator-calls.ts';
import { plural, printRun, when } from './print.ts';
import { tableLines } from './table.ts';

const FUSIONS_SHOWN = 200;

export interface RunsArguments {
  tenant: string;
  user?: string;
  tier?: Tier;
  status?: RunStatus;
  limit: number;
  cursor?: string;
  json: boolean;
}

export interface RunArguments {
  run: string;
  tenant: string;
  user: string;
  json: boolean;
}

const summaryOf = ({ id, fence: _fence, report, ...run }: Run): RunSummary => ({
  runId: id,
  ...run,
  finished: isFinished(run),
  totals: totalsOf(report),
});

async function pageOf(database: Database, of: RunsQuestion): Promise<RunsPage> {
  const { rows, nextCursor } = await database.withTenant(of.tenant, (tx) => pageRuns(tx, of));
  return { tenant: of.tenant, runs: rows.map(summaryOf), nextCursor };
}

/** Lists runs, the newest first. @returns exit code */
export async function runsCommand(context: CommandContext, { json, ...of }: RunsArguments): Promise<number> {
  const { terminal } = context;
  const page = await anywhere(context, {
    service: (client) => client.runs(of),
    database: (database) => pageOf(database, of),
  });
  if (json) terminal.line(JSON.stringify(page));
  else if (page.runs.length === 0) terminal.line('no run');
  else {
    for (const line of runTable(page.runs, terminal.columns)) terminal.line(line);
    if (page.nextCursor !== null) terminal.line(terminal.dim(`more: --cursor ${page.nextCursor}`));
  }
  return EXIT.ok;
}

/** How long a run took, for people. */
function tookOf({ startedAt, finishedAt }: Pick<Run, 'startedAt' | 'finishedAt'>): string {
  if (startedAt === null || finishedAt === null) return '';
  const seconds = (finishedAt - startedAt) / 1000;
  return seconds < 10 ? `${seconds.toFixed(1)} s` : `${Math.round(seconds)} s`;
}

function resultOf({ errorCode, totals, preview }: RunSummary): string {
  const { fused, proposed, failed, calls } = totals;
  return [
    ...(preview ? ['preview'] : []),
    ...(errorCode === null ? [] : [errorCode]),
    ...(fused > 0 ? [`${fused} fused`] : []),
    ...(proposed > 0 ? [`${proposed} proposed`] : []),
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(calls > 0 ? [plural(calls, 'call')] : []),
  ].join(', ');
}

export function runTable(runs: readonly RunSummary[], columns: number | null): string[] {
  const rows = runs.map((run) => [
    run.runId,
    printable(run.user),
    run.tier,
    run.status,
    when(run.startedAt ?? run.requestedAt),
    tookOf(run),
    resultOf(run),
  ]);
  return tableLines(['RUN', 'USER', 'TIER', 'STATUS', 'SINCE', 'TOOK', 'RESULT'], rows, columns);
}

const unknownRun = ({ run, user }: RunArguments): UsageError =>
  new UsageError(`${printable(user)} has no run ${printable(run)}: slowwave runs lists them`);

async function detailOf(
  database: Database,
  { tenant, user, run: runId }: RunArguments,
): Promise<RunDetail | null> {
  return database.withTenant(tenant, async (tx) => {
    const run = await getRun(tx, { tenant, user, runId });
    if (run === null) return null;
    return {
      ...summaryOf(run),
      report: run.report,
      changes: await countRunChanges(tx, { tenant, user, runId }),
      fusions: await listFusions(tx, { tenant, user, runId, limit: FUSIONS_SHOWN }),
    };
  });
}

/** Shows one run with its steps and what it fused. @returns exit code */
export async function showRunCommand(context: CommandContext, given: RunArguments): Promise<number> {
  const { terminal } = context;
  requireUuid(given);
  const { run, tenant, user, json } = given;
  const found = await anywhere(context, {
    service: (client) => client.showRun(run, { tenant, user }),
    database: (database) => detailOf(database, given),
  });
  if (found === null) throw unknownRun(given);
  if (json) {
    terminal.line(JSON.stringify(found));
    return EXIT.ok;
  }
  printRun(terminal, { ...found, id: found.runId });
  const { total, undone, undoable } = found.changes;
  if (total > 0) {
    terminal.line(
      `  ${plural(total, 'change')}, ${undone} undone${undoable > 0 ? `; slowwave undo ${found.runId} --user ${printable(user)} takes them back` : ''}`,
    );
  }
  return EXIT.ok;
}

/** An id that is none is no run, and nothing that a database has to be asked. */
function requireUuid(given: RunArguments): void {
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(given.run)) throw unknownRun(given);
}

/** Asks for the end of a run. @returns exit code */
export async function cancelRunCommand(context: CommandContext, given: RunArguments): Promise<number> {
  const { terminal } = context;
  requireUuid(given);
  const { run: runId, tenant, user, json } = given;
  const result = await anywhere<CancelledRun>(context, {
    service: (client) => client.cancelRun(runId, { tenant, user, by: 'command line' }),
    async database(database) {
      const ended = await database.withTenant(tenant, (tx) =>
        cancelRun(tx, { tenant, user, runId, at: Date.now() }),
      );
      if (ended.status === 'unknown_run') throw unknownRun(given);
      if (ended.status === 'finished') throw new HeldBack(`the run has ended already: ${ended.runStatus}`);
      return { runId, ...ended };
    },
  });
  if (json) terminal.line(JSON.stringify(result));
  else {
    terminal.line(
      result.status === 'cancelled'
        ? `run ${runId} ${result.already ? 'was cancelled before' : 'is cancelled'}`
        : `run ${runId} is at work and ends before its next step or cluster; what it has committed stays`,
    );
  }
  return EXIT.ok;
}
