import { judge, type Verdict } from '../../../packages/queue/src/outcome.ts';
import { type JobSteps, jobOf } from './jobs.ts';
import type { Entry } from './line.ts';
import type { End } from './service.ts';
import { type Stage, twin, waiting } from './stage.ts';
import { type FusionModel, type Model, note, pickOf, type UserModel } from './state.ts';
import { keyOf } from './take-back.ts';

/** Jobs handed over, to the product and to the model alike, up to where they end or stop. */

export async function deliver(
  model: Model,
  stage: Stage,
  { pick, end }: { pick: number; end: End | null },
): Promise<void> {
  const { label, entry } = pickOf(waiting(model), pick)!;
  const real = twin(stage, label);
  const number = model.deliveries++;
  model.line.take(entry);
  stage.service.line.take(real);
  const steps = jobOf(model, entry);
  const start = entry.starts;
  const wanted = advance(model, { steps, entry, start }, end);
  const how = await stage.service.deliver(real, number, end);
  if (how !== wanted) throw new Error(`the job ${label} ${how}, though it should have ${wanted}`);
  note(model, `${how} ${end && how !== 'ended' ? end.point : ''}`);
  if (how !== 'stalled') return;
  model.stalled.push(number);
  stage.stopped.set(number, { steps, entry, start });
}

/** Goes on with a job of the model, to its end or to where it stops. */
function advance(
  model: Model,
  { steps, entry, start }: { steps: JobSteps; entry: Entry; start: number },
  end: End | null,
): 'ended' | 'died' | 'stalled' {
  let passed = 0;
  let ended: { result: ReturnType<JobSteps['next']>['value'] } | { error: unknown };
  try {
    for (;;) {
      const next = steps.next();
      if (next.done) {
        ended = { result: next.value };
        break;
      }
      if (next.value === end?.point && ++passed === end.nth) return end.how === 'dies' ? 'died' : 'stalled';
    }
  } catch (error) {
    ended = { error };
  }
  model.line.settle(entry, start, verdictOf(entry, ended as { error: unknown }));
  return 'ended';
}

function verdictOf(
  { attemptsMade, attempts, postponed }: Entry,
  ended: Parameters<typeof judge>[0]['ended'],
): Verdict {
  return judge({ ended, aborted: null, attemptsMade, attempts, postponed, maxPostpones: 60, ids: {} });
}

export async function resume(model: Model, { service, stopped }: Stage, number: number): Promise<void> {
  model.stalled = model.stalled.filter((one) => one !== number);
  advance(model, stopped.get(number)!, null);
  stopped.delete(number);
  await service.stalled.get(number)!.resume();
  service.stalled.delete(number);
}

/** As the dashboard does when the job of a failed fusion is gone: it stands in the failed list again soon. */
export async function requeue(
  model: Model,
  stage: Stage,
  { user, fusion }: { user: UserModel; fusion: FusionModel },
): Promise<void> {
  const ticket = { queue: 'fusions' as const, user: user.name, tier: fusion.tier };
  const run = [...stage.names.runs].find(([, label]) => label === fusion.runLabel)![0];
  model.line.add({ ...ticket, run: fusion.runLabel, fusion: fusion.id });
  stage.service.line.add({ ...ticket, run, fusion: keyOf(stage, user, fusion) });
}
