import type { Workspace, WorkspaceKey, WorkspaceRun, WorkspaceSettings, WorkspaceWork } from '@slowwave/db';
import type {
  MemoryAuditReport,
  MemoryBackendCapabilities,
  MemoryFileInfo,
  MemoryGetResult,
  MemoryInstructionContext,
  MemoryReadResult,
  MemorySearchReport,
  MemoryWriteResult,
  ProjectionPreview,
  ProjectionResult,
  TreeChange,
  TreeView,
} from '@slowwave/workspace';

export type { Workspace, WorkspaceKey, WorkspaceRun, WorkspaceWork };

/** What people may say of a workspace; what is absent stays, or is the default. */
export type WorkspaceRequest = Partial<
  Omit<WorkspaceSettings, 'insightsDueAt' | 'insightsLastRunAt' | 'insightsLastSize' | 'createdAt'>
>;

/** As kept, and whether its documents can be reached from this process. */
export interface WorkspaceView extends Workspace {
  reachable: boolean;
}

/** Who writes, and what is expected to stand there: its version, null for nothing, absent for whatever stands there. */
export interface WriteInput {
  content: string;
  by: string;
  expected?: string | null | undefined;
}

export interface FileWindow extends MemoryGetResult {
  /** Whether the document has lines that are not among these. */
  truncated: boolean;
  /** SHA-256 of the whole document, hex; absent for a part of it. */
  version?: string | undefined;
}

/** What was written. `runId`: of a file of the memory tool, the run that undoes it; null when it stood there so already. */
export interface FileWritten extends MemoryWriteResult {
  runId?: string | null;
}

/** A change of files, with the run that undoes it, and how many files and folders it is about. */
export interface FilesChanged extends TreeChange {
  backend: string;
}

export interface BackendView {
  type: string;
  name: string;
  capabilities: MemoryBackendCapabilities;
  /** Types that a workspace may have here. */
  types: string[];
  /** What instructions to an agent may say of the memory. */
  instructionContext: MemoryInstructionContext;
}

/** One of our own files: the insights, the audit. */
export interface OwnFile {
  content: string;
  exists: boolean;
  backend: string;
  version?: string | undefined;
}

/** An extraction that somebody asked for is due, and done by the run of that id; null: by the next run of the light tier. */
export interface ExtractionAnswer {
  status: 'queued';
  runId: string | null;
}

export interface UndoneRun {
  id: string;
  work: WorkspaceWork;
  status: 'undone' | 'already_undone';
  /** Documents that stand again as they did before the run. */
  paths: string[];
}

/** Everything that is done with workspaces, in this process or by asking a running service; errors are those of the parts. */
export interface WorkspaceCalls {
  /** Makes a workspace, or changes what is given of one. */
  put(of: WorkspaceKey, change: WorkspaceRequest): Promise<{ created: boolean; workspace: WorkspaceView }>;
  list(of: Omit<WorkspaceKey, 'workspace'>): Promise<WorkspaceView[]>;
  show(of: WorkspaceKey): Promise<WorkspaceView>;
  /** Documents in the database go with it; files of a folder stay. */
  remove(of: WorkspaceKey): Promise<void>;

  read(of: WorkspaceKey): Promise<MemoryReadResult>;
  write(of: WorkspaceKey, input: WriteInput): Promise<MemoryWriteResult>;
  file(
    of: WorkspaceKey,
    input: { path: string; startLine?: number | undefined; lineCount?: number | undefined },
  ): Promise<FileWindow>;
  writeFile(of: WorkspaceKey, input: WriteInput & { path: string }): Promise<FileWritten>;
  append(of: WorkspaceKey, input: { path: string; content: string; by: string }): Promise<MemoryWriteResult>;
  /** Removes a file, or a folder with everything in it. */
  removeFile(of: WorkspaceKey, input: { path: string; by: string }): Promise<FilesChanged>;
  /** Gives a file or a folder another path, where nothing stands yet. */
  renameFile(of: WorkspaceKey, input: { path: string; newPath: string; by: string }): Promise<FilesChanged>;
  /** What stands at a path, and of a folder what stands up to two levels below it. */
  tree(of: WorkspaceKey, input: { path: string }): Promise<TreeView & { backend: string }>;
  files(of: WorkspaceKey): Promise<{ files: MemoryFileInfo[]; backend: string }>;
  search(of: WorkspaceKey, input: { query: string; limit?: number | undefined }): Promise<MemorySearchReport>;
  backend(of: WorkspaceKey): Promise<BackendView>;

  insights(of: WorkspaceKey): Promise<OwnFile>;
  writeInsights(of: WorkspaceKey, input: WriteInput): Promise<MemoryWriteResult>;

  /** Asks for a run that extracts insights. @throws ExtractionRefused with why not */
  extract(of: WorkspaceKey, input: { force: boolean; by: string }): Promise<ExtractionAnswer>;
  /** The report about the memory and its insights, as of now. */
  audit(of: WorkspaceKey): Promise<{ report: MemoryAuditReport; content: string; backend: string }>;

  /** What would be written into MEMORY.md now; changes nothing. */
  preview(of: WorkspaceKey): Promise<ProjectionPreview>;
  /** Brings MEMORY.md up to date now. */
  project(of: WorkspaceKey): Promise<ProjectionResult>;

  /** The latest first. @param input.before the last one of the page before */
  runs(
    of: WorkspaceKey,
    input: {
      limit: number;
      work?: WorkspaceWork | undefined;
      before?: Pick<WorkspaceRun, 'startedAt' | 'id'> | null | undefined;
    },
  ): Promise<WorkspaceRun[]>;
  run(of: WorkspaceKey, id: string): Promise<WorkspaceRun>;
  /** Puts documents back as they stood before a run, as long as they were not changed since. */
  undoRun(of: WorkspaceKey, id: string, input: { by: string }): Promise<UndoneRun>;
}
