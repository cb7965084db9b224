import type { QueueBackend } from './backend.ts';
import { createPglitePool } from './pglite-pool.ts';
import type { PgliteLike } from './pglite-session.ts';

/** Where the queues live, as a configuration says it. */
export type QueueChoice =
  | { kind: 'redis'; url: string; prefix: string }
  | { kind: 'postgres'; url: string }
  | { kind: 'embedded' };

/**
 * The back end of a configuration. The embedded queue shares the embedded database.
 * @throws TypeError when an embedded queue is asked for beside a database server, which the configuration rules out
 */
export function queueBackendOf(choice: QueueChoice, pglite: PgliteLike | null): QueueBackend {
  if (choice.kind !== 'embedded') return choice;
  if (pglite === null) throw new TypeError('an embedded queue needs the embedded database');
  return { kind: 'embedded', pool: createPglitePool(pglite), alone: true };
}
