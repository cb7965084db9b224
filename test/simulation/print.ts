import { RULES } from './rules.ts';
import type { PersonReport, SimulationReport } from './simulate.ts';

const pad = (cells: (string | number)[], widths: number[]): string =>
  cells.map((cell, i) => String(cell)[i === 0 || i === 1 ? 'padEnd' : 'padStart'](widths[i] ?? 8)).join('  ');

const clock = (minutes: number): string =>
  `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;

/** "4" when every day had four, else each count with its days. */
function perDay(counts: Record<number, number>): string {
  const entries = Object.entries(counts);
  if (entries.length === 1) return entries[0]![0];
  return entries.map(([count, days]) => `${count} on ${days} days`).join(', ');
}

function line({ person, runs, deepPerDay, nights, deepAfterDowntime, sleepAfterDowntime }: PersonReport) {
  return [
    person.user,
    person.timezone,
    `${clock(person.quietStart)}-${clock(person.quietEnd)}`,
    runs.light,
    runs.deep,
    perDay(deepPerDay),
    nights.nights,
    nights.odd,
    runs.sleep,
    nights.missed.length,
    nights.doubled.length,
    nights.outside,
    deepAfterDowntime,
    sleepAfterDowntime,
  ];
}

const HEAD = [
  'user',
  'zone',
  'quiet',
  'light',
  'deep',
  'deep/day',
  'nights',
  '≠24 h',
  'sleep',
  'missed',
  'doubled',
  'outside',
  'deep after',
  'sleep after',
];

/** The simulation as a table: schedules by person, then which rules were met by how many memories. */
export function printSimulation(report: SimulationReport, print: (line: string) => void): void {
  const rows = report.people.map(line);
  const widths = HEAD.map((head, i) => Math.max(head.length, ...rows.map((row) => String(row[i]).length)));
  print(pad(HEAD, widths));
  for (const row of rows) print(pad(row, widths));
  print('');
  print(
    'nights: whole quiet hours by the wall clock while the service was up; missed, doubled: nights without a sleep and with more than one;',
  );
  print(
    'outside: sleeps outside of every night; after: at the first beat, and by the end of the first night, after the downtime',
  );
  if (report.rules) {
    const { total, met } = report.rules;
    print('');
    print(`rule${' '.repeat(30)}memories  of ${total}`);
    for (const rule of RULES) {
      print(
        `${rule.padEnd(34)}${String(met[rule]).padStart(8)}  ${((100 * met[rule]) / total).toFixed(1)} %`,
      );
    }
  }
  print('');
  print(
    `${report.runs} runs, ${report.failed.length} failed, ${report.closed} wake-ups for nothing, in ${(report.elapsedMs / 1000).toFixed(0)} s`,
  );
}

/** What is wrong with a simulation, one line each; empty when everything is as promised. */
export function faultsOf(report: SimulationReport, options: { downtime: boolean }): string[] {
  const faults: string[] = [];
  for (const { person, deepPerDay, nights, deepAfterDowntime, sleepAfterDowntime } of report.people) {
    const { user } = person;
    if (perDay(deepPerDay) !== '4') faults.push(`${user}: deep ran ${perDay(deepPerDay)} times a day`);
    for (const date of nights.missed) faults.push(`${user}: no sleep in the night of ${date}`);
    for (const date of nights.doubled) faults.push(`${user}: more than one sleep in the night of ${date}`);
    if (nights.outside > 0) faults.push(`${user}: ${nights.outside} sleeps outside of the night`);
    if (options.downtime && deepAfterDowntime !== 1)
      faults.push(`${user}: ${deepAfterDowntime} deep runs after the downtime`);
    if (options.downtime && sleepAfterDowntime !== 1)
      faults.push(`${user}: ${sleepAfterDowntime} sleeps after the downtime`);
  }
  for (const run of report.failed) faults.push(`${run.user}: ${run.tier} failed (run ${run.runId})`);
  if (report.rules) {
    const { total, met } = report.rules;
    for (const rule of RULES) {
      if (met[rule] === 0) faults.push(`no memory met "${rule}"`);
      if (met[rule] === total) faults.push(`every memory met "${rule}"`);
    }
  }
  return faults;
}
