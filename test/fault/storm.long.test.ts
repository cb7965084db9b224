import { describe, expect, it } from 'vitest';
import type { StormOptions } from './storm/options.ts';
import { tableOf } from './storm/report.ts';
import { runStorms } from './storm/run.ts';
import type { QueueKind } from './types.ts';

/** A storm that is short enough for every change: `npm run test:fault` is for long ones. */
const SHORT: Omit<StormOptions, 'kind' | 'users' | 'lies' | 'batches'> = {
  seed: 7,
  minutes: 60,
  rounds: 1,
  killsPerMinute: 60,
  workers: 2,
  stormSeconds: 15,
  // Each cluster takes three answers, and the machine may have other things to do.
  recoverSeconds: 240,
  mutant: null,
  report: null,
};
/** By far most storms see many more. */
const LEAST: Record<QueueKind, { kills: number; fusions: number }> = {
  redis: { kills: 3, fusions: 8 },
  postgres: { kills: 3, fusions: 8 },
  embedded: { kills: 3, fusions: 3 },
};

/** Each look into the embedded database stops the service, so that few users take as long there as many elsewhere. */
const USERS: Record<QueueKind, number> = { redis: 12, postgres: 12, embedded: 5 };

describe('a short storm', () => {
  it.each([
    ['redis', 'an honest writer', {}],
    ['redis', 'a writer that lies, in batches', { lies: true, batches: true }],
    ['postgres', 'a writer that lies', { lies: true }],
    ['embedded', 'a writer that lies', { lies: true }],
  ] as const)(
    'breaks no promise (%s, %s)',
    async (kind, _writer, writer) => {
      const said: string[] = [];
      const options = { ...SHORT, lies: false, batches: false, ...writer, users: USERS[kind], kind };
      const report = await runStorms(options, (line) => void said.push(line));
      process.stdout.write(`${[...said, ...tableOf(report)].join('\n')}\n`);
      expect(report.rounds.flatMap((round) => round.violations)).toEqual([]);
      if (options.lies) expect(report.totals.lies['judged changed']).toBeGreaterThan(0);
      if (options.batches) expect(report.totals.batched).toBeGreaterThan(0);
      expect(report.totals.processKills).toBeGreaterThanOrEqual(LEAST[kind].kills);
      expect(report.totals.fusions).toBeGreaterThanOrEqual(LEAST[kind].fusions);
    },
    1_800_000,
  );
});
