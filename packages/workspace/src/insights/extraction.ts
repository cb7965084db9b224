import type { LLMProvider } from '@slowwave/fusion';
import type { WorkspaceFiles } from '../files/port.ts';
import { applyAnswer } from './apply.ts';
import { type AskInsights, askProvider } from './ask.ts';
import { createAuditTrail } from './audit-trail.ts';
import { judgeExtraction } from './judge.ts';
import { ownWords } from './outline.ts';
import { NOTHING_TO_PRUNE, notPruned, PRUNE_LIMITS, type PruneLimits } from './prune.ts';
import { buildExtractionRequest, MAX_INPUT_CHARS } from './request.ts';
import type { InsightRun, Judged, Run } from './run.ts';
import { hashOf, INSIGHTS_FILE, readSource, WORKING_FILE } from './sources.ts';
import { undoInsightRun } from './undo.ts';

/** Answers asked for in one run: a second one where the first cannot be used. */
const ANSWERS = 2;

export interface InsightExtractionOptions {
  files: WorkspaceFiles;
  /** Asked each time; one of `provider` and `ask` must be given. */
  provider?: LLMProvider;
  /** Asks in the caller's own way, such as with answers that are kept. */
  ask?: AskInsights;
  /** Epoch ms. */
  now: () => number;
  /** Ids of runs that are given none; UUIDs. */
  newId: () => string;
  /** Named as the writer; default `insights`. */
  by?: string;
  limits?: Partial<PruneLimits>;
  /** Whether the working memory may be pruned; default true. */
  prune?: boolean;
}

export interface InsightExtraction {
  /** One run; a run id that was broken off is taken up where it stopped. @throws MemoryBackendError when the files cannot be read */
  run(options?: { runId?: string; signal?: AbortSignal }): Promise<InsightRun>;
  /** Puts back what stood in the files before a run. @throws MemoryBackendError CONFLICT when they were changed since; NOT_FOUND */
  undo(runId: string): Promise<{ restored: string[] }>;
}

/** Draws insights from the working memory of one workspace: one question, its answer judged, merged and, where it is safe, pruned by. */
export function createInsightExtraction(options: InsightExtractionOptions): InsightExtraction {
  const { files, provider, now, newId, by = 'insights', prune = true } = options;
  const limits = { ...PRUNE_LIMITS, ...options.limits };
  const audit = createAuditTrail({ files, now, by });
  return {
    async run({ runId = newId(), signal } = {}) {
      const ask = options.ask ?? (provider && askProvider(provider, signal));
      if (!ask) throw new TypeError('an extraction needs a provider, or a way to ask');
      const working = await readSource(files, WORKING_FILE, runId);
      const insights = await readSource(files, INSIGHTS_FILE, runId);
      return extract({ files, ask, audit, limits, prune, by, runId, working, insights, at: now() });
    },
    undo: (runId) => undoInsightRun(files, runId, by),
  };
}

async function extract(run: Run): Promise<InsightRun> {
  const original = run.working.content ?? '';
  const own = ownWords(original);
  const result: InsightRun = {
    runId: run.runId,
    success: false,
    code: null,
    transient: false,
    asked: false,
    reused: false,
    counts: { offered: 0, added: 0, duplicates: 0, malformed: 0, tooLong: 0, surplus: 0 },
    pruning: { ...notPruned(original.length, NOTHING_TO_PRUNE, 'nothing'), refusal: null },
    rejected: {},
    size: own.length,
    audited: false,
  };
  let summary = '';
  if (own.trim() === '') result.code = 'empty';
  else if (own.length + (run.insights.content?.length ?? 0) > MAX_INPUT_CHARS) result.code = 'too_large';
  else {
    const judged = await askAndJudge(run, own, result);
    if (judged) {
      summary = judged.verdict.summary;
      await applyAnswer(run, judged, original, result);
    }
  }
  result.success = result.code === null;
  await tell(run, result, summary);
  return result;
}

/** Asks until an answer can be used; null says in the result why there is none. */
async function askAndJudge(run: Run, working: string, result: InsightRun): Promise<Judged | null> {
  const input = { working, insights: run.insights.content, prune: run.prune };
  const parts = [hashOf(working) ?? '', hashOf(input.insights) ?? '', run.prune ? 'prune' : 'keep'];
  const request = buildExtractionRequest(input);
  for (let count = 1; count <= ANSWERS; count++) {
    const asked = await run.ask(request, parts);
    if (asked.status !== 'answered') {
      // That the last answer was useless says more than that no further one is paid for.
      result.code = asked.code === 'exhausted' ? (result.code ?? asked.code) : asked.code;
      result.transient = asked.transient;
      return null;
    }
    result.asked = true;
    result.reused = asked.reused;
    const verdict = judgeExtraction(asked.answer, run.at);
    if (verdict.ok) {
      result.code = null;
      Object.assign(result.counts, verdict.counts);
      return { asked, verdict };
    }
    result.code = verdict.reason;
    result.rejected[verdict.reason] = (result.rejected[verdict.reason] ?? 0) + 1;
    await asked.reject();
  }
  return null;
}

async function tell(run: Run, result: InsightRun, summary: string): Promise<void> {
  const { counts, code } = result;
  const { refusal: _, ...pruning } = result.pruning;
  result.audited = await run.audit.record({
    extraction: {
      runAt: new Date(run.at).toISOString(),
      success: result.success,
      insightCount: counts.added,
      duplicateCount: counts.duplicates,
      skippedCount: counts.offered - counts.added,
      summary: result.success ? summary : '',
      ...(code === null ? {} : { error: code }),
    },
    pruning,
  });
}
