import { strict as assert } from 'node:assert';
import { DEEP_WINDOW, withinBudget } from '@slowwave/fusion';
import { wordsWithAtoms } from '../../apps/producer/src/dashboard/atoms.ts';
import { checkGateInSlices } from '../../packages/fusion/src/gate/gate.ts';
import { planInSlices } from '../../packages/fusion/src/plan.ts';
import type { Slices } from '../../packages/fusion/src/slices.ts';
import { HOSTILE } from '../../packages/fusion/src/testing/hostile.ts';
import { AT, candidate, neighbour } from '../../packages/fusion/src/testing/samples.ts';
import { medianOf, ratioOf } from '../compare.ts';
import { durationText, timesResult } from '../figures.ts';
import type { BenchContext, Row, RowResult } from '../row.ts';
import { HOSTILE_TEXTS, PLAIN_TEXTS, runBeside } from '../stage/beside-hostile.ts';
import { onRedis } from '../stage/on-redis.ts';

const GOAL = { kind: 'times', atMost: 2.4 } as const;
const STILL_GOAL_MS = 100;
const KILOBYTE = 1_024;
const NOTES = 12;
/** As many as one statement may have, and as long as it may be. */
const SOURCES = 5;
const STATEMENT_CHARS = 1_000;
/** Of a budget, which takes a few microseconds, and of a page, which takes a few milliseconds. */
const FILLS = 10_000;
const PAGES = 10;

type TextOf = (length: number) => string;

/** Notes that are equal but for one number, as long together as asked for. */
function nearDuplicates(textOf: TextOf, count: number, length: number): string[] {
  const text = textOf(Math.floor(length / count));
  return Array.from({ length: count }, (_, n) => `${text}\nAnna has ${77_000 + n} apples.`);
}

/** Work on a text of a kind and length. Gives the CPU of each stretch in which the event loop had no turn, ms. */
type Work = (textOf: TextOf, length: number) => number[];

/** CPU of this process, ms. */
function cpuOf(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

/** @param check of what the work came to */
function stretchesOf<Result>(slices: Slices<Result>, check: (result: Result) => void): number[] {
  const stretches: number[] = [];
  for (let done = false; !done; ) {
    stretches.push(
      cpuOf(() => {
        const slice = slices.next();
        done = slice.done === true;
        if (slice.done) check(slice.value);
      }),
    );
  }
  return stretches;
}

function plan(textOf: TextOf, length: number): number[] {
  const candidates = nearDuplicates(textOf, NOTES, length).map((content, n) =>
    candidate({ id: `m${10 + n}`, content }),
  );
  const edges = candidates.flatMap((one, at) =>
    candidates.slice(at + 1).map((other) => neighbour(one.id, other.id, 0.99)),
  );
  return stretchesOf(planInSlices(candidates, edges, { ...DEEP_WINDOW, at: AT }), ({ counts }) =>
    assert.equal(counts.eligible, NOTES),
  );
}

function gate(textOf: TextOf, length: number): number[] {
  const sources = nearDuplicates(textOf, SOURCES, length).map((content) => ({ content, day: '2026-03-02' }));
  return stretchesOf(
    checkGateInSlices(sources, textOf(STATEMENT_CHARS), [], { isExamined: true }),
    ({ accepted }) => assert.equal(accepted, false),
  );
}

function recall(textOf: TextOf, length: number): number[] {
  const found = nearDuplicates(textOf, NOTES, length).map((content) => ({ content }));
  const fill = (): void => {
    for (let time = 0; time < FILLS; time += 1) withinBudget(found, length);
  };
  return [cpuOf(fill) / FILLS];
}

function page(textOf: TextOf, length: number): number[] {
  const text = textOf(length);
  const show = (): void => {
    for (let time = 0; time < PAGES; time += 1) wordsWithAtoms(text);
  };
  return [cpuOf(show) / PAGES];
}

const WORKS: readonly [name: string, work: Work][] = [
  [`plan of ${NOTES} near-duplicates`, plan],
  [`gate of a statement of ${SOURCES} near-duplicates`, gate],
  ['page that marks the hard facts of a text', page],
  [`recall of ${NOTES} near-duplicates within a budget`, recall],
];

const sumOf = (stretches: readonly number[]): number => stretches.reduce((sum, ms) => sum + ms, 0);

/** The kind of text whose time grows most from half of the length to the whole, and the longest stretch of any. */
function measure(bench: BenchContext, name: string, work: Work): RowResult[] {
  const whole = (bench.quick ? 8 : 32) * KILOBYTE;
  let worst = { kind: '', baselineMs: [1], oursMs: [0] };
  let still = { kind: '', ms: 0 };
  for (const [kind, textOf] of HOSTILE) {
    const times = { kind, baselineMs: [] as number[], oursMs: [] as number[] };
    work(textOf, whole);
    for (let round = 0; round < bench.rounds; round += 1) {
      times.baselineMs.push(sumOf(work(textOf, whole / 2)));
      const stretches = work(textOf, whole);
      times.oursMs.push(sumOf(stretches));
      const ms = Math.max(...stretches);
      if (ms > still.ms) still = { kind, ms };
    }
    const ratio = ratioOf(times.oursMs, times.baselineMs);
    bench.say(`${name}, ${kind}: ${ratio.median.toFixed(2)}`);
    if (ratio.median > ratioOf(worst.oursMs, worst.baselineMs).median) worst = times;
  }
  const size = `${whole / KILOBYTE} KB`;
  const note = `CPU at ${size} against half of it, of ${HOSTILE.length} kinds of texts the one that grows most: ${worst.kind}`;
  return [
    timesResult(name, worst, GOAL, note),
    {
      name: `${name}: longest stretch without a turn of the event loop`,
      baseline: null,
      ours: durationText(still.ms),
      met: still.ms <= STILL_GOAL_MS,
      note: `CPU, at ${size} of ${still.kind}`,
    },
  ];
}

/** The largest of the smallest 95 %. */
const p95Of = (sorted: readonly number[]): number => sorted[Math.ceil(0.95 * sorted.length) - 1]!;

/** How long a user waits for deep and light runs beside users whose texts are hostile, in one worker, against users whose texts are not. */
const besideHostile = onRedis(async (bench, backend) => {
  const runs = bench.quick ? 5 : 40;
  const plain = await runBeside(backend, { tenant: 'plain', textOf: PLAIN_TEXTS, runs });
  const hostile = await runBeside(backend, { tenant: 'hostile', textOf: HOSTILE_TEXTS, runs });
  const { ms, stillMs, others } = hostile;
  return [
    {
      name: 'light and deep run of a user beside four users of hostile texts, p95',
      baseline: durationText(p95Of(plain.ms)),
      ours: durationText(p95Of(ms)),
      met: null,
      note: `beside plain texts as the baseline; median ${durationText(medianOf(ms))} against ${durationText(medianOf(plain.ms))}; ${others} runs of the others`,
    },
    {
      name: 'longest delay of the event loop meanwhile',
      baseline: durationText(plain.stillMs),
      ours: durationText(stillMs),
      met: stillMs <= STILL_GOAL_MS,
    },
  ];
});

export const row: Row = {
  id: 'P17',
  measure: 'plan, gate, page and recall on hostile texts: CPU at 32 KB (event loop still for at most 100 ms)',
  against: 'CPU at 16 KB',
  goal: GOAL,
  async run(bench) {
    return [...WORKS.flatMap(([name, work]) => measure(bench, name, work)), ...(await besideHostile(bench))];
  },
};
