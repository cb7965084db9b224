import {
  type Database,
  getWorkspace,
  type Workspace,
  type WorkspaceKey,
  WorkspaceRefused,
} from '@slowwave/db';
import {
  createDatabaseHistory,
  createDocumentFiles,
  createDocumentTree,
  createFolderFiles,
  createFolderTree,
  createPostgresMemoryBackend,
  FileMemoryBackend,
  type FileTree,
  getMemoryBackend,
  listMemoryBackendTypes,
  type MemoryBackend,
  MemoryBackendError,
  QmdMemoryBackend,
  ReadOnlyMemoryBackend,
  type WorkspaceFiles,
} from '@slowwave/workspace';
import { type AllowedFolders, requireFolder } from './folders.ts';

export interface PlaceOptions {
  database: Database;
  /** Below which folders this process may work. */
  folders: AllowedFolders;
  /** Epoch ms. */
  now: () => number;
}

/** A workspace with what reads and writes it from this process. */
export interface Place {
  workspace: Workspace;
  /** What the backend knows the workspace by. */
  rootDir: string;
  backend: MemoryBackend;
  /** Its documents and ours; null where nothing can be written. */
  files: WorkspaceFiles | null;
  /** All its files and folders, as the memory tool sees them; null where there is nothing to write or read. */
  tree: FileTree | null;
}

export function unknownWorkspace({ workspace }: WorkspaceKey): WorkspaceRefused {
  return new WorkspaceRefused('unknown_workspace', workspace, 'there is no such workspace of this user');
}

/** Types that a workspace may have: those of this project, and those that somebody registered. */
export function backendTypes(): string[] {
  return ['postgres', ...listMemoryBackendTypes().filter((type) => type !== 'postgres')];
}

/** The workspace of a key as it is kept. @throws WorkspaceRefused `unknown_workspace` */
export async function workspaceOf(database: Database, key: WorkspaceKey): Promise<Workspace> {
  const found = await database.withTenant(key.tenant, (tx) => getWorkspace(tx, key));
  if (found === null) throw unknownWorkspace(key);
  return found;
}

/**
 * Opens a workspace for whoever reads or writes it.
 * @param by who writes, in the history of documents
 * @throws WorkspaceRefused `unknown_workspace`; MemoryBackendError BACKEND_UNAVAILABLE when it cannot be reached from here
 */
export async function openPlace(options: PlaceOptions, key: WorkspaceKey, by: string): Promise<Place> {
  const workspace = await workspaceOf(options.database, key);
  if (workspace.rootDir !== null) await requireFolder(workspace.rootDir, options.folders);
  const backend = backendOf(options, workspace, by);
  const isWritable = backend.capabilities.writable;
  const files = isWritable ? filesOf(options, workspace) : null;
  const tree = isWritable ? treeOf(options, workspace) : null;
  return { workspace, rootDir: workspace.rootDir ?? workspace.workspace, backend, files, tree };
}

function treeOf({ database, now }: PlaceOptions, workspace: Workspace): FileTree {
  const { tenant, user, rootDir, backend } = workspace;
  const key = { tenant, user, workspace: workspace.workspace };
  if (rootDir === null) return createDocumentTree({ database, key, now });
  const history = createDatabaseHistory({ database, key, now, backend });
  return createFolderTree({ rootDir, database, key, history, backend, now });
}

/** The documents of a workspace, ours included, wherever they are. */
export function filesOf({ database, now }: PlaceOptions, workspace: Workspace): WorkspaceFiles {
  const { tenant, user, rootDir, backend } = workspace;
  const key = { tenant, user, workspace: workspace.workspace };
  if (rootDir === null) return createDocumentFiles({ database, key, now });
  const history = createDatabaseHistory({ database, key, now, backend });
  return createFolderFiles({ rootDir, history, backend, now });
}

function backendOf({ database, now }: PlaceOptions, workspace: Workspace, by: string): MemoryBackend {
  const { tenant, user, rootDir, backend: type } = workspace;
  const key = { tenant, user, workspace: workspace.workspace };
  const history = () => createDatabaseHistory({ database, key, now, backend: type });
  if (type === 'readonly') return new ReadOnlyMemoryBackend();
  if (type === 'postgres') return createPostgresMemoryBackend({ database, resolve: () => key, now, by });
  if (rootDir !== null && type === 'file') return new FileMemoryBackend({ by, now, history: history() });
  if (rootDir !== null && type === 'qmd') return new QmdMemoryBackend({ by, now, history: history() });
  const registered = rootDir === null || ['file', 'qmd'].includes(type) ? undefined : getMemoryBackend(type);
  if (registered) return registered;
  throw new MemoryBackendError('BACKEND_UNAVAILABLE', 'the backend of the workspace is not known here', type);
}
