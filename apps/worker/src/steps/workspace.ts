import { DatabaseError, readNight, type Workspace, WorkspaceRefused } from '@slowwave/db';
import { createProjection, isMemoryError, type ProjectionResult } from '@slowwave/workspace';
import type { Step, StepContext } from '../context.ts';
import { WORKSPACES } from '../questions.ts';
import { count, type Tally } from './tally.ts';

interface WorkspaceCounts {
  workspaces: number;
  /** Brought up to date. */
  projected: number;
  skipped: Tally;
  failed: Tally;
  /** Memories with a line. */
  lines: number;
  added: number;
  noRoom: number;
  /** Lines that a hand removed, changed or added since the last time. */
  byHand: number;
  /** Memories by the gate that they pass; one may pass several. */
  gates: Tally;
  /** Memories that pass none. */
  held: number;
  /** Diaries that got an entry. */
  entries: number;
  stopped: 'stopping' | null;
}

/** Writes what is worth knowing into the workspaces of a user, and the night into their diaries. */
export const workspace: Step = {
  name: 'workspace',
  asks: [WORKSPACES],
  async run(context) {
    const all = await context.look.seen(WORKSPACES);
    if (all.length === 0) return { status: 'skipped', reason: 'no_workspace' };
    const counts: WorkspaceCounts = {
      workspaces: all.length,
      projected: 0,
      skipped: {},
      failed: {},
      lines: 0,
      added: 0,
      noRoom: 0,
      byHand: 0,
      gates: {},
      held: 0,
      entries: 0,
      stopped: null,
    };
    for (const one of all) {
      context.signal.throwIfAborted();
      if (context.stopping.aborted) {
        counts.stopped = 'stopping';
        break;
      }
      await project(context, one, counts);
    }
    const reasons = Object.keys(counts.skipped);
    const isIdle = counts.projected === 0 && Object.keys(counts.failed).length === 0 && !counts.stopped;
    if (isIdle && reasons.length === 1) return { status: 'skipped', reason: reasons[0]! };
    return { status: 'done', counts: { ...counts } };
  },
};

function whyNot({ memoryEnabled, projectionEnabled, backend }: Workspace): string | null {
  if (!memoryEnabled || !projectionEnabled) return 'disabled';
  return backend === 'readonly' ? 'read_only' : null;
}

async function project(context: StepContext, one: Workspace, counts: WorkspaceCounts): Promise<void> {
  const reason = whyNot(one);
  const files = context.workspaces?.(one) ?? null;
  if (reason !== null || files === null) {
    count(counts.skipped, reason ?? 'no_folder');
    return;
  }
  const { database, timezone, at, runId } = context;
  const key = { tenant: one.tenant, user: one.user, workspace: one.workspace };
  const projection = createProjection({
    files,
    database,
    key,
    now: () => at,
    timezone,
    write: context.write,
  });
  try {
    const report = await database.withTenant(key.tenant, (tx) => readNight(tx, key, runId));
    add(counts, await projection.run({ runId, report }));
  } catch (error) {
    // Removed since it was listed.
    if (error instanceof WorkspaceRefused) count(counts.skipped, 'no_workspace');
    // The database does not answer: that is nothing about this workspace.
    else if (isMemoryError(error) && error.cause instanceof DatabaseError) throw error.cause;
    else if (isMemoryError(error)) count(counts.failed, error.code.toLowerCase());
    else throw error;
  }
}

function add(counts: WorkspaceCounts, { status, reason, report }: ProjectionResult): void {
  if (status !== 'completed') {
    count(counts.failed, reason ?? status);
    return;
  }
  const { promotion, memory, dreams } = report;
  counts.projected++;
  counts.lines += memory?.lines ?? 0;
  counts.added += memory?.added ?? 0;
  counts.noRoom += memory?.noRoom ?? 0;
  counts.byHand += (memory?.removed ?? 0) + (memory?.edited ?? 0);
  counts.held += promotion?.held ?? 0;
  counts.entries += dreams?.added ? 1 : 0;
  for (const [gate, passed] of Object.entries(promotion?.gates ?? {})) {
    counts.gates[gate] = (counts.gates[gate] ?? 0) + passed;
  }
}
