import { monitorEventLoopDelay } from 'node:perf_hooks';
import { insertMemories, requestRun } from '@slowwave/db';
import type { Tier } from '@slowwave/fusion';
import { createOfflineEmbedder } from '@slowwave/models';
import { createLogger, createWorker, DEFAULT_LIMITS } from '@slowwave/worker';
import { HOSTILE } from '../../packages/fusion/src/testing/hostile.ts';
import { createJoiningProvider } from '../../test/fakes/joining-provider.ts';
import type { BackendFixture } from '../../test/fixtures/backends.ts';
import { DAY, newMemory } from '../../test/fixtures/memories.ts';
import { seedPerson } from './people.ts';

const NEIGHBOUR = 'neighbour';
/** Users of the same worker beside the neighbour, memories of each, and characters of each memory: as long as a plan takes. */
const OTHERS = 4;
const NOTES = 12;
const NOTE_CHARS = 8_000;

/** What the others say: the kind of text that each of their days has, by number. */
type TextOf = (other: number, note: number) => string;

export const HOSTILE_TEXTS: TextOf = (other, note) => {
  const [, textOf] = HOSTILE[(other * 5) % HOSTILE.length]!;
  return `${textOf(NOTE_CHARS - 40)}\nAnna has ${77_000 + note} apples.`;
};
export const PLAIN_TEXTS: TextOf = (other, note) =>
  `Anna ${other} has ${77_000 + note} apples in shed ${note}.`;

/**
 * Deep runs of a neighbour, one after the other, while one worker takes deep and light runs of the others without a break.
 * @param runs how many of the neighbour's runs are timed
 * @returns from asking to the end of each, ms, the shortest first; the longest delay of the event loop, ms; and how many runs of the others ended
 */
export async function runBeside(
  { database, queues }: BackendFixture,
  { tenant, textOf, runs }: { tenant: string; textOf: TextOf; runs: number },
): Promise<{ ms: number[]; stillMs: number; others: number }> {
  const at = Date.now();
  const faded = (user: string, id: string, text: string) =>
    newMemory(user, id, text, { documentDate: at - 90 * DAY, importance: 5 });
  const others = Array.from({ length: OTHERS }, (_, other) => `other-${other}`);
  for (const [other, user] of others.entries()) {
    const memories = Array.from({ length: NOTES }, (_, n) => faded(user, `m${n}`, textOf(other, n)));
    await seedPerson(database, { tenant, user, at, memories, chains: [] });
  }
  await seedPerson(database, { tenant, user: NEIGHBOUR, at, memories: [], chains: [] });
  const ended = new Map<string, () => void>();
  const worker = await createWorker(
    {
      database,
      queues,
      provider: createJoiningProvider(),
      embedder: createOfflineEmbedder(),
      logger: createLogger('silent'),
      now: () => at,
      nowMs: () => performance.now(),
      limits: DEFAULT_LIMITS,
      onEvent: (event) => event.type === 'run_ended' && ended.get(`${event.user} ${event.tier}`)?.(),
    },
    { concurrency: OTHERS + 1 },
  );
  await worker.ready();
  const run = async (user: string, tier: Tier): Promise<void> => {
    const asked = await database.withTenant(tenant, (tx) => requestRun(tx, { tenant, user, tier, at }));
    if (asked.status !== 'requested') throw new Error(`no run: ${asked.status}`);
    const over = new Promise<void>((resolve) => void ended.set(`${user} ${tier}`, resolve));
    await queues.addAdhoc({ v: 1, tenant, user, tier, runId: asked.runId, why: 'adhoc' });
    await over;
  };
  const ms: number[] = [];
  let isDone = false;
  let count = 0;
  const busy = others.map(async (user) => {
    for (let n = NOTES; !isDone; n += 1) {
      for (const tier of ['light', 'deep'] as const) {
        await run(user, tier);
        count += 1;
      }
      // What is new is compared with all the rest, and the plan read anew.
      const more = [faded(user, `m${n}`, textOf(others.indexOf(user), n))];
      await database.withTenant(tenant, (tx) => insertMemories(tx, { tenant, memories: more, at }));
    }
  });
  const loop = monitorEventLoopDelay({ resolution: 1 });
  loop.enable();
  for (let n = 0; n < runs; n += 1) {
    const memory = faded(NEIGHBOUR, `n${n}`, `On page ${n} of the diary stands a word that Ben once wrote.`);
    await database.withTenant(tenant, (tx) => insertMemories(tx, { tenant, memories: [memory], at }));
    const begun = performance.now();
    await run(NEIGHBOUR, 'light');
    await run(NEIGHBOUR, 'deep');
    ms.push(performance.now() - begun);
  }
  loop.disable();
  isDone = true;
  await Promise.all(busy);
  await worker.close(5_000);
  return { ms: ms.sort((one, other) => one - other), stillMs: loop.max / 1e6, others: count };
}
