import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Plugin } from 'esbuild';
import { openEmbeddedStage } from './embedded-stage.ts';
import type { StormOptions } from './options.ts';
import { mixSeed } from './random.ts';
import { lineOf, linesOfViolations, type StormReport, totalsOf } from './report.ts';
import { type RoundReport, runRound } from './round.ts';
import { openServersStage } from './servers-stage.ts';
import type { Stage } from './stage.ts';
import type { Toll } from './toll.ts';
import { type Batch, dropBatch } from './users.ts';

/** Users of so many rounds stay in the database; those of older ones are forgotten. */
const BATCHES_KEPT = 2;
/** Calm, checks and seeding take their part of each round: kills fall into the rest. */
const STORM_SHARE = 0.7;

/** Round after round until the time is over. Logs are kept when a promise was broken. */
export async function runStorms(options: StormOptions, say: (line: string) => void): Promise<StormReport> {
  const begun = Date.now();
  const folder = await mkdtemp(join(tmpdir(), 'slowwave-storm-'));
  let toll: Toll | null = null;
  const openStage = options.kind === 'embedded' ? openEmbeddedStage : openServersStage;
  const stage = await openStage({
    kind: options.kind,
    workers: options.workers,
    folder,
    lies: options.lies,
    batches: options.batches,
    plugins: options.mutant === null ? [] : [await pluginOf(options.mutant)],
    onEnd: (slot, end, process) => toll?.ended(slot, end, process),
    say,
  });
  const rounds: RoundReport[] = [];
  const batches: Batch[] = [];
  const endsAt = Date.now() + options.minutes * 60_000;
  try {
    await stage.start();
    while (Date.now() < endsAt && rounds.length < (options.rounds ?? Number.POSITIVE_INFINITY)) {
      // The first round has the seed itself, so that any round can be run alone by its own.
      const seed = rounds.length === 0 ? options.seed : mixSeed(options.seed, String(rounds.length));
      const { report, batch } = await runRound(
        stage,
        {
          seed,
          users: options.users,
          nights: options.batches,
          stormMs: options.stormSeconds * 1_000,
          killsPerMinute: options.killsPerMinute / STORM_SHARE,
          recoverMs: options.recoverSeconds * 1_000,
        },
        (started) => {
          toll = started;
        },
      );
      rounds.push(report);
      say(lineOf(rounds.length, report));
      for (const line of linesOfViolations(report, againOf(options))) say(line);
      batches.push(batch);
      if (report.violations.length === 0)
        for (const old of batches.splice(0, Math.max(0, batches.length - BATCHES_KEPT)))
          await drop(stage, old);
    }
  } catch (error) {
    say(`what the processes printed: ${join(folder, 'logs')}`);
    throw error;
  } finally {
    await stage.dispose();
  }
  const seconds = (Date.now() - begun) / 1_000;
  const totals = totalsOf(rounds, seconds);
  if (totals.violations === 0) await rm(folder, { recursive: true, force: true });
  else say(`what the processes printed: ${join(folder, 'logs')}`);
  return { kind: options.kind, seed: options.seed, mutant: options.mutant, seconds, rounds, totals };
}

/** The same storm from another seed. */
function againOf(options: StormOptions): string {
  const { kind, workers, users, stormSeconds, killsPerMinute, lies, batches, mutant } = options;
  return [
    `npm run test:fault -- --queue ${kind} --workers ${workers} --users ${users}`,
    `--storm-seconds ${stormSeconds} --kills-per-minute ${killsPerMinute}`,
    ...(lies ? ['--lies'] : []),
    ...(batches ? ['--batches'] : []),
    ...(mutant === null ? [] : [`--mutant ${mutant}`]),
  ].join(' ');
}

async function drop(stage: Stage, batch: Batch): Promise<void> {
  await stage.enter();
  await dropBatch(stage.database, batch, Date.now());
  await stage.leave();
}

async function pluginOf(mutant: string): Promise<Plugin> {
  const { esbuildMutant, mutantNamed } = await import('../mutate.ts');
  return esbuildMutant(mutantNamed(mutant));
}
