import { isMemoryError } from '../backend/errors.ts';
import { createFolderFiles, textHash } from '../files/folder.ts';
import { auditOf } from './audit.ts';
import { renderMemoryAuditMarkdown } from './audit-render.ts';
import { planMerge } from './merge.ts';
import { parseInsightExtractionResponse } from './parse.ts';
import {
  readInsightsMemory,
  readMemoryAuditState,
  readWorkingMemory,
  writeInsightsMemory,
  writeMemoryAudit,
  writeMemoryAuditState,
} from './project-memory-files.ts';
import { lossRefusal, notPruned, PRUNE_LIMITS, pruned, REFUSALS, validatePruneCandidate } from './prune.ts';
import { WORKING_FILE } from './sources.ts';
import type {
  InsightExtractionResult,
  MemoryAuditReport,
  MemoryExtractionMetadata,
  ProcessRunInput,
  PruneOutcome,
} from './types.ts';

/** A file of a few lines may lose some of them, whatever share that is. */
const LIMITS = { ...PRUNE_LIMITS, smallLoss: 200, minLeft: 0 };
const BY = 'insights';

/**
 * Puts a candidate in the place of the working memory, when it keeps two of the required sections and most of the text, and the file is
 * what was read. @param options.expectedSha256 of the text that the candidate was made from
 */
export async function applyMemoryPruning(
  rootDir: string,
  pruneCandidate: string | undefined,
  options: { expectedSha256?: string | undefined } = {},
): Promise<PruneOutcome> {
  const original = await readWorkingMemory(rootDir);
  const validation = validatePruneCandidate(pruneCandidate);
  if (!validation.valid || pruneCandidate === undefined) {
    const isNothing = validation.size === 0;
    return notPruned(original.length, validation.reason ?? '', isNothing ? 'nothing' : 'rejected');
  }
  const candidate = pruneCandidate.trim();
  const expected = options.expectedSha256 ?? textHash(original);
  if (expected !== textHash(original)) return notPruned(original.length, REFUSALS.changed);
  const refusal = lossRefusal(original, candidate, LIMITS);
  if (refusal !== null) return notPruned(original.length, REFUSALS[refusal]);
  try {
    await createFolderFiles({ rootDir }).write(WORKING_FILE, candidate, {
      by: BY,
      ...(original === '' ? {} : { expected }),
    });
  } catch (error) {
    if (!isMemoryError(error, 'CONFLICT')) throw error;
    return notPruned(original.length, REFUSALS.changed);
  }
  return pruned(original.length, candidate.length);
}

export interface ProcessedRun extends InsightExtractionResult {
  /** False when the step failed or its answer could not be read: then no file was touched. */
  success: boolean;
  error?: string | undefined;
  newInsightCount: number;
  duplicateCount: number;
  pruneOutcome: PruneOutcome;
}

function readRun({ rawResponse, stepSuccess, runAt, error }: ProcessRunInput): InsightExtractionResult & {
  success: boolean;
  error?: string;
} {
  const none = { success: false, insights: [], extractedAt: runAt };
  if (!stepSuccess || !rawResponse?.trim()) {
    const why = error || 'Step did not produce output';
    return { ...none, summary: why, error: why };
  }
  try {
    return { ...parseInsightExtractionResponse(rawResponse), success: true };
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : 'unreadable';
    return { ...none, summary: `Parse error: ${why}`, error: why };
  }
}

/** Reads the answer of a run and brings it into the files: insights merged, working memory pruned where that is safe. */
export async function processInsightExtractionRun(
  rootDir: string,
  input: ProcessRunInput,
): Promise<ProcessedRun> {
  const read = readRun(input);
  if (!read.success) {
    const size = (await readWorkingMemory(rootDir)).length;
    const pruneOutcome = notPruned(size, 'Not pruned, since the extraction failed');
    return { ...read, newInsightCount: 0, duplicateCount: 0, pruneOutcome };
  }
  const existing = await readInsightsMemory(rootDir);
  const plan = planMerge(existing ?? '', read.insights, new Date());
  if (plan.content !== existing) await writeInsightsMemory(rootDir, plan.content);
  const pruneOutcome = await applyMemoryPruning(rootDir, read.prunedMemory, {
    expectedSha256: input.workingSha256,
  });
  return { ...read, newInsightCount: plan.added, duplicateCount: plan.duplicates, pruneOutcome };
}

/** How the memory of a project does; of the last run that was recorded, where none is given. */
export async function generateMemoryAudit(
  rootDir: string,
  lastExtraction?: MemoryExtractionMetadata,
  pruneOutcome?: PruneOutcome,
): Promise<MemoryAuditReport> {
  const known = lastExtraction && pruneOutcome ? null : await readMemoryAuditState(rootDir);
  const working = await createFolderFiles({ rootDir }).read(WORKING_FILE);
  return auditOf({
    working: working?.content ?? null,
    insights: await readInsightsMemory(rootDir),
    extraction: lastExtraction ?? known?.extraction,
    pruning: pruneOutcome ?? known?.pruning,
    at: Date.now(),
  });
}

/** Processes a run, records it and writes the report; never throws: what cannot be read or written is in the report as a failed run. */
export async function processAndAuditInsightExtraction(
  rootDir: string,
  input: ProcessRunInput,
): Promise<MemoryAuditReport> {
  const { extraction, pruning } = await metadataOf(rootDir, input);
  await writeMemoryAuditState(rootDir, {
    extraction,
    pruning,
    updatedAt: new Date().toISOString(),
  }).catch(() => undefined);
  const report = await generateMemoryAudit(rootDir, extraction, pruning).catch(() =>
    auditOf({ working: null, insights: null, extraction, pruning, at: Date.now() }),
  );
  await writeMemoryAudit(rootDir, renderMemoryAuditMarkdown(report)).catch(() => undefined);
  return report;
}

async function metadataOf(
  rootDir: string,
  input: ProcessRunInput,
): Promise<{ extraction: MemoryExtractionMetadata; pruning: PruneOutcome }> {
  try {
    const run = await processInsightExtractionRun(rootDir, input);
    const { success, newInsightCount, duplicateCount, insights, summary, error, pruneOutcome } = run;
    return {
      extraction: {
        runAt: input.runAt,
        success,
        insightCount: newInsightCount,
        duplicateCount,
        skippedCount: insights.length - newInsightCount,
        summary,
        ...(error === undefined ? {} : { error }),
      },
      pruning: pruneOutcome,
    };
  } catch (thrown) {
    const error = isMemoryError(thrown) ? thrown.code : 'unknown';
    const counts = { insightCount: 0, duplicateCount: 0, skippedCount: 0 };
    return {
      extraction: {
        runAt: input.runAt,
        success: false,
        ...counts,
        summary: `Processing failed: ${error}`,
        error,
      },
      pruning: notPruned(0, 'Not pruned, since the extraction failed'),
    };
  }
}
