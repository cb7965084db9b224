export { type BlockMemory, readBlockMemories } from './block-memories.ts';
export type { BlockInput, BlockOutcome, NewBlock, NotesDay } from './block-types.ts';
export { importBlocks } from './blocks.ts';
export { type BlocksGone, removeBlocks } from './blocks-gone.ts';
export {
  DOCUMENT_VERSIONS_MAX,
  type DocumentEntry,
  type DocumentWrite,
  foldersAbove,
  listDocuments,
  NOTHING_STANDS,
  readDocument,
  readDocuments,
  removeDocument,
  type StoredDocument,
  writeDocument,
} from './documents.ts';
export { DocumentConflict, QuotaExceeded, WorkspaceRefused, type WorkspaceRefusedCode } from './errors.ts';
export * from './files.ts';
export * from './insight-schedule.ts';
export { lockWorkspace, type WorkspaceKey } from './key.ts';
export {
  BLOCKS_PER_CALL_MAX,
  type BlockKey,
  type BlockRecord,
  type BlockState,
  type ImportedFile,
  importedFile,
  type LedgerBlock,
  listImportedFiles,
  markFile,
  readBlocks,
  recordBlocks,
} from './ledger.ts';
export { type Night, type NightMemory, readNight } from './night.ts';
export * from './projected-lines.ts';
export { planWorkspaceRun, readMarkedMemories } from './projection.ts';
export * from './promotion.ts';
export * from './runs.ts';
export {
  askWorkspaces,
  findWorkspaceAt,
  getWorkspace,
  listWorkspaces,
  putWorkspace,
  removeWorkspace,
  type Workspace,
  type WorkspaceChange,
  type WorkspaceSettings,
} from './settings.ts';
export * from './versions.ts';
