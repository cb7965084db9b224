import { afterEach, describe, expect, it } from 'vitest';
import { BACKENDS, type BackendFixture } from '../fixtures/backends.ts';
import { type Backlog, startBacklog } from '../fixtures/backlog.ts';
import { until } from '../fixtures/wait.ts';

/** For all users together. */
const LIMIT_MS = 600_000;
/** The embedded database does one thing at a time: a smaller crowd shows the same. */
const sizeOf = (name: string) => (name === 'embedded' ? { users: 120, cap: 20 } : { users: 600, cap: 50 });

describe.each(BACKENDS)('more users due at once than the queue takes (%s)', (name, connect) => {
  const { users, cap } = sizeOf(name);
  let backend: BackendFixture | null = null;
  let backlog: Backlog | null = null;
  afterEach(async () => {
    await backlog?.close();
    await backend?.drop();
    backlog = null;
    backend = null;
  });

  it(
    'wait in the database, each runs once, and whoever asks meanwhile does not wait for them',
    async () => {
      let open = () => {};
      const gate = new Promise<void>((resolve) => {
        open = resolve;
      });
      backend = await connect();
      backlog = await startBacklog(backend, {
        users,
        cap,
        tickMs: 200,
        lookEveryMs: backend.queueUrl === null ? 20 : 5,
        async work({ asked }) {
          if (!asked) await gate;
        },
      });
      const { size } = backlog;
      await backlog.makeDue();
      await until('the queue to be full', () => size.largest >= cap);
      // Every slot of the tier is taken and the queue is full: a run that is asked for runs nevertheless.
      for (let turn = 0; turn < 10; turn += 1) await backlog.ask();
      expect(await backlog.done()).toBe(0);
      open();
      await until('everybody to have had a turn', async () => (await backlog!.done()) === users, LIMIT_MS);
      expect(await backlog.odd()).toEqual([]);
      expect(size.largest).toBe(cap);
      expect(size.looks).toBeGreaterThan(users / cap);
    },
    2 * LIMIT_MS,
  );
});
