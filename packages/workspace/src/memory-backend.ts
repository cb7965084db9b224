export {
  getMemoryBackend,
  getMemoryBackendCapabilities,
  listMemoryBackendTypes,
  memoryExists,
  readMemory,
  registerMemoryBackend,
  resolveMemoryBackend,
  writeMemory,
} from './backend/default-registry.ts';
export { isMemoryError, MemoryBackendError, type MemoryBackendErrorCode } from './backend/errors.ts';
export { type FileBackendOptions, FileMemoryBackend } from './backend/file.ts';
export { fileInfos, layerOf } from './backend/layers.ts';
export {
  ensureOpenClawMemoryFiles,
  listAgentMemoryFiles,
  listProjectMemoryFiles,
  readAgentMemoryFile,
  readProjectMemoryFile,
  readProjectMemoryFileContent,
  writeAgentMemoryFile,
  writeProjectMemoryFile,
} from './backend/project-files.ts';
export { ReadOnlyMemoryBackend } from './backend/read-only.ts';
export {
  createRegistry,
  DEFAULT_MEMORY_BACKEND,
  MEMORY_BACKEND_SETTINGS_KEYS,
  type MemoryRegistry,
  type RegistryOptions,
} from './backend/registry.ts';
export type {
  MemoryBackend,
  MemoryBackendCapabilities,
  MemoryBackendConfig,
  MemoryFileContent,
  MemoryFileInfo,
  MemoryGetOptions,
  MemoryGetResult,
  MemoryLayer,
  MemoryReadResult,
  MemorySearchOptions,
  MemorySearchReport,
  MemorySearchResult,
  MemorySettings,
  MemoryWriteOptions,
  MemoryWriteResult,
} from './backend/types.ts';
export {
  AGENT_MEMORY_WORKSPACE_PATH,
  dailyMemoryPath,
  MEMORY_DREAMS_FILENAME,
  MEMORY_LONG_TERM_FILENAME,
  MEMORY_WORKSPACE_PATH,
  memoryDreamsPath,
  memoryLongTermPath,
  memoryWorkspacePath,
} from './files/paths.ts';
export {
  getDefaultDailyMemoryScaffold,
  getDefaultDreamsScaffold,
  getDefaultLongTermMemoryScaffold,
} from './files/scaffolds.ts';
export { type QmdBackendOptions, QmdMemoryBackend } from './qmd/backend.ts';
export {
  buildQmdCollectionAddArgs,
  buildQmdRefreshCommands,
  buildQmdSearchArgs,
  qmdAgentMemoryCollectionName,
  qmdMemoryCollectionName,
} from './qmd/commands.ts';
export {
  type QmdExecutor,
  type QmdReason,
  type QmdRunOptions,
  unrefQmdChildProcess,
} from './qmd/executor.ts';
export {
  ensureQmdInstalled,
  ensureQmdInstalledAndRefresh,
  installQmd,
  isQmdAvailable,
  QMD_INSTALL_COMMAND,
  type QmdInstallOptions,
  scheduleQmdInstallAndRefresh,
} from './qmd/install.ts';
export {
  QMD_REFRESH_INTERVAL_MS,
  type QmdRefreshOptions,
  refreshQmdAgentMemoryIndex,
  refreshQmdProjectMemoryIndex,
  scheduleQmdAgentMemoryRefresh,
  scheduleQmdProjectMemoryRefresh,
  shouldSkipBackgroundQmdRefresh,
} from './qmd/refresh.ts';
