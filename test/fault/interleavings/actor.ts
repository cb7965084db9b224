import { type Database, openServer } from '@slowwave/db';
import type { PoolClient } from 'pg';

/** Thrown at a gate into an operation whose order is not looked at any further. */
export class Abandoned extends Error {}

export type Standing =
  /** Waits for permission to send this statement. */
  | { at: 'gate'; text: string }
  /** Has sent it; the server works on it, or lets it wait for a lock. */
  | { at: 'running'; text: string }
  | { at: 'ended'; outcome: string };

/** One connection whose statements are sent one by one, each when it is told to. */
export interface Actor {
  database: Database;
  /** Process id of the server's side. */
  pid(): number;
  /** Begins an operation; its first statement waits at the gate. The outcome of one that fails is its error's code. */
  begin(operation: (database: Database) => Promise<string>): void;
  standing(): Standing;
  /** Lets the statement at the gate pass. */
  grant(): void;
  /** Lets the operation fail at its next statement, and resolves when it has ended. */
  abandon(): Promise<void>;
  /** Resolves at the next change of standing. */
  changed(): Promise<void>;
  close(): Promise<void>;
}

type Query = (...args: unknown[]) => unknown;

const textOf = (query: unknown): string =>
  typeof query === 'string' ? query : String((query as { text?: unknown }).text ?? '');

/** Opens a connection of its own to the database. */
export async function openActor(url: string): Promise<Actor> {
  const database = await openServer({ url, poolSize: 1, connectTimeoutMs: 60_000 });
  const pool = database.pool!;
  let standing: Standing = { at: 'ended', outcome: 'idle' };
  let pass: { go(): void; fail(error: Error): void } | null = null;
  let abandoned = false;
  let tell: () => void = () => undefined;
  let change = new Promise<void>((resolve) => {
    tell = resolve;
  });
  let ended: Promise<void> = Promise.resolve();
  let backend = 0;

  function stand(next: Standing): void {
    standing = next;
    tell();
    change = new Promise((resolve) => {
      tell = resolve;
    });
  }
  function atGate(text: string): Promise<void> {
    if (abandoned) return text === 'rollback' ? Promise.resolve() : Promise.reject(new Abandoned());
    return new Promise((go, fail) => {
      pass = { go, fail };
      stand({ at: 'gate', text });
    });
  }
  function watch(client: PoolClient): void {
    backend = (client as unknown as { processID: number }).processID;
    const send = client.query.bind(client) as Query;
    const gated: Query = async (...args) => {
      await atGate(textOf(args[0]));
      return send(...args);
    };
    (client as unknown as { query: Query }).query = gated;
  }
  // The connection that stands, and whichever comes in its place.
  const client = await pool.connect();
  watch(client);
  client.release();
  pool.on('connect', watch);

  return {
    database,
    pid: () => backend,
    standing: () => standing,
    changed: () => change,
    begin(operation) {
      abandoned = false;
      standing = { at: 'running', text: '' };
      ended = operation(database)
        .catch((error: unknown) => outcomeOf(error))
        .then((outcome) => stand({ at: 'ended', outcome }));
    },
    grant() {
      if (standing.at !== 'gate' || !pass) throw new Error('nothing waits at the gate');
      const { go } = pass;
      pass = null;
      standing = { at: 'running', text: standing.text };
      go();
    },
    async abandon() {
      abandoned = true;
      const waiting = pass;
      pass = null;
      if (standing.at === 'gate' && standing.text === 'rollback') waiting?.go();
      else waiting?.fail(new Abandoned());
      await ended;
    },
    close: () => database.close(),
  };
}

/** How an operation failed: the code of its error, with the SQLSTATE of what the database refused. Never its message. */
function outcomeOf(error: unknown): string {
  if (error instanceof Abandoned) return 'abandoned';
  const { code, sqlState, constraint } = error as {
    code?: unknown;
    sqlState?: unknown;
    constraint?: unknown;
  };
  if (typeof code !== 'string') throw error;
  const parts = [code, sqlState, constraint].filter((part) => typeof part === 'string');
  return `refused:${parts.join(':')}`;
}
