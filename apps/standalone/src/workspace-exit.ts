/** How a command ends that was refused: as a mistake in the command, as things stand, or for want of what it needs. */
export type Refusal = 'mistake' | 'refused' | 'unreachable';

const REFUSALS: Record<string, Refusal> = {
  UNSUPPORTED: 'mistake',
  NOT_FOUND: 'mistake',
  READ_ONLY: 'refused',
  CONFLICT: 'refused',
  QUOTA_EXCEEDED: 'refused',
  READ_FAILED: 'refused',
  WRITE_FAILED: 'refused',
  BACKEND_UNAVAILABLE: 'unreachable',
  unknown_user: 'mistake',
  unknown_workspace: 'mistake',
  unknown_run: 'mistake',
  folder_taken: 'refused',
  disabled: 'refused',
  empty: 'refused',
  too_soon: 'refused',
  too_small: 'refused',
  busy: 'refused',
  several_regions: 'refused',
  broken_region: 'refused',
  broken_entry: 'refused',
  invalid_schedule: 'mistake',
  invalid_request: 'mistake',
};

/** The same for an error here and for a service that answers with its code; null for codes of anything else. */
export function refusalOf(code: string): Refusal | null {
  return REFUSALS[code] ?? null;
}

/** What a running service says of a workspace, with the code of the error that it had. */
export class ToldByService extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.name = 'ToldByService';
    this.code = code;
  }
}

/** By their names: a command that fails does not load what none of its work needed. */
const KINDS: ReadonlySet<string> = new Set([
  'ToldByService',
  'MemoryBackendError',
  'WorkspaceRefused',
  'UnknownWorkspaceRun',
  'ExtractionRefused',
  'UserBusy',
  'RegionRefused',
  'InvalidInsightSchedule',
]);

/** Errors of workspaces; their messages name paths and codes only. */
export function isWorkspaceError(error: unknown): error is Error & { code: string } {
  return error instanceof Error && KINDS.has(error.name) && 'code' in error;
}
