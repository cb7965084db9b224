import type pg from 'pg';

/** A statement as it went to the server. */
export interface Statement {
  text: string;
  /** Statements of one transaction stand between its begin and its commit, on one connection. */
  connection: number;
  /** When it was sent, and answered, ms of performance.now(). Not answered yet, or by a stream: none. */
  sentMs?: number;
  answeredMs?: number;
}

/** Begin, commit, and the choice of role and tenant: every transaction has these three, and none of them reads or writes a row. */
export function isFrame({ text }: Statement): boolean {
  return /^\s*(?:begin|commit|rollback)\b/i.test(text) || /^\s*select set_config\('role'/.test(text);
}

export interface Recording {
  /** What was sent since the last call, in order. */
  take(): Statement[];
  stop(): void;
}

type Query = (...given: unknown[]) => unknown;

/** Writes down every statement of a pool, on the wire: what a driver adds by itself is seen too. One recording of a pool at a time. */
export function recordStatements(pool: pg.Pool): Recording {
  let kept: Statement[] = [];
  let recording = true;
  const numbers = new Map<pg.PoolClient, number>();
  const onAcquire = (client: pg.PoolClient): void => {
    if (numbers.has(client)) return;
    const connection = numbers.size;
    numbers.set(client, connection);
    const send = client.query.bind(client) as Query;
    const recorded: Query = (...given) => {
      const [first] = given as [string | { text?: string }];
      const text = typeof first === 'string' ? first : (first.text ?? '');
      if (!recording) return send(...given);
      const statement: Statement = { text, connection, sentMs: performance.now() };
      kept.push(statement);
      const answer = send(...given);
      const answered = () => {
        statement.answeredMs = performance.now();
      };
      if (answer instanceof Promise) answer.then(answered, answered);
      return answer;
    };
    Object.assign(client, { query: recorded });
  };
  pool.on('acquire', onAcquire);
  return {
    take() {
      const taken = kept;
      kept = [];
      return taken;
    },
    stop() {
      recording = false;
      pool.off('acquire', onAcquire);
    },
  };
}

/** Statements by transaction, in the order in which these began. A statement outside of one stands alone. */
export function transactionsOf(statements: readonly Statement[]): Statement[][] {
  const all: Statement[][] = [];
  const open = new Map<number, Statement[]>();
  for (const statement of statements) {
    const { connection, text } = statement;
    if (/^\s*begin\b/i.test(text)) {
      const transaction = [statement];
      open.set(connection, transaction);
      all.push(transaction);
      continue;
    }
    const transaction = open.get(connection);
    if (transaction) transaction.push(statement);
    else all.push([statement]);
    if (/^\s*(?:commit|rollback)\b/i.test(text)) open.delete(connection);
  }
  return all;
}
