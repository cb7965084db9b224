import {
  askActivity,
  askArchive,
  askAudit,
  askBands,
  askCheckIns,
  askConflicts,
  askCrossings,
  askDueInsights,
  askExpired,
  askExpiredReviews,
  askIdleSessions,
  askItems,
  askLeftFailures,
  askMissingEmbeddings,
  askOldCalls,
  askOldImages,
  askOldRuns,
  askOpenFusions,
  askPrunable,
  askRelations,
  askRemState,
  askSample,
  askSummariesToEmbed,
  askTrustSignals,
  askUncompared,
  askUnreflected,
  askUserHealth,
  askUserProfile,
  askWorkspaces,
  given,
  type Question,
} from '@slowwave/db';
import type { Asking, TierQuestion } from './look.ts';

/** What the steps of the tiers ask about their user. Each is read with all the others of its tier, in one statement. */
function question<Answer>(name: string, ask: (of: Asking) => Question<Answer>): TierQuestion<Answer> {
  return { name, ask };
}

/** A tier that waits longer than this for its turn counts as overdue. */
const GRACE_MS = 15 * 60_000;
/** Memories that one full decay compares. */
const SAMPLE_SIZE = 64;
/** A session in which nobody has said anything for so long is over for now. */
export const SESSION_IDLE_MS = 2 * 60 * 60_000;
/** With fewer a session is not summarised. */
export const MIN_MESSAGES = 4;
const DAY_MS = 24 * 60 * 60_000;
const LONGEST_LOOK_BACK_MS = 7 * DAY_MS;

export const WORKSPACES = question('workspaces', askWorkspaces);

export const MISSING_EMBEDDINGS = question('missing_embeddings', ({ tenant, user, embedder: { model } }) =>
  askMissingEmbeddings({ tenant, user, model }),
);

export const UNCOMPARED = question('uncompared', ({ tenant, user, embedder: { model } }) =>
  askUncompared({ tenant, user, model }),
);

/** When the next one comes does not depend on since when those are counted that have been. */
export const CROSSINGS = question('crossings', ({ lastSuccessAt, ...of }) =>
  askCrossings({ ...of, since: lastSuccessAt ?? 0 }),
);

export const EXPIRED = question('expired', askExpired);
export const ITEMS = question('items', askItems);

export const HEALTH = question('health', ({ embedder, ...of }) =>
  askUserHealth({ ...of, embeddingModel: embedder.model, graceMs: GRACE_MS }),
);

/** What is another answer once memories are embedded. */
export const EMBEDDING_CHANGES: readonly TierQuestion<unknown>[] = [MISSING_EMBEDDINGS, UNCOMPARED, HEALTH];

export const DUE_INSIGHTS = question('due_insights', (of) => askDueInsights(of, of.at));
export const BANDS = question('bands', askBands);
export const DECAY_SAMPLE = question('decay_sample', (of) => askSample({ ...of, limit: SAMPLE_SIZE }));
export const EXPIRED_REVIEWS = question('expired_reviews', askExpiredReviews);

export const OPEN_FUSIONS = question('open_fusions', askOpenFusions);

export const LEFT_FAILURES = question('left_failures', ({ lastSuccessAt, ...of }) =>
  askLeftFailures({ ...of, since: lastSuccessAt ?? 0 }),
);

export const IDLE_SESSIONS = question('idle_sessions', (of) =>
  askIdleSessions({ ...of, idleMs: SESSION_IDLE_MS, minMessages: MIN_MESSAGES }),
);

export const SUMMARIES_TO_EMBED = question('summaries_to_embed', ({ tenant, user, embedder: { model } }) =>
  askSummariesToEmbed({ tenant, user, model }),
);

export const AUDIT = question('audit', askAudit);
export const ARCHIVE = question('archive', askArchive);

/** The instant before which records of runs and of what they cost go, epoch ms. */
export const recordsBefore = ({ at, limits }: Pick<Asking, 'at' | 'limits'>): number =>
  at - limits.runRetentionMs;

export const PRUNABLE = question('prunable', ({ limits: { retentionMs }, ...of }) =>
  retentionMs === null ? given(false) : askPrunable({ ...of, retentionMs }),
);

export const OLD_IMAGES = question('old_images', ({ limits: { journalRetentionMs }, ...of }) =>
  journalRetentionMs === null ? given(false) : askOldImages({ ...of, retentionMs: journalRetentionMs }),
);

export const OLD_RUNS = question('old_runs', (of) => askOldRuns({ ...of, before: recordsBefore(of) }));
export const OLD_CALLS = question('old_calls', (of) => askOldCalls({ ...of, before: recordsBefore(of) }));
export const RELATIONS = question('relations', askRelations);
export const PROFILE = question('profile', askUserProfile);
/** Of sessions that are over: their topics are known by then. */
export const ACTIVITY = question('activity', (of) => askActivity({ ...of, at: of.at - SESSION_IDLE_MS }));
export const TRUST_SIGNALS = question('trust_signals', askTrustSignals);
export const CHECK_INS = question('check_ins', askCheckIns);
export const CONFLICTS = question('conflicts', askConflicts);
export const REM_STATE = question('rem_state', askRemState);
export const UNREFLECTED = question('unreflected', (of) =>
  askUnreflected({ ...of, since: lookBackFrom(of) }),
);

/** The last day; or since sleep last succeeded, when that is longer ago; never more than a week. */
export function lookBackFrom({ at, lastSuccessAt }: Pick<Asking, 'at' | 'lastSuccessAt'>): number {
  const since = Math.min(at - DAY_MS, lastSuccessAt ?? Number.NEGATIVE_INFINITY);
  return Math.max(since, at - LONGEST_LOOK_BACK_MS);
}
