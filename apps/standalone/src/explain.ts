import { ConfigError } from '@slowwave/config';
import {
  ConflictRefused,
  DatabaseError,
  ForgetRefused,
  ImportError,
  InputError,
  MemoryRefused,
} from '@slowwave/db/vocabulary';
import { CommanderError } from 'commander';
import { ServiceError } from './client.ts';
import { EXIT, HeldBack, UsageError } from './exit.ts';
import { isWorkspaceError, refusalOf } from './workspace-exit.ts';

const OF_REFUSALS = { mistake: EXIT.config, refused: EXIT.failed, unreachable: EXIT.unreachable } as const;

const IN_USE: ReadonlySet<string> = new Set(['folder_in_use', 'folder_lost']);

function explainService({ status, code, message }: ServiceError): { message: string; code: number } {
  if (code === 'unreachable') return { message, code: EXIT.unreachable };
  if (status === 401) {
    return {
      message: 'the service does not know this token: it was mistyped, revoked, or is of another service',
      code: EXIT.config,
    };
  }
  return { message, code: EXIT.failed };
}

/** The sentence and the exit code for anything thrown. Unknown errors show their kind, not their text, which may quote a memory. */
export function explain(error: unknown): { message: string; code: number } {
  // Its message has been printed: help and version end well, anything else is a mistake in the command.
  if (error instanceof CommanderError)
    return { message: '', code: error.exitCode === 0 ? EXIT.ok : EXIT.config };
  if (error instanceof ConfigError || error instanceof UsageError || error instanceof ImportError) {
    return { message: error.message, code: EXIT.config };
  }
  if (error instanceof InputError) return { message: error.message, code: EXIT.config };
  if (error instanceof ConflictRefused) return { message: error.message, code: EXIT.failed };
  if (error instanceof HeldBack || error instanceof MemoryRefused)
    return { message: error.message, code: EXIT.failed };
  if (error instanceof ForgetRefused) {
    return { message: error.message, code: error.retryable ? EXIT.unreachable : EXIT.config };
  }
  if (error instanceof DatabaseError) {
    const code = IN_USE.has(error.code) ? EXIT.inUse : EXIT.unreachable;
    return { message: error.message, code };
  }
  if (error instanceof Error && error.name === 'QueueUnavailable')
    return { message: error.message, code: EXIT.unreachable };
  if (isWorkspaceError(error)) {
    const refusal = refusalOf(error.code);
    if (refusal !== null) return { message: error.message, code: OF_REFUSALS[refusal] };
  }
  if (error instanceof ServiceError) return explainService(error);
  const system = (error as NodeJS.ErrnoException | null)?.code;
  if (system === 'EADDRINUSE') {
    return {
      message: 'the port is taken: choose another with SLOWWAVE_HTTP_PORT (0 takes a free one)',
      code: EXIT.unreachable,
    };
  }
  const name = error instanceof Error ? error.name : typeof error;
  return { message: `slowwave failed: ${name}${system ? ` (${system})` : ''}`, code: EXIT.failed };
}
