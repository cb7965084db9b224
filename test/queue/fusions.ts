import type { Queues } from '@slowwave/queue';
import { expect, it } from 'vitest';
import { failure, fusion, gate, type Place, QUICK, until } from './harness.ts';

/** A worker whose model is down until `recover` is called. */
function failingModel(queues: Queues) {
  const state = { down: true, runs: [] as { runId: string; attempt: number }[] };
  queues.createWorker('fusions', async (job, context) => {
    state.runs.push({ runId: job.data.runId, attempt: job.attempt });
    if (state.down) throw failure('provider_error', false);
    return context.completed();
  });
  return {
    runs: state.runs,
    recover: () => {
      state.down = false;
    },
  };
}

async function failedOnce(queues: Queues): Promise<void> {
  await until('it failed', async () => (await queues.counts('fusions')).failed === 1);
}

export function describeFusions(place: () => Place): void {
  it('runs a failed fusion again when the board retries it', async () => {
    const queues = await place().open(QUICK);
    const model = failingModel(queues);
    await queues.addFusion(fusion('a'));
    await failedOnce(queues);
    model.recover();
    const [failed] = await queues.queues.fusions.getFailed();
    await failed?.retry();
    await until('it ran again', () => model.runs.length === 2);
    await until('the list is empty', async () => (await queues.counts('fusions')).failed === 0);
    expect(model.runs[1]?.runId).toBe('run1');
  });

  it('runs it again with fresh attempts when it is retried by us, and not twice', async () => {
    const queues = await place().open(QUICK);
    const model = failingModel(queues);
    await queues.addFusion(fusion('a'));
    await failedOnce(queues);
    model.recover();
    const id = (await queues.failed('fusions'))[0]?.id ?? '';
    const results = await Promise.all([queues.retryFailed('fusions', id), queues.retryFailed('fusions', id)]);
    expect(results.filter(Boolean)).toHaveLength(1);
    await until('it ran again', () => model.runs.length === 2);
    expect(model.runs[1]?.attempt).toBe(1);
    expect(await queues.retryFailed('fusions', id)).toBe(false);
    expect(await queues.retryFailed('fusions', 'nobody')).toBe(false);
  });

  it('does not swallow a fusion whose job is still in the failed list', async () => {
    const queues = await place().open(QUICK);
    const model = failingModel(queues);
    expect(await queues.addFusion(fusion('a'))).toBe('added');
    await failedOnce(queues);
    model.recover();
    expect(await queues.addFusion(fusion('a', { runId: 'run2' }))).toBe('retried');
    await until('it ran again', () => model.runs.length === 2);
    expect(model.runs[1]).toEqual({ runId: 'run2', attempt: 1 });
    await until('the list is empty', async () => (await queues.counts('fusions')).failed === 0);
  });

  it('merges a fusion that is waiting or running', async () => {
    const queues = await place().open();
    expect(await queues.addFusion(fusion('a'))).toBe('added');
    expect(await queues.addFusion(fusion('a'))).toBe('merged');
    expect(await queues.addFusion(fusion('b'))).toBe('added');
    expect(await queues.counts('fusions')).toMatchObject({ waiting: 2 });
    const hold = gate();
    const worker = queues.createWorker('fusions', async (_job, context) => {
      await hold.opened;
      return context.completed();
    });
    await until('it runs', () => worker.active() === 1);
    expect(await queues.addFusion(fusion('a'))).toBe('merged');
    hold.open();
    await until('both are done', async () => {
      const { waiting, active } = await queues.counts('fusions');
      return waiting + active === 0;
    });
    expect(await queues.addFusion(fusion('a'))).toBe('added');
  });
}
