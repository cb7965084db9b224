import {
  claimInsights,
  type InsightsRefusal,
  releaseInsights,
  setInsightsDue,
  type Transaction,
  type Workspace,
} from '@slowwave/db';
import { createAuditTrail, MemoryBackendError, renderMemoryAuditMarkdown } from '@slowwave/workspace';
import { openPlace, type PlaceOptions, workspaceOf } from './places.ts';
import type { WorkspaceCalls } from './types.ts';

export interface InsightParts extends PlaceOptions {
  /** Asks for a run of the light tier, which extracts insights that are due. @returns its id. Absent: whoever calls sees to it */
  wake?: ((owner: { tenant: string; user: string }) => Promise<string | null>) | undefined;
}

const SENTENCES: Record<InsightsRefusal, string> = {
  unknown_workspace: 'there is no such workspace of this user',
  disabled: 'insights, or the memory, are switched off for this workspace: switch them on first',
  empty: 'there is nothing in MEMORY.md yet',
  too_soon: 'insights were extracted less than the least time ago; "force" asks all the same',
  too_small: 'MEMORY.md has not grown enough since insights were last extracted; "force" asks all the same',
};

/** Larger than any working memory: growth is judged by who reads the files. */
const ANY_SIZE = 2 ** 31 - 1;

/** Insights are not extracted now. */
export class ExtractionRefused extends Error {
  readonly retryable = false;
  readonly code: InsightsRefusal;

  constructor(code: InsightsRefusal) {
    super(SENTENCES[code]);
    this.name = 'ExtractionRefused';
    this.code = code;
  }
}

/** Insights that somebody asks for, and the report about them. */
export function createInsightCalls(options: InsightParts): Pick<WorkspaceCalls, 'extract' | 'audit'> {
  const { database, now, wake } = options;
  return {
    // Always a run of the light tier: it holds the user, keeps what it paid for, and obeys the user's mode.
    async extract(of, { force }) {
      const workspace = await workspaceOf(database, of);
      if (!workspace.memoryEnabled || !workspace.insightsEnabled) throw new ExtractionRefused('disabled');
      const { tenant, user } = workspace;
      await database.withTenant(tenant, (tx) => makeDue(tx, workspace, { at: now(), force }));
      return { status: 'queued', runId: (await wake?.({ tenant, user })) ?? null };
    },
    async audit(of) {
      const { backend, files } = await openPlace(options, of, 'reader');
      if (files === null) {
        throw new MemoryBackendError(
          'UNSUPPORTED',
          'This memory backend has nothing to report of',
          backend.type,
        );
      }
      const report = await createAuditTrail({ files, now, by: 'reader' }).report();
      return { report, content: renderMemoryAuditMarkdown(report), backend: backend.type };
    },
  };
}

/** @throws ExtractionRefused when it is too soon, unless it is forced */
async function makeDue(
  tx: Transaction,
  workspace: Workspace,
  { at, force }: { at: number; force: boolean },
): Promise<void> {
  const { tenant, user, insightsLastRunAt: lastRunAt, insightsLastSize: lastSize } = workspace;
  const key = { tenant, user, workspace: workspace.workspace };
  if (force && lastRunAt !== null) {
    await releaseInsights(tx, key, { at: lastRunAt, lastRunAt: null, lastSize: null });
  } else if (!force) {
    // Taken to see whether it can be, and given back at once.
    const claim = await claimInsights(tx, key, { at, size: ANY_SIZE });
    if (!claim.claimed) throw new ExtractionRefused(claim.reason);
    await releaseInsights(tx, key, { at, lastRunAt, lastSize });
  }
  await setInsightsDue(tx, key, { dueAt: at });
}
