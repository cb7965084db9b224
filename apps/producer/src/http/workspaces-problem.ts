import { WorkspaceRefused } from '@slowwave/db';
import {
  InvalidInsightSchedule,
  MemoryBackendError,
  type MemoryBackendErrorCode,
  RegionRefused,
} from '@slowwave/workspace';
import { UserBusy } from '../workspaces/holding.ts';
import { ExtractionRefused } from '../workspaces/insights.ts';
import { UnknownWorkspaceRun } from '../workspaces/runs.ts';

const STATUS: Record<MemoryBackendErrorCode, number> = {
  UNSUPPORTED: 400,
  NOT_FOUND: 404,
  READ_ONLY: 409,
  CONFLICT: 409,
  QUOTA_EXCEEDED: 413,
  READ_FAILED: 500,
  WRITE_FAILED: 500,
  BACKEND_UNAVAILABLE: 503,
};

/** What a client is told of an error. */
interface Told {
  status: number;
  code: string;
  detail: string;
  more: Record<string, unknown>;
}

/** What is told of an error of workspaces and their backends, whose codes are those of the contract; null for any other error. */
export function workspaceProblem(error: unknown): Told | null {
  if (error instanceof MemoryBackendError) {
    const { code, message: detail, backend } = error;
    return { status: STATUS[code], code, detail, more: { backend } };
  }
  if (error instanceof ExtractionRefused) {
    const status = error.code === 'unknown_workspace' ? 404 : 409;
    return { status, code: error.code, detail: error.message, more: {} };
  }
  if (error instanceof UserBusy) {
    return { status: 409, code: error.code, detail: error.message, more: { retryable: true } };
  }
  if (error instanceof InvalidInsightSchedule) {
    return { status: 400, code: 'invalid_request', detail: error.message, more: {} };
  }
  if (error instanceof RegionRefused) {
    return { status: 409, code: 'CONFLICT', detail: error.message, more: {} };
  }
  const isUnknown = error instanceof UnknownWorkspaceRun;
  if (!isUnknown && !(error instanceof WorkspaceRefused)) return null;
  const status = error.code === 'folder_taken' ? 409 : 404;
  return { status, code: error.code, detail: error.message, more: {} };
}
