import { expect, it } from 'vitest';
import { failure, fusion, type Place, QUICK, recorder, until, wakeUp } from './harness.ts';

const CANARY = 'CANARY-dentist';

/** Everything a handler might throw with a memory's text in it. */
function leaks(): unknown[] {
  const own = Object.assign(failure('provider_error', true, `said: ${CANARY}`), {
    hint: CANARY,
    ids: [CANARY],
  });
  const caused = new Error(CANARY, { cause: new Error(CANARY) });
  const named = Object.assign(new TypeError(`${CANARY}\n    at ${CANARY} (/somewhere/file.js:1:2)`), {
    name: CANARY,
  });
  const coded = Object.assign(new RangeError('x'), { code: CANARY, retryable: true });
  const many = new AggregateError([new Error(CANARY)], CANARY);
  return [own, caused, named, coded, many, CANARY, { message: CANARY, stack: `Error: ${CANARY}` }, null];
}

export function describeFailing(place: () => Place): void {
  it('fails at once when trying again is useless, with a reason of code and ids', async () => {
    const queues = await place().open(QUICK);
    const { onOutcome, list } = recorder();
    queues.createWorker(
      'fusions',
      async () => {
        throw failure('invalid_output', false, `lost: ${CANARY}`);
      },
      { onOutcome },
    );
    const job = fusion('a');
    await queues.addFusion(job);
    await until('it failed', async () => (await queues.counts('fusions')).failed === 1);
    expect(list()).toEqual(['failed']);
    const [failed] = await queues.failed('fusions');
    expect(failed).toMatchObject({
      queue: 'fusions',
      reason: `invalid_output: tenant=t1 user=u1 tier=deep runId=run1 key=${job.key}`,
      attemptsMade: 1,
      ids: { tenant: 't1', user: 'u1', tier: 'deep', runId: 'run1', key: job.key },
    });
    expect(failed?.failedAt).toBeGreaterThan(0);
  });

  it('lets no text of an error reach the datastore', async () => {
    const queues = await place().open({ ...QUICK, attempts: { deep: 2 }, keepCompletedSeconds: 600 });
    const thrown = leaks();
    const { onOutcome, list } = recorder();
    queues.createWorker(
      'deep',
      async (job, context) => {
        const index = Number(job.data.user.slice(1));
        if (index < thrown.length) throw thrown[index];
        return context.completed({ runId: 'r1', fused: 2, note: `${CANARY} at nine`, [`a ${CANARY}`]: 1 });
      },
      { onOutcome },
    );
    await queues.addBulk([...thrown, 'completes'].map((_, index) => wakeUp(`u${index}`)));
    await until('all ended', async () => {
      const { failed, completed } = await queues.counts('deep');
      return failed === thrown.length && completed === 1;
    });
    expect(list().filter((outcome) => outcome === 'failed')).toHaveLength(thrown.length);
    const dump = await place().dump();
    expect(dump).toContain('u1');
    expect(dump).not.toContain('CANARY');
    const [completed] = await queues.queues.deep.getCompleted();
    expect(completed?.returnvalue).toEqual({ runId: 'r1', fused: 2 });
    const reasons = (await queues.failed('deep')).map((job) => job.reason.replace(/ user=.*/, ''));
    expect(reasons.sort()).toEqual([
      'internal_error (AggregateError): tenant=t1',
      'internal_error (Error): tenant=t1',
      'internal_error (RangeError): tenant=t1',
      'internal_error (TypeError): tenant=t1',
      'internal_error (thrown null): tenant=t1',
      'internal_error (thrown object): tenant=t1',
      'internal_error (thrown string): tenant=t1',
      'provider_error: tenant=t1',
    ]);
  });

  it('keeps stack frames, for whoever has to find the place', async () => {
    const queues = await place().open({ attempts: { deep: 1 } });
    queues.createWorker('deep', async () => {
      throw new Error(CANARY);
    });
    await queues.add(wakeUp('u1'));
    await until('it failed', async () => (await queues.counts('deep')).failed === 1);
    const [job] = await queues.queues.deep.getFailed();
    expect(job?.stacktrace?.[0]).toMatch(
      /^SafeJobError: internal_error \(Error\): tenant=t1 .*\n {4}at .*failing\.ts:\d+/,
    );
  });

  it('refuses a payload that was edited into something else, without quoting it', async () => {
    const queues = await place().open();
    const handled: string[] = [];
    for (const name of ['deep', 'fusions'] as const) {
      queues.createWorker(name, async (job, context) => {
        handled.push(job.id);
        return context.completed();
      });
    }
    const raw = queues.queues;
    await raw.deep.add('deep', { ...wakeUp('u1'), content: 'SECRET-TEXT' });
    await raw.deep.add('deep', wakeUp('u1', { tier: 'light' }));
    await raw.deep.add('deep', null);
    await raw.fusions.add('fusion', { ...fusion('a'), key: 'SECRET-KEY' });
    await until('all were refused', async () => {
      const counts = await Promise.all([queues.counts('deep'), queues.counts('fusions')]);
      return counts[0].failed === 3 && counts[1].failed === 1;
    });
    const failed = [...(await queues.failed('deep')), ...(await queues.failed('fusions'))];
    expect(handled).toEqual([]);
    expect(failed.map((job) => [job.reason, job.attemptsMade])).toEqual(
      failed.map(() => ['invalid_payload: ', 1]),
    );
  });
}
