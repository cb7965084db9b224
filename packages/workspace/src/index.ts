export {
  createPostgresMemoryBackend,
  type PostgresBackendOptions,
  type PostgresMemoryBackend,
} from './backend/postgres.ts';
export * from './blocks/index.ts';
export { createDatabaseHistory } from './files/database-history.ts';
export { createDocumentTree } from './files/document-tree.ts';
export { createDocumentFiles, type DocumentFiles, type DocumentFilesOptions } from './files/documents.ts';
export {
  createFolderFiles,
  type FolderFiles,
  type FolderFilesOptions,
  textHash,
} from './files/folder.ts';
export { createFolderTree } from './files/folder-tree.ts';
export { createProcessHistory, type DocumentChange, type DocumentHistory } from './files/history.ts';
export { isToolPath, toolName, treeName, treePath } from './files/paths.ts';
export type { FileEntry, StoredFile, WorkspaceFiles, WriteOptions } from './files/port.ts';
export type { FileTree, TreeChange, TreeKind, TreeView } from './files/tree.ts';
export { lineWindow } from './files/window.ts';
export * from './memory-backend.ts';
export * from './memory-insights.ts';
export * from './project-memory.ts';
export * from './projection/index.ts';
