export { askActivity, readActivity } from './activity.ts';
export {
  type AppendInput,
  appendMessages,
  MESSAGE_CHARS_MAX,
  MESSAGES_PER_CALL_MAX,
  type NewMessage,
} from './append.ts';
export {
  askIdleSessions,
  type IdleSession,
  listIdleSessions,
  listMessages,
  type MessageRole,
  SUMMARY_FAILURES_MAX,
} from './messages.ts';
export {
  askUnreflected,
  listSummaries,
  listUnreflected,
  markSummaryFailed,
  type SessionSummary,
  storeSessionSummary,
} from './summaries.ts';
export {
  askSummariesToEmbed,
  listSummariesToEmbed,
  type SummaryToEmbed,
  storeSummaryEmbeddings,
} from './summary-embeddings.ts';
