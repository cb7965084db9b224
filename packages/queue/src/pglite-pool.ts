import { EventEmitter } from 'node:events';
import type { PgPool } from 'bullmq';
import { createClient, type SharedClient, subscriptions } from './pglite-client.ts';
import { type PgliteLike, run } from './pglite-session.ts';
import { readCommand } from './pglite-sql.ts';

/**
 * A pool in node-postgres's shape over one embedded database. All clients share one session, so:
 * - from BEGIN to COMMIT or ROLLBACK a client has the database to itself; every other statement, and a transaction of the
 *   application, waits. A client released in between is rolled back. Never await anything else of the same database while
 *   a transaction is open: it would wait for itself;
 * - LISTEN goes through the database's own listener, and a client's channels end with its release;
 * - text without parameters may hold many statements, and the last one's result is returned.
 * Values go in and out as with node-postgres. The database stays the caller's: `end` does not close it.
 */
export function createPglitePool(pglite: PgliteLike): PgPool {
  const emitter = new EventEmitter().setMaxListeners(0);
  const clients = new Set<SharedClient>();
  let ended = false;

  function refuseIfEnded(): void {
    // BullMQ knows a closed pool by these words of node-postgres.
    if (ended) throw new Error('Cannot use a pool after calling end on the pool');
  }

  const pool: PgPool = {
    async query<R>(text: string, params?: readonly unknown[]) {
      refuseIfEnded();
      if (readCommand(text).kind !== 'other') {
        throw new Error('a transaction or a subscription needs a client of its own: connect first');
      }
      return run<R>(pglite, text, params);
    },
    async connect() {
      refuseIfEnded();
      const shared = createClient(pglite, () => clients.delete(shared));
      clients.add(shared);
      emitter.emit('connect', shared.client);
      return shared.client;
    },
    async end() {
      ended = true;
      await Promise.all([...clients].map((shared) => shared.dispose()));
    },
    ...subscriptions(emitter, () => pool),
  };
  // BullMQ trusts a long silent wait only on a connection that would notice its own end. This one has no wire to lose.
  return Object.assign(pool, { options: { keepAlive: true } });
}
