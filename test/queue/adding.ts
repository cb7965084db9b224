import type { TierJob } from '@slowwave/queue';
import { expect, it } from 'vitest';
import { failure, gate, type Place, QUICK, recorder, until, wakeUp } from './harness.ts';

export function describeAdding(place: () => Place): void {
  it('hands the payload to the handler, in the order of adding', async () => {
    const queues = await place().open();
    const users = Array.from({ length: 25 }, (_, index) => `u${index}`);
    await queues.add(wakeUp('first', { why: 'retry', runId: 'r1' }));
    await queues.addBulk(users.map((user) => wakeUp(user)));
    const seen: TierJob[] = [];
    queues.createWorker('deep', async (job, context) => {
      expect(job).toMatchObject({ queue: 'deep', attempt: 1, attempts: 3, lastAttempt: false, postponed: 0 });
      expect(context.signal.aborted || context.stopping.aborted).toBe(false);
      seen.push(job.data);
      return context.completed();
    });
    await until('all ran', () => seen.length === 26);
    expect(seen[0]).toEqual(wakeUp('first', { why: 'retry', runId: 'r1' }));
    expect(seen.slice(1).map((job) => job.user)).toEqual(users);
  });

  it('merges doubled wake-ups of one user and tier, and of nobody else', async () => {
    const queues = await place().open();
    await queues.add(wakeUp('u1'));
    await queues.add(wakeUp('u1', { why: 'sweep' }));
    await queues.addBulk([wakeUp('u1'), wakeUp('u2'), wakeUp('u2'), wakeUp('u1', { tenant: 't2' })]);
    await queues.add(wakeUp('u1', { tier: 'light' }));
    expect(await queues.counts('deep')).toMatchObject({ waiting: 3 });
    expect(await queues.counts('light')).toMatchObject({ waiting: 1 });
    expect(await queues.counts('sleep')).toMatchObject({ waiting: 0 });
  });

  it('runs once more, and only once, when wake-ups come while the user is being worked on', async () => {
    const queues = await place().open();
    const hold = gate();
    const seen: string[] = [];
    queues.createWorker(
      'deep',
      async (job, context) => {
        seen.push(job.data.why);
        if (seen.length === 1) await hold.opened;
        return context.completed();
      },
      { concurrency: 4 },
    );
    await queues.add(wakeUp('u1'));
    await until('the first runs', () => seen.length === 1);
    await queues.add(wakeUp('u1', { why: 'retry' }));
    await queues.add(wakeUp('u1', { why: 'sweep' }));
    await queues.add(wakeUp('u2', { why: 'adhoc' }));
    await until('another user ran meanwhile', () => seen.length === 2);
    hold.open();
    await until('the follow-up ran', () => seen.length === 3);
    expect(seen).toEqual(['schedule', 'adhoc', 'sweep']);
    await until('nothing is left', async () => {
      const counts = await queues.counts('deep');
      return counts.waiting + counts.active + counts.delayed === 0;
    });
    // The deduplication id is free again.
    await queues.add(wakeUp('u1'));
    await until('it runs anew', () => seen.length === 4);
  });

  it('is not blocked by a failed wake-up that is still kept', async () => {
    const queues = await place().open(QUICK);
    const { onOutcome, list } = recorder();
    let fail = true;
    queues.createWorker(
      'deep',
      async (_job, context) => {
        if (fail) throw failure('broken', false);
        return context.completed();
      },
      { onOutcome },
    );
    await queues.add(wakeUp('u1'));
    await until('it failed', async () => (await queues.counts('deep')).failed === 1);
    fail = false;
    await queues.add(wakeUp('u1'));
    await until('it ran again', () => list().length === 2);
    expect(list()).toEqual(['failed', 'completed']);
    expect(await queues.counts('deep')).toMatchObject({ failed: 1 });
  });

  it('adds many at once', async () => {
    const queues = await place().open();
    await queues.addBulk(Array.from({ length: 2_300 }, (_, index) => wakeUp(`u${index}`)));
    await queues.addBulk([]);
    expect(await queues.counts('deep')).toMatchObject({ waiting: 2_300 });
  });

  it('refuses a payload that a worker would refuse, and adds nothing', async () => {
    const queues = await place().open();
    const bad = { ...wakeUp('u1'), content: 'CANARY' };
    await expect(queues.add(bad)).rejects.toMatchObject({
      code: 'invalid_payload',
      problem: 'unknown_field',
    });
    await expect(queues.addBulk([wakeUp('u1'), bad])).rejects.toMatchObject({ code: 'invalid_payload' });
    await expect(queues.addAdhoc(wakeUp('u1'))).rejects.toMatchObject({ field: 'runId' });
    expect(await queues.counts('deep')).toMatchObject({ waiting: 0 });
    expect(await place().dump()).not.toContain('CANARY');
  });

  it('starts what a person asked for although the tier is busy and has a backlog', async () => {
    const queues = await place().open();
    const hold = gate();
    const started: string[] = [];
    queues.createWorker('deep', async (job, context) => {
      started.push(job.data.user);
      await hold.opened;
      return context.completed();
    });
    queues.createWorker('adhoc', async (job, context) => {
      started.push(`${job.data.user} ${job.data.tier} ${job.data.runId}`);
      return context.completed();
    });
    await queues.addBulk(Array.from({ length: 300 }, (_, index) => wakeUp(`u${index}`)));
    await until('the tier is busy', () => started.length === 1);
    await queues.addAdhoc(wakeUp('u7', { why: 'adhoc', runId: 'run9' }));
    await until('the ad-hoc run started', () => started.length === 2);
    expect(started).toEqual(['u0', 'u7 deep run9']);
    hold.open();
  });

  it('takes two requests for one run as one', async () => {
    const queues = await place().open();
    const asked = wakeUp('u1', { why: 'adhoc', runId: 'run1' });
    await queues.addAdhoc(asked);
    await queues.addAdhoc(asked);
    await queues.addAdhoc({ ...asked, runId: 'run2' });
    await queues.add(wakeUp('u1'));
    expect(await queues.counts('adhoc')).toMatchObject({ waiting: 2 });
    expect(await queues.counts('deep')).toMatchObject({ waiting: 1 });
  });
}
