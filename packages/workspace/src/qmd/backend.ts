import { type FileBackendOptions, FileMemoryBackend } from '../backend/file.ts';
import type {
  MemoryBackend,
  MemoryBackendCapabilities,
  MemoryFileContent,
  MemoryFileInfo,
  MemoryGetOptions,
  MemoryGetResult,
  MemoryReadResult,
  MemorySearchOptions,
  MemorySearchReport,
  MemorySearchResult,
  MemoryWriteOptions,
  MemoryWriteResult,
} from '../backend/types.ts';
import { projectTarget, QMD_COMMAND } from './commands.ts';
import { type QmdExecutor, QmdFailure, runQmd } from './executor.ts';
import { reasonOf } from './index-folder.ts';
import { scheduleRefresh, shouldSkipBackgroundQmdRefresh } from './refresh.ts';
import { searchIndex } from './search.ts';

/** For everything that a search asks of qmd together; then the files themselves are searched. Milliseconds. */
const DEADLINE_MS = 2_000;

export interface QmdBackendOptions extends Omit<FileBackendOptions, 'label'> {
  executor?: QmdExecutor;
  /** The executable; default `qmd`, wherever PATH has it. */
  command?: string;
  deadlineMs?: number;
  /** Whether writes and searches bring the index up to date in the background; default true. */
  refreshes?: boolean;
}

/** Settles when the work does, or fails at the deadline whatever becomes of the work, which is told to end. */
async function within<T>(deadlineMs: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const end = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new QmdFailure('timeout'));
      end.abort();
    }, deadlineMs);
  });
  try {
    return await Promise.race([work(end.signal), late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Memory as files, searched by qmd where it is installed and by ourselves where it is not. qmd is never installed from here. */
export class QmdMemoryBackend implements MemoryBackend {
  readonly type = 'qmd';
  readonly name = 'QMD (qmd index/query integration)';
  readonly pathHint = null;
  readonly capabilities: MemoryBackendCapabilities = {
    readable: true,
    writable: true,
    // The index follows the files later.
    supportsAtomicWrite: false,
    hasConflictResolution: false,
    persistent: true,
  };
  private readonly options: QmdBackendOptions;
  private readonly files: FileMemoryBackend;

  constructor(options: QmdBackendOptions = {}) {
    this.options = options;
    this.files = new FileMemoryBackend({ ...options, label: this.type });
  }

  /** Under a test runner only an executor that was given is run. */
  private get isIdle(): boolean {
    return this.options.executor === undefined && shouldSkipBackgroundQmdRefresh();
  }

  private get executor(): { execFileAsync: QmdExecutor; command: string; now: () => number } {
    const { executor = runQmd, command = QMD_COMMAND, now = Date.now } = this.options;
    return { execFileAsync: executor, command, now };
  }

  private refreshLater(rootDir: string): void {
    if (this.isIdle || this.options.refreshes === false) return;
    scheduleRefresh(projectTarget(rootDir), this.executor);
  }

  async read(rootDir: string): Promise<MemoryReadResult> {
    return this.files.read(rootDir);
  }

  async write(rootDir: string, content: string, options?: MemoryWriteOptions): Promise<MemoryWriteResult> {
    const result = await this.files.write(rootDir, content, options);
    this.refreshLater(rootDir);
    return result;
  }

  async exists(rootDir: string): Promise<boolean> {
    return this.files.exists(rootDir);
  }

  async get(rootDir: string, options: MemoryGetOptions): Promise<MemoryGetResult> {
    return this.files.get(rootDir, options);
  }

  async list(rootDir: string): Promise<MemoryFileInfo[]> {
    return this.files.list(rootDir);
  }

  async readFile(rootDir: string, path: string): Promise<MemoryFileContent> {
    return this.files.readFile(rootDir, path);
  }

  async writeFile(
    rootDir: string,
    path: string,
    content: string,
    options?: MemoryWriteOptions,
  ): Promise<MemoryWriteResult> {
    const result = await this.files.writeFile(rootDir, path, content, options);
    this.refreshLater(rootDir);
    return result;
  }

  async append(rootDir: string, path: string, content: string): Promise<MemoryWriteResult> {
    const result = await this.files.append(rootDir, path, content);
    this.refreshLater(rootDir);
    return result;
  }

  async search(rootDir: string, options: MemorySearchOptions): Promise<MemorySearchResult[]> {
    return (await this.searchReport(rootDir, options)).hits;
  }

  /** Asks qmd within the deadline. No hit of its, or no answer: the files themselves are searched, and the report says which it was. */
  async searchReport(rootDir: string, options: MemorySearchOptions): Promise<MemorySearchReport> {
    let reason: QmdFailure['reason'] | null = null;
    try {
      if (this.isIdle) throw new QmdFailure('skipped');
      const deadlineMs = this.options.deadlineMs ?? DEADLINE_MS;
      const target = projectTarget(rootDir);
      const hits = await within(deadlineMs, (signal) =>
        searchIndex(target, options, { ...this.executor, timeout: deadlineMs, signal }),
      );
      if (hits.length > 0) return { hits, degraded: false, reason: null, source: 'index' };
    } catch (error) {
      reason = reasonOf(error);
    } finally {
      this.refreshLater(rootDir);
    }
    const found = await this.files.search(rootDir, options);
    const degraded = reason !== null;
    const hits = degraded ? found.map((hit) => ({ ...hit, degraded })) : found;
    return { hits, degraded, reason, source: 'files' };
  }
}
