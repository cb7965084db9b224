import type { RoundReport } from './round.ts';

export interface StormReport {
  kind: string;
  seed: number;
  mutant: string | null;
  seconds: number;
  rounds: RoundReport[];
  totals: Totals;
}

export interface Totals {
  rounds: number;
  users: number;
  processKills: number;
  killsPerMinute: number;
  fusions: number;
  calls: number;
  batched: number;
  violations: number;
  recoveryMaxMs: number;
  counts: Record<string, number>;
  points: Record<string, number>;
  ledger: Record<string, number>;
  lies: Record<string, number>;
}

/** Counts by name of several rounds, the most frequent first. */
function sumOf(parts: readonly Record<string, number>[]): Record<string, number> {
  const sum = new Map<string, number>();
  for (const part of parts)
    for (const [name, count] of Object.entries(part)) sum.set(name, (sum.get(name) ?? 0) + count);
  return Object.fromEntries([...sum].sort(([, a], [, b]) => b - a));
}

export function totalsOf(rounds: readonly RoundReport[], seconds: number): Totals {
  const total = (pick: (round: RoundReport) => number) => rounds.reduce((sum, round) => sum + pick(round), 0);
  const processKills = total((round) => round.processKills);
  return {
    rounds: rounds.length,
    users: total((round) => round.users),
    processKills,
    killsPerMinute: Math.round((processKills * 60) / Math.max(1, seconds)),
    fusions: total((round) => round.fusions),
    calls: total((round) => round.calls),
    batched: total((round) => round.batched),
    violations: total((round) => round.violations.length),
    recoveryMaxMs: Math.max(0, ...rounds.map((round) => round.recoveryMs)),
    counts: sumOf(rounds.map((round) => round.counts)),
    points: sumOf(rounds.map((round) => round.points)),
    ledger: sumOf(rounds.map((round) => round.ledger)),
    lies: sumOf(rounds.map((round) => round.lies)),
  };
}

const secondsOf = (ms: number) => `${(ms / 1_000).toFixed(1)} s`;

/** One round in a line. @param number from 1 */
export function lineOf(number: number, round: RoundReport): string {
  const { seed, seconds, users, processKills, fusions, calls, recoveryMs, violations } = round;
  return [
    `round ${number} (seed ${seed})`,
    `${seconds.toFixed(0)} s`,
    `${users} users`,
    `${processKills} kills`,
    `${fusions} fusions`,
    `${calls} calls`,
    `recovered in ${secondsOf(recoveryMs)}`,
    violations.length === 0 ? 'all promises kept' : `${violations.length} VIOLATIONS`,
  ].join(', ');
}

/** What broke, and how to see it again. */
export function linesOfViolations(round: RoundReport, again: string): string[] {
  if (round.violations.length === 0) return [];
  return [
    ...round.violations.map(({ invariant, detail }) => `  ${invariant}: ${detail}`),
    `  again: ${again} --seed ${round.seed} --rounds 1`,
  ];
}

/** The end of a run: totals, and every kind of fault with its count. */
export function tableOf({ kind, seed, totals, seconds }: StormReport): string[] {
  const rows: [string, string | number][] = [
    ['queue', kind],
    ['seed', seed],
    ['time', `${(seconds / 60).toFixed(1)} min`],
    ['rounds', totals.rounds],
    ['users', totals.users],
    ['processes killed', `${totals.processKills} (${totals.killsPerMinute} a minute)`],
    ['fusions', totals.fusions],
    ['model calls', totals.calls],
    ...(totals.batched > 0 ? [['of them in batches', totals.batched] as [string, number]] : []),
    ['longest recovery', secondsOf(totals.recoveryMaxMs)],
    ['violations', totals.violations],
  ];
  const list = (counts: Record<string, number>) =>
    Object.entries(counts).map(([name, count]) => `  ${String(count).padStart(6)}  ${name}`);
  return [
    '',
    ...rows.map(([name, value]) => `${name.padEnd(20)}${value}`),
    '',
    'fusions',
    ...list(totals.ledger),
    ...(Object.keys(totals.lies).length === 0
      ? []
      : ['', 'statements proposed and judged', ...list(totals.lies)]),
    '',
    'faults',
    ...list(totals.counts),
    '',
    'failpoints at which processes ended',
    ...list(totals.points),
  ];
}
