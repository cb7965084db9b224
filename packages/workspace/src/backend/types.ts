/** What a backend can do. */
export interface MemoryBackendCapabilities {
  readable: boolean;
  writable: boolean;
  /** A write is there whole or not at all, also for whoever searches. */
  supportsAtomicWrite: boolean;
  /** Concurrent changes are merged, not only told. */
  hasConflictResolution: boolean;
  /** What is written is there for the next process. */
  persistent: boolean;
}

export interface MemoryReadResult {
  /** Empty when there is none. */
  content: string;
  exists: boolean;
  /** The type of the backend that answered. */
  backend: string;
  /** SHA-256 of the content in UTF-8, hex: what `expectedVersion` of a write compares. Absent where backends have no versions. */
  version?: string;
  /** True when nothing could be read: the content is empty for want of an answer, not for want of memory. */
  degraded?: boolean;
}

export interface MemoryWriteOptions {
  /** `version` of what is replaced, null when nothing may stand there yet; absent: the last writer wins. Mismatch: CONFLICT. */
  expectedVersion?: string | null;
}

export interface MemoryWriteResult {
  success: boolean;
  backend: string;
  /** SHA-256 of what stands there now, hex. */
  version?: string;
}

export interface MemoryGetOptions {
  path: string;
  /** From 1; default 1. */
  startLine?: number;
  /** 1 to 400; default 120. */
  lineCount?: number;
}

export interface MemoryGetResult {
  /** As in .fusion/memory/MEMORY.md. */
  path: string;
  content: string;
  startLine: number;
  /** Below `startLine` when the window begins after the last line. */
  endLine: number;
  totalLines: number;
  backend: string;
}

export interface MemorySearchOptions {
  query: string;
  /** 1 to 20; default 5. */
  limit?: number;
}

export interface MemorySearchResult {
  /** As in .fusion/memory/MEMORY.md. */
  path: string;
  /** From 1; `get` of these lines returns text that holds the snippet. */
  lineStart: number;
  lineEnd: number;
  /** At most 700 code points. */
  snippet: string;
  /** Comparable within one answer only. */
  score: number;
  backend: string;
  /** True when the backend's own index could not answer and its files were searched instead. */
  degraded?: boolean;
}

/** A search with where its hits come from, which an empty list of hits cannot tell. */
export interface MemorySearchReport {
  hits: MemorySearchResult[];
  /** True when the backend's own index could not answer. */
  degraded: boolean;
  /** Why, as a code (missing, timeout, exit, output); null when not degraded. */
  reason: string | null;
  /** What answered: the index or the files themselves. */
  source: 'index' | 'files';
}

export type MemoryLayer = 'long-term' | 'daily' | 'dreams';

export interface MemoryFileInfo {
  /** As in .fusion/memory/MEMORY.md. */
  path: string;
  label: string;
  layer: MemoryLayer;
  /** In bytes of UTF-8. */
  size: number;
  /** ISO 8601. */
  updatedAt: string;
}

export interface MemoryFileContent {
  /** As in .fusion/memory/MEMORY.md. */
  path: string;
  content: string;
  /** SHA-256 of the content in UTF-8, hex. */
  version?: string;
}

/** One way to keep the memory of projects, each known by its root folder. */
export interface MemoryBackend {
  readonly type: string;
  readonly name: string;
  readonly capabilities: MemoryBackendCapabilities;
  /** Where instructions may say that the memory is; null or absent: nowhere that an agent should name. */
  readonly pathHint?: string | null;
  /** The long-term memory. Errors: READ_FAILED, UNSUPPORTED, BACKEND_UNAVAILABLE. */
  read(rootDir: string): Promise<MemoryReadResult>;
  /** Replaces the long-term memory. Errors: READ_ONLY, WRITE_FAILED, CONFLICT, QUOTA_EXCEEDED, UNSUPPORTED, BACKEND_UNAVAILABLE. */
  write(rootDir: string, content: string, options?: MemoryWriteOptions): Promise<MemoryWriteResult>;
  /** Lines of one document. Errors: NOT_FOUND, UNSUPPORTED, READ_FAILED, BACKEND_UNAVAILABLE. */
  get?(rootDir: string, options: MemoryGetOptions): Promise<MemoryGetResult>;
  search?(rootDir: string, options: MemorySearchOptions): Promise<MemorySearchResult[]>;
  searchReport?(rootDir: string, options: MemorySearchOptions): Promise<MemorySearchReport>;
  exists?(rootDir: string): Promise<boolean>;
  /** Documents of the three layers: long-term, daily (newest first), dreams. Creates nothing. */
  list?(rootDir: string): Promise<MemoryFileInfo[]>;
  /** One whole document. Errors: NOT_FOUND and those of `read`. */
  readFile?(rootDir: string, path: string): Promise<MemoryFileContent>;
  writeFile?(
    rootDir: string,
    path: string,
    content: string,
    options?: MemoryWriteOptions,
  ): Promise<MemoryWriteResult>;
  /** Adds to the end of a document (created when missing), on a line of its own; others' additions at the same time survive. */
  append?(rootDir: string, path: string, content: string): Promise<MemoryWriteResult>;
}

export interface MemoryBackendConfig {
  type: string;
  options?: Record<string, unknown>;
}

/** Of a project's settings, what chooses the backend. */
export interface MemorySettings {
  memoryBackendType?: string;
  [key: string]: unknown;
}
