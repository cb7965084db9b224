import { TIERS } from '@slowwave/fusion';
import { type Act, isPossible, perform } from './acts.ts';
import { same } from './compare.ts';
import { isAsPlanned, planOf } from './memory.ts';
import type { Stage } from './stage.ts';
import { fusionsOf, HOUR, type Model, usersOf } from './state.ts';

/** Ticks and deliveries that a service of this size needs at most to come to rest. */
const ROUNDS = 12;
const DELIVERIES = 400;
/** After so long everybody is due for every tier again. */
const TURN = 26 * HOUR;

/**
 * The faults end: nobody is held, paused or in quarantine, the model answers well. Then the service does all that is left by itself,
 * and afterwards nothing more.
 */
export async function rest(model: Model, stage: Stage): Promise<void> {
  const go = async (act: Act): Promise<void> => {
    if (isPossible(model, act)) await perform(model, stage, act);
  };
  while (model.stalled.length > 0) await go({ do: 'resume', pick: 0 });
  await go({ do: 'manner', manner: 'good' });
  await go({ do: 'trouble', trouble: 'none' });
  await go({ do: 'giveBack' });
  for (const tier of TIERS) await go({ do: 'resumeTier', tier });
  for (const [pick, user] of usersOf(model).entries()) {
    await go({ do: 'mode', pick, mode: 'auto' });
    for (const tier of TIERS) if (user.tiers[tier].paused) await go({ do: 'resumeUser', pick, tier });
    await go({ do: 'expire', pick: 0 });
    await go({ do: 'release', pick: 0 });
  }
  for (let round = 0; round < ROUNDS; round++) {
    await turn(model, go);
    if (isDone(model)) break;
    // The last of three starts that never ended is found by whoever takes the user over, so once more: nothing ends without a word now.
    if (round === 0) for (const _ of usersOf(model)) await go({ do: 'release', pick: 0 });
  }
  same(unrest(model), [], 'at rest');
  const before = silence(model);
  await turn(model, go);
  same(silence(model), before, 'after everything was done once more');
  same(unrest(model), [], 'after everything was done once more');
}

/** A turn of the schedule, and all that it brings. */
async function turn(model: Model, go: (act: Act) => Promise<void>): Promise<void> {
  model.at += TURN;
  for (const tier of TIERS) await go({ do: 'tick', tier });
  await empty(model, go);
  while (isPossible(model, { do: 'requeue', pick: 0 })) await go({ do: 'requeue', pick: 0 });
  await empty(model, go);
  while (isPossible(model, { do: 'retry', pick: 0 })) await go({ do: 'retry', pick: 0 });
  await empty(model, go);
}

async function empty(model: Model, go: (act: Act) => Promise<void>): Promise<void> {
  for (let n = 0; model.line.entries().some(({ state }) => state === 'waiting'); n++) {
    if (n > DELIVERIES) throw new Error('the queue never becomes empty');
    await go({ do: 'deliver', pick: 0, end: null });
  }
}

const isDone = (model: Model): boolean =>
  unrest(model).length === 0 &&
  usersOf(model).every((user) => TIERS.every((tier) => user.tiers[tier].lastSuccessAt !== null));

/** What is left to be done, or was left behind. */
function unrest(model: Model): string[] {
  const left = model.line
    .entries()
    .map(({ ticket, state }) => `${ticket.queue} of ${ticket.user} is ${state}`);
  for (const user of usersOf(model)) {
    const { name, lease, runs } = user;
    if (lease.state !== 'free') left.push(`${name} is ${lease.state}`);
    if (user.quarantined) left.push(`${name} is in quarantine`);
    for (const run of runs)
      if (run.status === 'running' || run.status === 'requested') left.push(`${run.label} is ${run.status}`);
    for (const tier of ['deep', 'sleep'] as const)
      for (const members of planOf(user, tier))
        left.push(`${members.length} memories of ${name} wait for ${tier}`);
    for (const tier of TIERS) {
      const state = user.tiers[tier];
      if (state.dueAt <= model.at - TURN || state.requestedRun !== null)
        left.push(`${name} waits for ${tier}`);
      if (state.failures > 0) left.push(`${tier} of ${name} fails`);
    }
    for (const { id, status, live, members } of fusionsOf(user)) {
      const asPlanned = members.every((member) => isAsPlanned(user, member));
      if (status === 'failed' && asPlanned) left.push(`${id} of ${name} has failed`);
      // A proposal that nobody looks at ends by itself, and its memories are then fused as anybody's.
      if (status === 'review') left.push(`${id} of ${name} waits for a person`);
      // What can still be planned again is claimed for as long as nobody does.
      const isOpen = status === 'planned' || status === 'generated';
      if (live.size > 0 && !(isOpen && asPlanned)) left.push(`${id} of ${name} claims`);
    }
  }
  return left;
}

/** What must stay as it is when everything is done once more. */
function silence(model: Model): unknown {
  return {
    calls: model.calls,
    users: usersOf(model).map((user) => ({
      memories: [...user.memories.values()].map(({ name, version, by }) => ({ name, version, by })),
      fusions: fusionsOf(user).map(({ id, status, attempt }) => ({ id, status, attempt })),
    })),
  };
}
