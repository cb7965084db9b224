import {
  contentHashOf,
  countForgets,
  type IdleSession,
  listIdleSessions,
  listMessages,
  listSummariesToEmbed,
  markSummaryFailed,
  SUMMARY_FAILURES_MAX,
  settleAnswer,
  storeSessionSummary,
  storeSummaryEmbeddings,
} from '@slowwave/db';
import {
  buildSummaryRequest,
  judgeSummary,
  type StoredAnswer,
  SUMMARY_PROMPT_VERSION,
  type SummaryMessage,
} from '@slowwave/fusion';
import type { Step, StepContext } from '../context.ts';
import { embedTexts } from '../embed-texts.ts';
import { codeOf } from '../errors.ts';
import { askOnce, type PaidAnswer } from '../paid-answer.ts';
import { IDLE_SESSIONS, MIN_MESSAGES, SESSION_IDLE_MS, SUMMARIES_TO_EMBED } from '../questions.ts';
import { isOpen, type ModelWork, openModelWork, type StopReason } from './model-work.ts';
import { count, type Tally } from './tally.ts';

/** What is read of one session; a request shows less of it than this. */
const MESSAGES_MAX = 1_000;
const CHARS_MAX = 100_000;

interface SummaryCounts {
  /** Sessions that were over, long enough and not summarised yet. */
  idle: number;
  summarized: number;
  /** Summaries out of answers that an earlier run had paid for. */
  reused: number;
  /** Sessions that were summarised, removed or partly forgotten by somebody else meanwhile. */
  overtaken: number;
  /** Answers that could not be used, by reason, and questions that failed, by code. */
  rejected: Tally;
  failed: Tally;
  stopped: StopReason | null;
}

/** What sessions that are over were about, each in two or three sentences, embedded. */
export const summaries: Step = {
  name: 'summaries',
  asks: [IDLE_SESSIONS, SUMMARIES_TO_EMBED],
  async run(context) {
    const work = openModelWork(context, 'summaries', ['auto', 'review', 'off']);
    if (!isOpen(work)) return work;
    const sessions = await idleSessions(context, work);
    const counts: SummaryCounts = {
      idle: sessions.length,
      summarized: 0,
      reused: 0,
      overtaken: 0,
      rejected: {},
      failed: {},
      stopped: null,
    };
    for (const session of sessions) {
      counts.stopped = work.stopped() ?? (await summarize(context, work, session, counts));
      if (counts.stopped !== null) break;
    }
    const embedded = await embedSummaries(context).catch((error: unknown) => {
      if (codeOf(error) === 'budget') return 0;
      throw error;
    });
    return { status: 'done', counts: { ...counts, embedded, usage: work.usage() } };
  },
};

async function idleSessions(
  { look, database, tenant, user, at }: StepContext,
  work: ModelWork,
): Promise<IdleSession[]> {
  if (!(await look.seen(IDLE_SESSIONS))) return [];
  const idle = { idleMs: SESSION_IDLE_MS, minMessages: MIN_MESSAGES, limit: work.limits.items };
  return database.withTenant(tenant, (tx) => listIdleSessions(tx, { tenant, user, at, ...idle }));
}

/** Summarises one session and counts how it went. @returns why model work is over, or null */
async function summarize(
  context: StepContext,
  work: ModelWork,
  session: IdleSession,
  counts: SummaryCounts,
): Promise<StopReason | null> {
  const { database, tenant, user } = context;
  const sessionId = session.id;
  const { messages, forgets } = await database.withTenant(tenant, async (tx) => ({
    // Counted first: what is forgotten between the two is counted as well as seen, and never neither.
    forgets: await countForgets(tx, { tenant, user }),
    messages: await listMessages(tx, { tenant, user, sessionId, limit: MESSAGES_MAX, maxChars: CHARS_MAX }),
  }));
  const paid = await askOnce(context, {
    step: 'summaries',
    promptVersion: SUMMARY_PROMPT_VERSION,
    model: work.model,
    provider: work.provider,
    parts: [sessionId, contentHashOf(JSON.stringify(messages))],
    request: buildSummaryRequest(messages),
    memoryIds: [],
    sessionIds: [sessionId],
    forgets,
    maxAttempts: SUMMARY_FAILURES_MAX,
  });
  if (paid.status === 'stopped') return work.reasonOf(paid.why);
  if (paid.status === 'answered') {
    await judge(context, session, messages, paid, counts);
    return null;
  }
  if (paid.status === 'batched') return null;
  const code = paid.status === 'failed' ? paid.code : 'exhausted';
  count(counts.failed, code);
  // What may pass by itself says nothing against the session.
  if (paid.status === 'exhausted' || !paid.transient)
    await context.write((tx) => markSummaryFailed(tx, { tenant, user, sessionId }));
  return null;
}

async function judge(
  context: StepContext,
  session: IdleSession,
  messages: SummaryMessage[],
  paid: Extract<PaidAnswer, { status: 'answered' }>,
  counts: SummaryCounts,
): Promise<void> {
  const { tenant, user, at } = context;
  const { key, attempt } = paid;
  const answer: StoredAnswer = paid.answer;
  const sessionId = session.id;
  const verdict = judgeSummary(messages, answer);
  if (!verdict.ok) {
    count(counts.rejected, verdict.reason);
    await context.write(async (tx) => {
      await settleAnswer(tx, { tenant, user, key, attempt, state: 'rejected' });
      await markSummaryFailed(tx, { tenant, user, sessionId });
    });
    return;
  }
  const { summary, topics } = verdict;
  const { messageCount } = session;
  const stored = await context.write(async (tx) => {
    if (!(await settleAnswer(tx, { tenant, user, key, attempt, state: 'accepted' }))) return false;
    return storeSessionSummary(tx, {
      tenant,
      user,
      sessionId,
      summary,
      topics,
      messageCount,
      model: answer.model,
      at,
    });
  });
  if (!stored) counts.overtaken += 1;
  else counts.summarized += 1;
  if (stored && paid.reused) counts.reused += 1;
}

/** Embeds summaries that have no vector yet, also those that an earlier run left behind. @returns how many */
async function embedSummaries(context: StepContext): Promise<number> {
  const { look, database, embedder, tenant, user, at } = context;
  if (!(await look.seen(SUMMARIES_TO_EMBED))) return 0;
  const { model } = embedder;
  const missing = await database.withTenant(tenant, (tx) =>
    listSummariesToEmbed(tx, { tenant, user, model, limit: context.limits.embedBatch }),
  );
  if (missing.length === 0) return 0;
  const vectors = await embedTexts(
    context,
    missing.map(({ sessionId, summary }) => ({ id: sessionId, text: summary })),
  );
  const embeddings = missing.map(({ sessionId, contentHash }, i) => {
    return { sessionId, contentHash, vector: vectors[i]! };
  });
  return context.write((tx) => storeSummaryEmbeddings(tx, { tenant, user, model, at, embeddings }));
}
