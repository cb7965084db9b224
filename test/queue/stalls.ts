import type { Queues, WorkerOptions } from '@slowwave/queue';
import { afterEach, expect, it } from 'vitest';
import { failure, gate, type Place, until, wakeUp } from './harness.ts';

/** Never renewed, so that somebody else finds the job without its worker. */
const FORSAKEN = { lockDurationMs: 600, renewEveryMs: 600_000, stalledCheck: false };
/** Not one turn may end with its worker. */
const STRICT = { lockDurationMs: 60_000, stalledIntervalMs: 100, maxStalledCount: 0 };

/** What ends the processes of a test, whatever became of it: nothing can be closed while a job is at it. */
const forsaken: (() => Promise<void>)[] = [];

/** A process that takes the job of a user and says nothing more. @returns what ends it */
async function forsake(place: Place, user: string): Promise<() => Promise<void>> {
  const queues = await place.open();
  const hold = gate();
  const gone = queues.createWorker(
    'deep',
    async () => {
      await hold.opened;
      throw failure('interrupted', true);
    },
    FORSAKEN,
  );
  await queues.add(wakeUp(user));
  await until('it runs', () => gone.active() === 1);
  const end = () => {
    hold.open();
    return gone.close();
  };
  forsaken.push(end);
  return end;
}

/** Another process, which looks after what is left. */
async function takeOver(
  place: Place,
  onStalledOut: WorkerOptions<'deep'>['onStalledOut'],
  more: WorkerOptions<'deep'> = {},
) {
  const turns: string[] = [];
  const queues = await place.open();
  queues.createWorker(
    'deep',
    async ({ data }, context) => {
      turns.push(data.user);
      return context.completed();
    },
    { ...STRICT, ...(onStalledOut && { onStalledOut }), ...more },
  );
  return { queues, turns };
}

const failedUsers = async (queues: Queues) => (await queues.failed('deep')).map(({ ids }) => ids.user);

export function describeStalls(place: () => Place): void {
  afterEach(async () => {
    for (const end of forsaken.splice(0)) await end();
  });

  it('tells of a job whose workers ended too often, and fails it without another turn', async () => {
    const end = await forsake(place(), 'u1');
    const told: unknown[] = [];
    const { queues, turns } = await takeOver(place(), async (data) => {
      told.push(data);
      return true;
    });
    await until('it failed', async () => (await queues.counts('deep')).failed === 1);
    await end();
    expect(told).toEqual([wakeUp('u1')]);
    expect(turns).toEqual([]);
    expect(await queues.failed('deep')).toMatchObject([
      { ids: { user: 'u1' }, reason: expect.stringMatching(/^stalled_out: tenant=t1 user=u1/) },
    ]);
  });

  it('has told before such a job is in the failed list, also when whoever told ends there', async () => {
    const end = await forsake(place(), 'u1');
    const told: string[] = [];
    const hold = gate();
    const first = await takeOver(
      place(),
      async () => {
        told.push('first');
        await hold.opened;
        return true;
      },
      { ...STRICT, lockDurationMs: 600, renewEveryMs: 600_000 },
    );
    await until('the first was told', () => told.length > 0);
    expect(await failedUsers(first.queues)).toEqual([]);
    const second = await takeOver(place(), async () => {
      told.push('second');
      return true;
    });
    await until('it failed', async () => (await second.queues.counts('deep')).failed === 1);
    hold.open();
    await end();
    expect(told).toEqual(['first', 'second']);
    expect([first.turns, second.turns]).toEqual([[], []]);
  });

  it('ends such a job when there is nothing to fail', async () => {
    const end = await forsake(place(), 'u1');
    let told = 0;
    const { queues, turns } = await takeOver(place(), async () => {
      told += 1;
      return false;
    });
    await until('nothing is left', async () => {
      const { active, waiting, delayed } = await queues.counts('deep');
      return told > 0 && active + waiting + delayed === 0;
    });
    await end();
    expect([turns, await failedUsers(queues)]).toEqual([[], []]);
  });

  it('waits with such a job when whoever is told cannot write it down', async () => {
    const end = await forsake(place(), 'u1');
    let told = 0;
    const { queues, turns } = await takeOver(place(), async () => {
      told += 1;
      if (told === 1) throw failure('unavailable', true);
      return true;
    });
    await until('it failed', async () => (await queues.counts('deep')).failed === 1);
    await end();
    expect([told, turns]).toEqual([2, []]);
  });

  it('gives a job another turn when a person retries it', async () => {
    const end = await forsake(place(), 'u1');
    const { queues, turns } = await takeOver(place(), async () => true);
    await until('it failed', async () => (await queues.counts('deep')).failed === 1);
    await end();
    const [failed] = await queues.failed('deep');
    expect(await queues.retryFailed('deep', failed!.id)).toBe(true);
    await until('it had its turn', () => turns.length > 0);
    expect([turns, await failedUsers(queues)]).toEqual([['u1'], []]);
  });

  it('tells nothing of a job that fails by itself', async () => {
    const told: unknown[] = [];
    const queues = await place().open();
    queues.createWorker(
      'deep',
      async () => {
        throw failure('broken', false);
      },
      {
        onStalledOut: async (data) => {
          told.push(data);
          return true;
        },
      },
    );
    await queues.add(wakeUp('u2'));
    await until('it failed', async () => (await queues.counts('deep')).failed === 1);
    expect(told).toEqual([]);
  });
}
