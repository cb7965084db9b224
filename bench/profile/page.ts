import { durationText, numberText } from '../figures.ts';
import type { ProfileOptions } from './options.ts';
import type { ProfileFigures } from './profile-jobs.ts';

function rows(parts: readonly (readonly [string, string])[]): string[] {
  const wide = Math.max(...parts.map(([name]) => name.length));
  return parts.map(([name, value]) => `  ${name.padEnd(wide)}  ${value}`);
}

/** Parts below this are left out of lists, ms. */
const LEAST_MS = 0.05;

/** The figures as people read them. */
export function profilePage(options: ProfileOptions, figures: ProfileFigures): string[] {
  const { tier, memories, dimensions, jobs, again } = options;
  const { wallMs, steps, database, model, queueScripts, cpuMs, profile, stored } = figures;
  const share = (ms: number) =>
    `${durationText(ms)} (${Math.round((100 * ms) / Math.max(profile.cpuMs, 1e-9))} %)`;
  const seen = <T extends { ms: number }>(parts: readonly T[]) => parts.filter(({ ms }) => ms >= LEAST_MS);
  return [
    `${tier} job, ${memories} memories of ${dimensions} dimensions, ${again ? 'nothing new to find, ' : ''}mean of ${jobs}:`,
    ...rows([
      ['from the wake-up to the end', durationText(wallMs)],
      [
        'waiting for PostgreSQL',
        `${durationText(database.waitingMs)} in ${numberText(database.roundTrips)} round trips: ${numberText(database.statements)} statements in ${numberText(database.transactions)} transactions`,
      ],
      ['waiting for the model', `${durationText(model.waitingMs)} in ${numberText(model.calls)} calls`],
      ['scripts of the queue', numberText(queueScripts)],
      [
        'CPU of the process',
        `${durationText(cpuMs)}, ${durationText(profile.cpuMs)} of it sampled in the main thread`,
      ],
    ]),
    '',
    'steps:',
    ...rows(seen(steps).map(({ step, ms }) => [step, durationText(ms)])),
    '',
    'CPU by whose code it was:',
    ...rows(seen(profile.byOwner).map(({ owner, ms }) => [owner, share(ms)])),
    '',
    'functions that used most of it themselves:',
    ...rows(seen(profile.functions).map(({ name, owner, ms }) => [`${name}, ${owner}`, share(ms)])),
    '',
    'on disk, bytes a row:',
    ...rows(
      stored.map(({ table, rows: count, row, withIndexes }) => [
        table,
        `${row}${withIndexes === null ? '' : `, ${withIndexes} with its share of indexes`} (${count} rows)`,
      ]),
    ),
  ];
}
