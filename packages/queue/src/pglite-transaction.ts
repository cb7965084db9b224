import { type PgliteLike, type PgliteTransaction, run } from './pglite-session.ts';

/** A transaction that is held open from one statement to the next. */
export interface OpenTransaction {
  tx: PgliteTransaction;
  finish(how: 'commit' | 'rollback'): Promise<void>;
}

/** Opens one of the database's own transactions and holds it open: that is what keeps everybody else waiting. */
export async function begin(pglite: PgliteLike, modes: string): Promise<OpenTransaction> {
  const { promise: started, resolve: start, reject: fail } = deferred<PgliteTransaction>();
  const { promise: over, resolve: end } = deferred<void>();
  const ended = pglite.transaction(async (tx) => {
    start(tx);
    await over;
  });
  ended.catch(fail);
  const tx = await started;

  async function finish(how: 'commit' | 'rollback'): Promise<void> {
    try {
      if (how === 'rollback') await tx.rollback();
    } finally {
      end();
      await ended;
    }
  }

  if (modes !== '') {
    try {
      await run(tx, `SET TRANSACTION ${modes}`);
    } catch (error) {
      await finish('rollback');
      throw error;
    }
  }
  return { tx, finish };
}

function deferred<T>() {
  let resolve: (value: T) => void = () => {};
  let reject: (error: unknown) => void = () => {};
  const promise = new Promise<T>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}
