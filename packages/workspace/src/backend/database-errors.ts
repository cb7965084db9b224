import { DatabaseError, DocumentConflict, InputError, QuotaExceeded, WorkspaceRefused } from '@slowwave/db';
import { MemoryBackendError, type MemoryBackendErrorCode } from './errors.ts';

type Deed = 'read' | 'write';

/** Of a database error: what it means to whoever reads or writes a document. */
function codeOf(error: DatabaseError, deed: Deed): MemoryBackendErrorCode {
  const failed = deed === 'read' ? 'READ_FAILED' : 'WRITE_FAILED';
  const state = error.sqlState ?? '';
  if (error.code === 'unavailable') return 'BACKEND_UNAVAILABLE';
  if (error.code === 'serialization') return deed === 'write' ? 'CONFLICT' : failed;
  // The disk is full; of memory or files open at once there may be more in a moment.
  if (state === '53100') return deed === 'write' ? 'QUOTA_EXCEEDED' : failed;
  if (error.code === 'out_of_space') return 'BACKEND_UNAVAILABLE';
  if (state === '25006' || error.code === 'permission') return deed === 'write' ? 'READ_ONLY' : failed;
  if (state === '22021' || state === '22P05') return 'UNSUPPORTED';
  return failed;
}

/**
 * What the contract calls an error of the database. Messages name paths and codes only. Errors of the contract pass unchanged, and so does
 * what is no error of reading or writing.
 */
export function memoryErrorOf(error: unknown, deed: Deed, backend: string): unknown {
  if (error instanceof MemoryBackendError) return error;
  const as = (code: MemoryBackendErrorCode, message: string) =>
    new MemoryBackendError(code, message, backend, { cause: error });
  if (error instanceof DocumentConflict) return as('CONFLICT', error.message);
  if (error instanceof QuotaExceeded) return as('QUOTA_EXCEEDED', error.message);
  if (error instanceof InputError)
    return as('UNSUPPORTED', `The memory file cannot be kept: ${error.message}`);
  if (error instanceof WorkspaceRefused)
    return as('BACKEND_UNAVAILABLE', 'There is no such workspace in the database');
  if (error instanceof DatabaseError)
    return as(codeOf(error, deed), `Failed to ${deed} memory file: ${error.message}`);
  const failed = deed === 'read' ? 'READ_FAILED' : 'WRITE_FAILED';
  return as(failed, `Failed to ${deed} memory file`);
}
