import {
  type LabelledPair,
  listCandidatePairs,
  type StoredPair,
  settleAnswer,
  storeLabels,
} from '@slowwave/db';
import {
  buildLabelRequest,
  decideLabel,
  judgeLabels,
  LABEL_PROMPT_VERSION,
  PAIRS_PER_REQUEST,
  type PairLabel,
} from '@slowwave/fusion';
import type { StepContext } from '../context.ts';
import { askOnce, type PaidAnswer } from '../paid-answer.ts';
import type { ModelWork, StopReason } from './model-work.ts';
import { count, type Tally } from './tally.ts';

/** Answers paid for one batch: two more where the first cannot be used. */
const ANSWERS_PER_BATCH = 3;

/** What became of the pairs that a night had labelled. */
export interface LabelCounts {
  /** Pairs shown to a model, and what it said of them; those for which no answer could be used are ambiguous. */
  pairs: number;
  labels: Tally;
  givenUp: number;
  /** Batches labelled with answers that an earlier run had paid for. */
  reused: number;
  /** Memories that the code found to be held by a wider one, and superseded. */
  superseded: number;
  /** Pairs whose labels wait in a batch. */
  batched: number;
  /** Pairs that changed while the model thought, and those that wait for the next night. */
  stale: number;
  left: number;
  rejected: Tally;
  failed: Tally;
  stopped: StopReason | null;
}

export function noLabels(): LabelCounts {
  return {
    pairs: 0,
    labels: {},
    givenUp: 0,
    reused: 0,
    batched: 0,
    superseded: 0,
    stale: 0,
    left: 0,
    rejected: {},
    failed: {},
    stopped: null,
  };
}

/**
 * Has the pairs that wait labelled by a model, batch by batch, and does what the code makes of it.
 * @param room how many memories may be superseded at most
 */
export async function labelAll(
  context: StepContext,
  work: ModelWork,
  counts: LabelCounts,
  room: number,
): Promise<void> {
  const { database, tenant, user, timezone } = context;
  const waiting = await database.withTenant(tenant, (tx) =>
    listCandidatePairs(tx, { tenant, user, timezone, limit: work.limits.items }),
  );
  for (let from = 0; from < waiting.length; from += PAIRS_PER_REQUEST) {
    counts.stopped = await labelBatch(
      context,
      work,
      waiting.slice(from, from + PAIRS_PER_REQUEST),
      counts,
      room,
    );
    if (counts.stopped !== null) break;
  }
}

/**
 * Labels one batch. Pairs that an answer leaves out are asked about again, in a batch of their own; where no answer can be used at all,
 * they wait for a person.
 * @returns why model work is over, or null
 */
async function labelBatch(
  context: StepContext,
  work: ModelWork,
  batch: readonly StoredPair[],
  counts: LabelCounts,
  room: number,
): Promise<StopReason | null> {
  let pairs = batch;
  while (pairs.length > 0) {
    const stopped = work.stopped();
    if (stopped !== null) return stopped;
    const paid = await askOnce(context, {
      step: 'conflicts',
      promptVersion: LABEL_PROMPT_VERSION,
      model: work.model,
      provider: work.provider,
      parts: pairs.flatMap(({ a, b }) => [`${a.id} ${a.contentHash}`, `${b.id} ${b.contentHash}`]),
      request: buildLabelRequest(pairs),
      memoryIds: pairs.flatMap(({ a, b }) => [a.id, b.id]),
      sessionIds: [],
      maxAttempts: ANSWERS_PER_BATCH,
    });
    switch (paid.status) {
      case 'stopped':
        return work.reasonOf(paid.why);
      case 'batched':
        counts.batched += pairs.length;
        return null;
      case 'failed':
        count(counts.failed, paid.code);
        return null;
      case 'exhausted':
        await giveUp(context, work, pairs, counts);
        return null;
      case 'answered':
        pairs = await judge(context, pairs, paid, counts, room);
    }
  }
  return null;
}

/** @returns the pairs to ask about again */
async function judge(
  context: StepContext,
  pairs: readonly StoredPair[],
  paid: Extract<PaidAnswer, { status: 'answered' }>,
  counts: LabelCounts,
  room: number,
): Promise<readonly StoredPair[]> {
  const { tenant, user } = context;
  const { key, attempt, answer } = paid;
  const judgement = judgeLabels(pairs.length, answer);
  if (!judgement.ok) {
    count(counts.rejected, judgement.reason);
    await context.write((tx) => settleAnswer(tx, { tenant, user, key, attempt, state: 'rejected' }));
    return pairs;
  }
  if (paid.reused) counts.reused += 1;
  const { labels } = judgement;
  const labelled = pairs.flatMap((pair, i) => {
    const label = labels[i];
    return label ? [{ pair, label }] : [];
  });
  await store(context, labelled, { model: answer.model, counts, room, answer: { key, attempt } });
  return pairs.filter((_, i) => !labels[i]);
}

const UNREADABLE: PairLabel = {
  type: 'ambiguous',
  wider: null,
  slot: '',
  description: '',
  confidence: 0,
};

/** Nobody could say what it is: a person has to. */
async function giveUp(
  context: StepContext,
  work: ModelWork,
  pairs: readonly StoredPair[],
  counts: LabelCounts,
): Promise<void> {
  counts.givenUp += pairs.length;
  const labelled = pairs.map((pair) => ({ pair, label: { ...UNREADABLE, slot: pair.slot } }));
  await store(context, labelled, { model: work.model, counts, room: 0, answer: null });
}

interface StoreOptions {
  model: string;
  counts: LabelCounts;
  room: number;
  /** What the labels were read from: settled in the same transaction. */
  answer: { key: string; attempt: number } | null;
}

/** In review mode a person wants to see what would be superseded; and one run supersedes so many and no more. */
async function store(
  context: StepContext,
  given: readonly { pair: StoredPair; label: PairLabel }[],
  { model, counts, room, answer }: StoreOptions,
): Promise<void> {
  const { tenant, user, at, runId, mode } = context;
  let free = room - counts.superseded;
  const labelled: LabelledPair[] = given.map(({ pair, label }) => {
    const decision = decideLabel(pair, label, { supersede: mode === 'auto' && free > 0 });
    if (decision.kind === 'supersede') free -= 1;
    return { pair, label, decision };
  });
  const stored = await context.write((tx) =>
    storeLabels(tx, { tenant, user, at, runId, model, labelled, answer }),
  );
  counts.pairs += given.length;
  for (const { label } of given) count(counts.labels, label.type);
  counts.superseded += stored.superseded;
  counts.stale += stored.stale;
  counts.left += stored.left;
}
