export {
  createPostgresMemoryBackend,
  type PostgresBackendOptions,
  type PostgresMemoryBackend,
} from './backend/postgres.ts';
export * from './blocks/index.ts';
export { createDatabaseHistory } from './files/database-history.ts';
export { createDocumentFiles, type DocumentFiles, type DocumentFilesOptions } from './files/documents.ts';
export {
  createFolderFiles,
  type FolderFiles,
  type FolderFilesOptions,
  textHash,
} from './files/folder.ts';
export { createProcessHistory, type DocumentChange, type DocumentHistory } from './files/history.ts';
export type { FileEntry, StoredFile, WorkspaceFiles, WriteOptions } from './files/port.ts';
export * from './memory-backend.ts';
export * from './memory-insights.ts';
export * from './project-memory.ts';
export * from './projection/index.ts';
