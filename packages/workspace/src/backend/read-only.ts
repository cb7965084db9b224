import { MemoryBackendError } from './errors.ts';
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

/** Memory that is kept elsewhere: nothing to read here, and nothing can be written. */
export class ReadOnlyMemoryBackend implements MemoryBackend {
  readonly type = 'readonly';
  readonly name = 'Read-Only';
  readonly pathHint = null;
  readonly capabilities: MemoryBackendCapabilities = {
    readable: true,
    writable: false,
    supportsAtomicWrite: false,
    hasConflictResolution: false,
    persistent: false,
  };

  private refused(): MemoryBackendError {
    return new MemoryBackendError('READ_ONLY', 'This memory backend cannot be written', this.type);
  }

  async read(_rootDir: string): Promise<MemoryReadResult> {
    return { content: '', exists: false, backend: this.type };
  }

  async write(_rootDir: string, _content: string, _options?: MemoryWriteOptions): Promise<MemoryWriteResult> {
    throw this.refused();
  }

  async get(_rootDir: string, _options: MemoryGetOptions): Promise<MemoryGetResult> {
    throw new MemoryBackendError('NOT_FOUND', 'This memory backend holds no files', this.type);
  }

  async search(_rootDir: string, _options: MemorySearchOptions): Promise<MemorySearchResult[]> {
    return [];
  }

  async list(_rootDir: string): Promise<MemoryFileInfo[]> {
    return [];
  }

  async readFile(_rootDir: string, _path: string): Promise<MemoryFileContent> {
    throw new MemoryBackendError('NOT_FOUND', 'This memory backend holds no files', this.type);
  }

  async writeFile(_rootDir: string, _path: string, _content: string): Promise<MemoryWriteResult> {
    throw this.refused();
  }

  async append(_rootDir: string, _path: string, _content: string): Promise<MemoryWriteResult> {
    throw this.refused();
  }
}
