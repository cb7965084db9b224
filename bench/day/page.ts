import { TIERS } from '@slowwave/fusion';
import type { DayOptions } from './options.ts';
import type { DayFigures, Rates } from './reckon.ts';

/** Whole numbers with spaces of a thousand; small ones with a digit or two. */
export function count(value: number): string {
  const digits = Math.abs(value) >= 100 || Number.isInteger(value) ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return value.toFixed(digits).replace(/\B(?=(\d{3})+(?!\d))(?<!\.\d*)/g, ',');
}

const clock = (minute: number): string =>
  `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`;

const HEADS = ['UTC', 'light', 'deep', 'sleep', 'busiest', 'SQL', 'trips', 'queue', 'model', 'tokens'];

const cellsOf = (name: string, rates: Rates, busiest: number): string[] => [
  name,
  ...TIERS.map((tier) => count(rates.wakeUps[tier])),
  ...[busiest, rates.statements, rates.roundTrips, rates.queueScripts, rates.modelCalls, rates.tokens].map(
    count,
  ),
];

function aligned(rows: readonly string[][]): string[] {
  const wide = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  return rows.map((row) => row.map((cell, column) => cell.padStart(wide[column]!)).join('  '));
}

const wait = (minutes: number | null): string => (minutes === null ? 'for ever' : `${count(minutes)} min`);

/** The figures as people read them. */
export function pageOf(options: DayOptions, figures: DayFigures): string[] {
  const { day, mean, peak, spread, crews, questions } = figures;
  const busiest = (rates: Rates) => TIERS.reduce((sum, tier) => sum + rates.wakeUps[tier], 0);
  const date = new Date(options.day).toISOString().slice(0, 10);
  return [
    `${count(options.users)} users on ${date}: ${count(day.activeUsers)} write ${count(day.memories)} memories; ${count(day.crossings)} memories cross a band`,
    '',
    'A second, by the hour (busiest: all wake-ups in the busiest minute; SQL: statements that read or write rows; trips: with their frames):',
    ...aligned([
      HEADS,
      ...figures.hours.map(({ hour, mean: of, peakWakeUps }) => cellsOf(clock(hour * 60), of, peakWakeUps)),
      cellsOf('day', mean, busiest(peak)),
      cellsOf(clock(peak.minute), peak, busiest(peak)),
    ]),
    '',
    `runs of the day: ${TIERS.map((tier) => `${tier} ${count(day.runs[tier])}`).join(', ')}`,
    `a place for each user: deep at most ${count(spread.deep.perSecond)} a second (${count(spread.deep.unspread)} without), sleep ${count(spread.sleep.perSecond)} (${count(spread.sleep.unspread)} without)`,
    `models: ${count(day.modelCalls)} calls, ${count(day.inputTokens)} tokens in and ${count(day.outputTokens)} out, $${count(day.dollars)} with ${options.model}`,
    `  ${questions.map(({ kind, perActiveDay, input, output }) => `${kind} ${count(perActiveDay)} of ${input} + ${output}`).join('; ')} (for each user who writes)`,
    `SLOWWAVE_QUEUE_CAP: ${count(figures.queueCapNeeded)} for the busiest minute, ${count(options.queueCap)} given`,
    `workers with ${options.concurrency} slots a tier: ${count(figures.workersNeeded.mean)} on average, ${count(figures.workersNeeded.peak)} in the busiest minute`,
    '',
    ...aligned([
      ['workers', 'cap', 'most waiting', 'light waits', 'deep', 'sleep', 'CPU mean', 'peak'],
      ...crews.map(({ workers, queueCap, longestQueue, longestWait, cpu }) => [
        count(workers),
        count(queueCap),
        count(longestQueue),
        ...TIERS.map((tier) => wait(longestWait[tier])),
        `${Math.round(100 * cpu.mean)} %`,
        `${Math.round(100 * cpu.peak)} %`,
      ]),
    ]),
  ];
}
