import { createFolderFiles, type FolderFiles, type FolderFilesOptions } from '../files/folder.ts';
import {
  displayPath,
  documentName,
  MEMORY_LONG_TERM_FILENAME,
  MEMORY_WORKSPACE_PATH,
} from '../files/paths.ts';
import { type SearchedDocument, searchDocuments } from '../files/search.ts';
import { windowResult } from '../files/window.ts';
import { appended } from './append.ts';
import { isMemoryError, MemoryBackendError } from './errors.ts';
import { fileInfos } from './layers.ts';
import type {
  MemoryBackend,
  MemoryBackendCapabilities,
  MemoryFileContent,
  MemoryFileInfo,
  MemoryGetOptions,
  MemoryGetResult,
  MemoryReadResult,
  MemorySearchOptions,
  MemorySearchResult,
  MemoryWriteOptions,
  MemoryWriteResult,
} from './types.ts';

export interface FileBackendOptions extends Omit<FolderFilesOptions, 'rootDir' | 'backend' | 'folder'> {
  /** Named in answers and errors in place of `file`. */
  label?: string;
  /** Who writes, in the history of a document; default `backend`. */
  by?: string;
}

/** All documents of a folder that can be read; one that cannot is passed over. */
export async function readableDocuments(files: FolderFiles): Promise<SearchedDocument[]> {
  const documents: SearchedDocument[] = [];
  for (const { path } of fileInfos(await files.list())) {
    const name = documentName(path);
    try {
      const found = await files.read(name);
      if (found) documents.push({ name, content: found.content });
    } catch (error) {
      if (!isMemoryError(error, 'READ_FAILED', 'UNSUPPORTED')) throw error;
    }
  }
  return documents;
}

/** Memory as files below the project. */
export class FileMemoryBackend implements MemoryBackend {
  readonly type = 'file';
  readonly name = `File (${MEMORY_WORKSPACE_PATH}/${MEMORY_LONG_TERM_FILENAME})`;
  readonly pathHint = `${MEMORY_WORKSPACE_PATH}/${MEMORY_LONG_TERM_FILENAME}`;
  readonly capabilities: MemoryBackendCapabilities = {
    readable: true,
    writable: true,
    supportsAtomicWrite: true,
    hasConflictResolution: false,
    persistent: true,
  };
  private readonly options: FileBackendOptions;
  private readonly label: string;

  constructor(options: FileBackendOptions = {}) {
    this.options = options;
    this.label = options.label ?? this.type;
  }

  private files(rootDir: string): FolderFiles {
    return createFolderFiles({ ...this.options, rootDir, backend: this.label });
  }

  private get by(): string {
    return this.options.by ?? 'backend';
  }

  async read(rootDir: string): Promise<MemoryReadResult> {
    const found = await this.files(rootDir).read(MEMORY_LONG_TERM_FILENAME);
    if (found === null) return { content: '', exists: false, backend: this.label };
    return { content: found.content, exists: true, backend: this.label, version: found.sha256 };
  }

  async write(rootDir: string, content: string, options?: MemoryWriteOptions): Promise<MemoryWriteResult> {
    return this.writeFile(rootDir, MEMORY_LONG_TERM_FILENAME, content, options);
  }

  async exists(rootDir: string): Promise<boolean> {
    return this.files(rootDir).exists(MEMORY_LONG_TERM_FILENAME);
  }

  async get(rootDir: string, options: MemoryGetOptions): Promise<MemoryGetResult> {
    const { path, content } = await this.readFile(rootDir, options.path);
    return windowResult(documentName(path), content, options, this.label);
  }

  async search(rootDir: string, options: MemorySearchOptions): Promise<MemorySearchResult[]> {
    return searchDocuments(await readableDocuments(this.files(rootDir)), options, this.label);
  }

  async list(rootDir: string): Promise<MemoryFileInfo[]> {
    return fileInfos(await this.files(rootDir).list());
  }

  async readFile(rootDir: string, path: string): Promise<MemoryFileContent> {
    const name = documentName(path);
    const found = await this.files(rootDir).read(name);
    if (found === null) {
      throw new MemoryBackendError('NOT_FOUND', `There is no memory file ${displayPath(name)}`, this.label);
    }
    return { path: displayPath(name), content: found.content, version: found.sha256 };
  }

  async writeFile(
    rootDir: string,
    path: string,
    content: string,
    options?: MemoryWriteOptions,
  ): Promise<MemoryWriteResult> {
    const expected = options?.expectedVersion;
    const name = documentName(path);
    const written = await this.files(rootDir).write(name, content, { by: this.by, expected });
    return { success: true, backend: this.label, version: written.sha256 };
  }

  async append(rootDir: string, path: string, content: string): Promise<MemoryWriteResult> {
    const name = documentName(path);
    const make = (standing: string | null) => appended(standing, content);
    const written = await this.files(rootDir).change(name, make, { by: this.by });
    return { success: true, backend: this.label, version: written.sha256 };
  }
}
