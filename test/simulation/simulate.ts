import { type Database, DEEP_INTERVAL_MS } from '@slowwave/db';
import type { Tier } from '@slowwave/fusion';
import { createModels } from '@slowwave/models';
import { createLogger, type UserJobDeps } from '@slowwave/worker';
import { createSimulation, type SimulatedRun } from '../../apps/standalone/src/simulation/simulation.ts';
import { createJoiningProvider } from '../fakes/joining-provider.ts';
import { countNights, type Night, type NightReport, nightsOf } from './nights.ts';
import type { Person } from './people.ts';
import { countRules, createRuleBook, noteEnds, noteRules, type Rule } from './rules.ts';
import { DAY_MS, HOUR_MS } from './units.ts';
import { createWorld } from './world.ts';

export interface SimulationInput {
  database: Database;
  people: Person[];
  /** Epoch ms, a midnight in UTC. */
  start: number;
  days: number;
  /** Days from the start on which the service is down, the last one not included; null for never. */
  downtime: { from: number; to: number } | null;
  tickMs: number;
  concurrency: number;
  /** Without a world there is nothing but schedules. */
  world: boolean;
  tierSteps?: UserJobDeps['tierSteps'];
  onDay?: (day: number) => void;
}

export interface PersonReport {
  person: Person;
  runs: Record<Tier, number>;
  /** Deep runs in each 24 hours of the person's own grid while the service was up: how often each count came. */
  deepPerDay: Record<number, number>;
  nights: NightReport;
  /** Deep runs at the first beat after the downtime: one for all that was missed. */
  deepAfterDowntime: number;
  /** Sleeps from the end of the downtime to the end of the first night that ends after it. */
  sleepAfterDowntime: number;
}

export interface SimulationReport {
  people: PersonReport[];
  rules: { total: number; met: Record<Rule, number> } | null;
  runs: number;
  failed: SimulatedRun[];
  closed: number;
  elapsedMs: number;
}

/** Lives the days, carries out what falls due, and counts. */
export async function simulate(input: SimulationInput): Promise<SimulationReport> {
  const { database, start, days, people } = input;
  const began = performance.now();
  const runs: SimulatedRun[] = [];
  const models = createModels({ model: { provider: 'offline' }, embedder: { embedder: 'offline' } });
  const simulation = createSimulation({
    database,
    provider: createJoiningProvider(),
    embedder: models.embedder,
    logger: createLogger('silent'),
    start,
    tickMs: input.tickMs,
    concurrency: input.concurrency,
    onRun: (run) => runs.push(run),
    ...(input.tierSteps ? { tierSteps: input.tierSteps } : {}),
  });
  const world = await createWorld(database, models.embedder, { people, start, days });
  if (input.world) await createRuleBook(database);
  const down = downtimeOf(input);
  for (let day = 0; day < days; day += 1) {
    const from = start + day * DAY_MS;
    const isDown = down !== null && from >= down.from && from < down.to;
    await (isDown ? simulation.skip(from + 12 * HOUR_MS) : simulation.advance(from + 12 * HOUR_MS));
    if (input.world) {
      await world.live(from);
      await noteRules(database, from + 12 * HOUR_MS);
    }
    await (isDown ? simulation.skip(from + DAY_MS) : simulation.advance(from + DAY_MS));
    input.onDay?.(day + 1);
  }
  if (input.world) await noteEnds(database);
  const done = runs.filter(({ outcome }) => outcome === 'completed');
  return {
    people: people.map((person) => reportOf(person, done, input)),
    rules: input.world ? await countRules(database) : null,
    runs: done.length,
    failed: runs.filter(({ outcome }) => outcome === 'failed'),
    closed: runs.filter(({ outcome }) => outcome === 'closed').length,
    elapsedMs: performance.now() - began,
  };
}

function downtimeOf({ downtime, start }: SimulationInput): { from: number; to: number } | null {
  return downtime && { from: start + downtime.from * DAY_MS, to: start + downtime.to * DAY_MS };
}

function reportOf(person: Person, done: SimulatedRun[], input: SimulationInput): PersonReport {
  const { start, days, tickMs } = input;
  const end = start + days * DAY_MS;
  const own = done.filter(({ user }) => user === person.user);
  const timesOf = (tier: Tier) => own.filter((run) => run.tier === tier).map(({ at }) => at);
  const deep = timesOf('deep');
  const sleep = timesOf('sleep');
  const down = downtimeOf(input);
  const nights = nightsOf(person, start, end);
  const touches = (night: Night) => down !== null && night.to > down.from && night.from < down.to;
  const missedWhole = (night: Night) => down !== null && night.from >= down.from && night.to <= down.to;
  const whole = nights.filter((night) => !touches(night));
  const cut = nights.filter((night) => touches(night) && !missedWhole(night));
  // The nights at both ends of the time are not whole.
  const counted = (at: number) => at >= nights[0]!.from && at < nights.at(-1)!.to + tickMs;
  const nextNight = down && nights.find(({ to }) => to > down.to);
  return {
    person,
    runs: { light: timesOf('light').length, deep: deep.length, sleep: sleep.length },
    deepPerDay: countDays(deep, { start, end, down, tickMs }),
    nights: countNights({ whole, cut }, sleep.filter(counted), tickMs),
    deepAfterDowntime: down ? deep.filter((at) => at >= down.to && at <= down.to + tickMs).length : 0,
    sleepAfterDowntime:
      down && nextNight ? sleep.filter((at) => at >= down.to && at < nextNight.to + tickMs).length : 0,
  };
}

/** Deep runs by the day of the person's own six-hour grid: the beat comes up to a tick after the grid's time. */
function countDays(
  deep: number[],
  {
    start,
    end,
    down,
    tickMs,
  }: { start: number; end: number; down: { from: number; to: number } | null; tickMs: number },
): Record<number, number> {
  const counts: Record<number, number> = {};
  const first = deep[0] ?? start;
  // A tick early, so that a beat that came a little late or in time falls into the same day.
  const origin = first - tickMs;
  for (let from = origin; from + DAY_MS <= end; from += DAY_MS) {
    if (down && from + DAY_MS > down.from && from < down.to + DEEP_INTERVAL_MS) continue;
    const runs = deep.filter((at) => at >= from && at < from + DAY_MS).length;
    counts[runs] = (counts[runs] ?? 0) + 1;
  }
  return counts;
}
