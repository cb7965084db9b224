import {
  claimInsights,
  getUser,
  type InsightsRefusal,
  releaseInsights,
  setInsightsDue,
  type Workspace,
} from '@slowwave/db';
import type { LLMProvider } from '@slowwave/fusion';
import {
  askProvider,
  createAuditTrail,
  extractClaimedInsights,
  MemoryBackendError,
  renderMemoryAuditMarkdown,
} from '@slowwave/workspace';
import { openPlace, type Place, type PlaceOptions, workspaceOf } from './places.ts';
import type { ExtractionAnswer, WorkspaceCalls } from './types.ts';

export interface InsightParts extends PlaceOptions {
  /** Who is asked for insights; null or absent: nobody in this process. */
  provider?: LLMProvider | null | undefined;
  /** Asks for a run of the light tier, which extracts insights that are due; absent: nobody can be asked. @returns its id */
  wake?: ((owner: { tenant: string; user: string }) => Promise<string>) | undefined;
  /** Aborted when the process is about to stop. */
  stopping?: AbortSignal | undefined;
}

export type ExtractionRefusal = InsightsRefusal | 'no_model';

const SENTENCES: Record<ExtractionRefusal, string> = {
  unknown_workspace: 'there is no such workspace of this user',
  disabled: 'insights are switched off for this workspace; "force" asks all the same while its memory is on',
  empty: 'there is nothing in MEMORY.md yet',
  too_soon: 'insights were extracted less than the least time ago; "force" asks all the same',
  too_small: 'MEMORY.md has not grown enough since insights were last extracted; "force" asks all the same',
  no_model: 'there is no language model to ask: SLOWWAVE_MODEL_PROVIDER chooses one',
};

/** Insights are not extracted now. */
export class ExtractionRefused extends Error {
  readonly retryable = false;
  readonly code: ExtractionRefusal;

  constructor(code: ExtractionRefusal) {
    super(SENTENCES[code]);
    this.name = 'ExtractionRefused';
    this.code = code;
  }
}

/** Insights that somebody asks for, and the report about them. */
export function createInsightCalls(
  options: InsightParts & { newId: () => string },
): Pick<WorkspaceCalls, 'extract' | 'audit'> {
  return {
    async extract(of, { force, by }): Promise<ExtractionAnswer> {
      const { provider = null } = options;
      if (provider === null) return askWorkers(options, await workspaceOf(options.database, of), force);
      return extractHere(options, await openPlace(options, of, by), { provider, force });
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
      const report = await createAuditTrail({ files, now: options.now, by: 'reader' }).report();
      return { report, content: renderMemoryAuditMarkdown(report), backend: backend.type };
    },
  };
}

async function extractHere(
  { database, now, newId, stopping }: InsightParts & { newId: () => string },
  { workspace, files, backend }: Place,
  { provider, force }: { provider: LLMProvider; force: boolean },
): Promise<ExtractionAnswer> {
  if (files === null) {
    throw new MemoryBackendError('READ_ONLY', 'This memory backend cannot be written', backend.type);
  }
  const { tenant, user } = workspace;
  const key = { tenant, user, workspace: workspace.workspace };
  const owner = await database.withTenant(tenant, (tx) => getUser(tx, tenant, user));
  const result = await extractClaimedInsights({
    key,
    files,
    ask: askProvider(provider, stopping),
    transact: (work) => database.withTenant(tenant, work),
    schedule: workspace.insightsSchedule,
    timezone: workspace.insightsTimezone ?? owner?.timezone ?? 'UTC',
    at: now(),
    newId,
    force,
    tierRunId: null,
  });
  if (result.status === 'refused') throw new ExtractionRefused(result.reason);
  return result.status === 'failed' ? result : { status: 'ran', run: result.run };
}

/** Those who have the model take it up with their next run of the light tier, which is asked for. */
async function askWorkers(
  { database, now, wake }: InsightParts,
  workspace: Workspace,
  force: boolean,
): Promise<ExtractionAnswer> {
  if (wake === undefined) throw new ExtractionRefused('no_model');
  // Forced, the workspace has to be one that they look at.
  if (!workspace.memoryEnabled || !workspace.insightsEnabled) throw new ExtractionRefused('disabled');
  const { tenant, user, insightsLastRunAt: lastRunAt, insightsLastSize: lastSize } = workspace;
  const key = { tenant, user, workspace: workspace.workspace };
  const at = now();
  await database.withTenant(tenant, async (tx) => {
    if (force && lastRunAt !== null) {
      await releaseInsights(tx, key, { at: lastRunAt, lastRunAt: null, lastSize: null });
    } else if (!force) {
      // Taken to see whether it can be, and given back at once.
      const claim = await claimInsights(tx, key, { at, size: 2 ** 31 - 1 });
      if (!claim.claimed) throw new ExtractionRefused(claim.reason);
      await releaseInsights(tx, key, { at, lastRunAt, lastSize });
    }
    await setInsightsDue(tx, key, { dueAt: at });
  });
  return { status: 'queued', runId: await wake({ tenant, user }) };
}
