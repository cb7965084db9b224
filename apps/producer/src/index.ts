export { laneText } from './dashboard/words.ts';
export { type FillDeps, fillTier, type TickSummary } from './fill.ts';
export { type ChangedMemory, changeMemory, type MemoryChange } from './memory-change.ts';
export {
  answerRecall,
  degradedText,
  type RecallAnswer,
  type RecalledMemory,
  type RecallQuestion,
} from './memory-recall.ts';
export { createProducer, type Producer, type ProducerConfig, type ProducerOptions } from './producer.ts';
export { EXIT, type ServeOptions, serve } from './serve.ts';
export { urlProblem } from './webhooks/address.ts';
export { shownSecret } from './webhooks/sign.ts';
export { type TriedWebhook, tryWebhook } from './webhooks/try.ts';
export { createWorkspaceCalls } from './workspaces/calls.ts';
export { type AllowedFolders, restoredFolder } from './workspaces/folders.ts';
export { UserBusy } from './workspaces/holding.ts';
export { ExtractionRefused } from './workspaces/insights.ts';
export { UnknownWorkspaceRun } from './workspaces/runs.ts';
export type {
  BackendView,
  ExtractionAnswer,
  FileWindow,
  OwnFile,
  UndoneRun,
  WorkspaceCalls,
  WorkspaceRequest,
  WorkspaceView,
  WorkspaceWork,
  WriteInput,
} from './workspaces/types.ts';
