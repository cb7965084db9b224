import { DEFAULT_QUIET } from '@slowwave/db';
import { TIERS, type Tier } from '@slowwave/fusion';
import { costOf, dollarsOfNanos, priceOf } from '@slowwave/models';
import { PER_CALL, QUIET_RUNS } from './costs.ts';
import { drain, type RunCost } from './drain.ts';
import type { DayOptions } from './options.ts';
import { spreadUsers } from './people.ts';
import { type Question, questionsOf } from './questions.ts';
import { DAY_MINUTES, makeRhythms } from './rhythms.ts';
import { countWakeUps, type Day, type Groups } from './wake-ups.ts';
import { ZONES, type Zone } from './zones.ts';

/** Different people. Those of one zone who are copies of each other write in the same minute, so the busiest minute is a little too busy. */
const RHYTHMS = 4_000;
const DAY_SECONDS = 86_400;
const MINUTE_MS = 60_000;
/** Runs of a tier that a user has on a day whatever happens. */
const RUNS_A_DAY = { deep: 4, sleep: 1 } as const;

/** What happens in a second. */
export interface Rates {
  wakeUps: Record<Tier, number>;
  /** Statements that read or write rows, and round trips with the frames of their transactions. */
  statements: number;
  roundTrips: number;
  queueScripts: number;
  modelCalls: number;
  tokens: number;
}

/** How so many workers fare. Waits in minutes by tier; null where they grow from day to day. */
export interface CrewFigures {
  workers: number;
  queueCap: number;
  longestQueue: number;
  longestWait: Record<Tier, number | null>;
  cpu: { peak: number; mean: number };
}

export interface DayFigures {
  /** The mean of each hour in UTC, and its busiest minute. */
  hours: { hour: number; mean: Rates; peakWakeUps: number }[];
  mean: Rates;
  peak: Rates & { minute: number };
  day: {
    runs: Record<Tier, number>;
    /** Whole users of the day who write, and what they write. */
    activeUsers: number;
    memories: number;
    /** Memories that cross a band. */
    crossings: number;
    modelCalls: number;
    inputTokens: number;
    outputTokens: number;
    dollars: number;
  };
  questions: Question[];
  /** The busiest minute of a tier, a second, with each user at the place of their hash, and as it would be with all at the same place. */
  spread: Record<'deep' | 'sleep', { perSecond: number; unspread: number }>;
  /** The cap of the queue with which the busiest minute's beats are enough. */
  queueCapNeeded: number;
  workersNeeded: { mean: number; peak: number };
  crews: CrewFigures[];
}

interface PerRun extends RunCost {
  statements: number;
  roundTrips: number;
  queueScripts: number;
  modelCalls: number;
  tokens: number;
}

/** Model calls are spread over all runs of their tier: who has something to ask today is not told apart from who has not. */
function perRunOf(options: DayOptions, questions: readonly Question[]): Record<Tier, PerRun> {
  const of = (tier: Tier): PerRun => {
    const quiet = QUIET_RUNS[tier];
    const asked = tier === 'light' ? [] : questions.filter((question) => question.tier === tier);
    const share = tier === 'light' ? 0 : options.active / RUNS_A_DAY[tier];
    const modelCalls = asked.reduce((sum, { perActiveDay }) => sum + perActiveDay * share, 0);
    return {
      modelCalls,
      tokens: asked.reduce((sum, q) => sum + q.perActiveDay * share * (q.input + q.output), 0),
      cpuMs: quiet.cpuMs + modelCalls * PER_CALL.cpuMs,
      slotMs: quiet.wallMs + modelCalls * options.modelMs,
      statements: quiet.statements + modelCalls * PER_CALL.statements,
      roundTrips: quiet.roundTrips + modelCalls * PER_CALL.roundTrips,
      queueScripts: quiet.queueScripts,
    };
  };
  return { light: of('light'), deep: of('deep'), sleep: of('sleep') };
}

const sumOf = (values: Iterable<number>): number => {
  let sum = 0;
  for (const value of values) sum += value;
  return sum;
};

function ratesOf(runs: Record<Tier, number>, seconds: number, perRun: Record<Tier, PerRun>): Rates {
  const all = (key: keyof PerRun) =>
    TIERS.reduce((sum, tier) => sum + runs[tier] * perRun[tier][key], 0) / seconds;
  return {
    wakeUps: { light: runs.light / seconds, deep: runs.deep / seconds, sleep: runs.sleep / seconds },
    statements: all('statements'),
    roundTrips: all('roundTrips'),
    queueScripts: all('queueScripts'),
    modelCalls: all('modelCalls'),
    tokens: all('tokens'),
  };
}

/** Runs of some minutes, by tier. */
const runsIn = (day: Day, from: number, to: number): Record<Tier, number> => ({
  light: sumOf(day.light.subarray(from, to)),
  deep: sumOf(day.deep.subarray(from, to)),
  sleep: sumOf(day.sleep.subarray(from, to)),
});

/** Everybody at the first place: as if due times were not spread. */
const together = (groups: Groups): Groups => ({
  ...groups,
  byRhythm: groups.byRhythm.map((users) => users.map(() => 0)),
  byPlace: groups.byPlace.map((users) => users.map((_, place) => (place === 0 ? sumOf(users) : 0))),
});

/** Workers that a minute's runs keep busy: by their processors, or by the slots of the tier that has too few. */
function workersFor(
  runs: Record<Tier, number>,
  minutes: number,
  perRun: Record<Tier, PerRun>,
  slots: number,
) {
  const cpu = sumOf(TIERS.map((tier) => runs[tier] * perRun[tier].cpuMs));
  const slot = TIERS.map((tier) => (runs[tier] * perRun[tier].slotMs) / slots);
  return Math.max(cpu, ...slot) / (minutes * MINUTE_MS);
}

/** A day as the options say, of users in these zones who are copies of so many different ones. */
export function reckonDay(
  options: DayOptions,
  different: number = RHYTHMS,
  zones: readonly Zone[] = ZONES,
): DayFigures {
  const rhythms = makeRhythms({ ...options, rhythms: different });
  const groups = spreadUsers(options.users, zones, different);
  const question = { day: options.day, quiet: DEFAULT_QUIET };
  const day = countWakeUps(groups, rhythms, question);
  const unspread = countWakeUps(together(groups), rhythms, question);
  const questions = questionsOf(options);
  const perRun = perRunOf(options, questions);
  const perMinute = Array.from({ length: DAY_MINUTES }, (_, minute) => runsIn(day, minute, minute + 1));
  const busy = perMinute.map((runs) => sumOf(Object.values(runs)));
  const loudest = busy.indexOf(Math.max(...busy));
  const total = runsIn(day, 0, DAY_MINUTES);
  const activeUsers = Math.round(options.users * options.active);
  const asked = (key: 'input' | 'output') =>
    Math.round(sumOf(questions.map((one) => one.perActiveDay * one[key])) * activeUsers);
  const [inputTokens, outputTokens] = [asked('input'), asked('output')];
  const price = priceOf({}, options.model, options.day)!;
  const each = options.users / different;
  const peakOf = (of: Day, tier: Tier) => Math.max(...of[tier]) / 60;
  const needed = {
    mean: workersFor(total, DAY_MINUTES, perRun, options.concurrency),
    peak: Math.max(...perMinute.map((runs) => workersFor(runs, 1, perRun, options.concurrency))),
  };
  const beats = 60 / options.tickSeconds;
  const queueCapNeeded = Math.ceil(Math.max(...TIERS.map((tier) => Math.max(...day[tier]))) / beats);
  const crew = (workers: number, queueCap: number): CrewFigures => {
    const { concurrency } = options;
    const drained = drain(day, perRun, { workers, concurrency, dispatchPerMinute: queueCap * beats });
    const { longestQueue, longestWait, cpu } = drained;
    const wait = (tier: Tier) => (Number.isFinite(longestWait[tier]) ? longestWait[tier] : null);
    const waits = { light: wait('light'), deep: wait('deep'), sleep: wait('sleep') };
    return { workers, queueCap, longestQueue: Math.round(longestQueue), longestWait: waits, cpu };
  };
  const cap = Math.max(queueCapNeeded, options.queueCap);
  const enough = Math.max(1, Math.ceil(needed.peak));
  const numbers =
    options.workers === null
      ? [
          ...new Set(
            [0.8 * needed.mean, 1.1 * needed.mean, needed.peak].map((n) => Math.max(1, Math.ceil(n))),
          ),
        ]
      : [options.workers];
  return {
    hours: Array.from({ length: 24 }, (_, hour) => ({
      hour,
      mean: ratesOf(runsIn(day, hour * 60, hour * 60 + 60), 3_600, perRun),
      peakWakeUps: Math.max(...busy.slice(hour * 60, hour * 60 + 60)) / 60,
    })),
    mean: ratesOf(total, DAY_SECONDS, perRun),
    peak: { minute: loudest, ...ratesOf(perMinute[loudest]!, 60, perRun) },
    day: {
      runs: total,
      activeUsers,
      memories: Math.round(sumOf(rhythms.map(({ written }) => written)) * each),
      crossings: Math.round(sumOf(rhythms.map(({ crossed }) => crossed)) * each),
      modelCalls: Math.round(sumOf(questions.map(({ perActiveDay }) => perActiveDay)) * activeUsers),
      inputTokens,
      outputTokens,
      dollars: dollarsOfNanos(costOf(price, { inputTokens, outputTokens })),
    },
    questions,
    spread: {
      deep: { perSecond: peakOf(day, 'deep'), unspread: peakOf(unspread, 'deep') },
      sleep: { perSecond: peakOf(day, 'sleep'), unspread: peakOf(unspread, 'sleep') },
    },
    queueCapNeeded,
    workersNeeded: needed,
    crews: [
      ...(options.queueCap < cap ? [crew(options.workers ?? enough, options.queueCap)] : []),
      ...numbers.map((workers) => crew(workers, cap)),
    ],
  };
}
