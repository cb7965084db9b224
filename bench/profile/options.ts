import { TIERS, type Tier } from '@slowwave/fusion';
import { type Parsed, readArguments } from '../arguments.ts';

export interface ProfileOptions {
  tier: Tier;
  memories: number;
  dimensions: number;
  /** Profiled jobs, each of a user of its own; figures are of one job. */
  jobs: number;
  /** The tier has seen everybody before, and finds nothing new. */
  again: boolean;
  json: string | null;
}

export const PROFILE_USAGE = `usage: npm run bench:profile [-- OPTION …]

Profiles jobs of one tier, as a worker does them, on PostgreSQL and Redis with a model that answers at once, and prints where the time goes.

  --tier        light, deep or sleep; default deep
  --memories    memories of each user; default 200
  --dimensions  of their vectors; default 384
  --jobs        jobs to profile, after two that are not; default 5, above 1,000 memories 3
  --again       a job for each user before: those that are profiled find nothing new
  --json FILE   also writes the figures for programs
  --help        this text`;

/** Every mistake is reported at once, each with what was expected. */
export function readProfileOptions(args: readonly string[]): Parsed<ProfileOptions> {
  const texts = ['tier', 'memories', 'dimensions', 'jobs', 'json'];
  const given = readArguments(args, { texts, flags: ['again'] });
  if (given.help) return { kind: 'help' };
  const { errors } = given;
  const expected = 'light, deep or sleep';
  const named = given.text('tier', 'deep', expected);
  const tier = TIERS.find((each) => each === named);
  if (tier === undefined) errors.push(`--tier: expected ${expected}`);
  const memories = given.whole('memories', { otherwise: 200, least: 20, most: 50_000 });
  const dimensions = given.whole('dimensions', { otherwise: 384, least: 2, most: 2_000 });
  const jobs = given.whole('jobs', { otherwise: memories > 1_000 ? 3 : 5, least: 1, most: 100 });
  const again = given.flag('again');
  const json = given.text('json', null, 'a file');
  if (tier === undefined || errors.length > 0) return { kind: 'refused', errors };
  return { kind: 'run', options: { tier, memories, dimensions, jobs, again, json } };
}
