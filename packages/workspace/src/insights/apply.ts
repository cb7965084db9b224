import { isMemoryError } from '../backend/errors.ts';
import { planMerge } from './merge.ts';
import { ownWords } from './outline.ts';
import { judgePrune, notPruned, type PruneRefusal, pruned, REFUSALS } from './prune.ts';
import type { InsightRun, Judged, Run } from './run.ts';
import { INSIGHTS_FILE, WORKING_FILE } from './sources.ts';

/** How often a file is read again that somebody else changed meanwhile. */
const WRITES = 3;
/** Brings an answer into the files: insights first, then what may go of the working memory. */
export async function applyAnswer(
  run: Run,
  judged: Judged,
  original: string,
  result: InsightRun,
): Promise<void> {
  const { asked, verdict } = judged;
  try {
    const merged = await mergeIn(run, judged, result);
    // Forgotten while it was written: what was made of it goes again.
    if (merged && !(await asked.accept())) {
      const { content, sha256 } = merged;
      await run.files.write(INSIGHTS_FILE, content, { expected: sha256, by: run.by, runId: run.runId });
      becomeStale(result);
    }
  } catch (error) {
    if (!isMemoryError(error)) throw error;
    result.code = error.code.toLowerCase();
    result.transient = error.code === 'BACKEND_UNAVAILABLE' || error.code === 'CONFLICT';
  }
  if (result.code !== null || !run.prune || verdict.prunedMemory === undefined) return;
  const refusal = await pruneBy(run, original, verdict.prunedMemory, result);
  if (refusal !== null) result.pruning = { ...notPruned(original.length, REFUSALS[refusal]), refusal };
}

function becomeStale(result: InsightRun): void {
  result.code = 'stale';
  result.transient = true;
  result.counts.added = 0;
}

/**
 * Merges into what stands there, anew when somebody changes it meanwhile.
 * @returns what stood there and the hash of what took its place; null when nothing was written
 */
async function mergeIn(
  run: Run,
  { asked, verdict }: Judged,
  result: InsightRun,
): Promise<{ content: string; sha256: string } | null> {
  const { files, by, runId } = run;
  let { content, standing } = run.insights;
  for (let attempt = 1; ; attempt++) {
    if (!(await asked.accept())) {
      becomeStale(result);
      return null;
    }
    const plan = planMerge(content ?? '', verdict.insights, new Date(run.at));
    result.counts.added = plan.added;
    result.counts.duplicates = plan.duplicates;
    if (standing !== null && standing.content === plan.content) return null;
    try {
      const expected = standing?.sha256 ?? null;
      const { sha256 } = await files.write(INSIGHTS_FILE, plan.content, { expected, by, runId });
      return { content: content ?? '', sha256 };
    } catch (error) {
      if (!isMemoryError(error, 'CONFLICT') || attempt === WRITES) throw error;
      standing = await files.read(INSIGHTS_FILE);
      content = standing?.content ?? null;
    }
  }
}

/** @returns why the working memory stays as it is, or null */
async function pruneBy(
  run: Run,
  original: string,
  candidate: string,
  result: InsightRun,
): Promise<PruneRefusal | null> {
  const { files, by, runId, working } = run;
  const judged = judgePrune(original, candidate, run.limits);
  if (!judged.ok) return judged.refusal;
  if (working.standing?.content !== judged.content) {
    try {
      await files.write(WORKING_FILE, judged.content, {
        expected: working.standing?.sha256 ?? null,
        by,
        runId,
      });
    } catch (error) {
      if (!isMemoryError(error)) throw error;
      return error.code === 'CONFLICT' ? 'changed' : 'write_failed';
    }
  }
  result.pruning = { ...pruned(original.length, judged.content.length), refusal: null };
  result.size = ownWords(judged.content).length;
  return null;
}
