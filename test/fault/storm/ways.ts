import type { Fault } from '../way.ts';
import { pause } from './hunt.ts';
import type { Random } from './random.ts';
import type { Stage } from './stage.ts';
import type { Toll } from './toll.ts';

const KINDS = {
  cut: 5,
  'half-open': 3,
  delay: 4,
  refuse: 3,
  reset: 2,
  drip: 1,
  'cut-after': 3,
  'close-one-side': 1,
} as const;
const LASTS_MS = { from: 400, to: 3_500 };
const QUIET_MS = { from: 300, to: 3_000 };

function drawFault(random: Random): Fault {
  const kind = random.weighted(KINDS);
  const direction = random.pick(['up', 'down', undefined] as const);
  const towards = direction === undefined ? {} : { direction };
  switch (kind) {
    case 'delay':
      return { kind, ms: Math.floor(random.between(20, 800)), ...towards };
    case 'half-open':
      return { kind, ...towards };
    case 'drip':
      return { kind, everyMs: 100, ...towards };
    case 'cut-after':
      return { kind, bytes: random.below(4_000), ...towards };
    case 'close-one-side':
      return { kind, side: random.pick(['client', 'server'] as const) };
    default:
      return { kind };
  }
}

/** Hurts one way after the other, each for a while, until the storm is over; then all pass. */
export async function hurtWays(stage: Stage, random: Random, toll: Toll, over: AbortSignal): Promise<void> {
  while (!over.aborted) {
    await pause(random.between(QUIET_MS.from, QUIET_MS.to), over);
    const name = random.pick(Object.keys(stage.ways));
    const fault = drawFault(random);
    const lastsMs = random.between(LASTS_MS.from, LASTS_MS.to);
    if (over.aborted) break;
    // Whatever every process has under way may be lost with it.
    toll.add(`${name} ${fault.kind}`, 'cut', stage.workers.list.length);
    await stage.ways[name]!.set(fault);
    await pause(lastsMs, over);
    await stage.ways[name]!.set({ kind: 'pass' });
    toll.add(`${name} passes`, 'cut', 0);
  }
}
