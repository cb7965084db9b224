import { parseArgs } from 'node:util';
import { TIERS, type Tier } from '@slowwave/fusion';

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

export type ParsedProfileOptions =
  | { kind: 'run'; options: ProfileOptions }
  | { kind: 'help' }
  | { kind: 'refused'; errors: string[] };

export const PROFILE_USAGE = `usage: npm run bench:profile [-- OPTION …]

Profiles jobs of one tier, as a worker does them, on PostgreSQL and Redis with a model that answers at once, and prints where the time goes.

  --tier        light, deep or sleep; default deep
  --memories    memories of each user; default 200
  --dimensions  of their vectors; default 384
  --jobs        jobs to profile, after two that are not; default 5, above 1,000 memories 3
  --again       a job for each user before: those that are profiled find nothing new
  --json FILE   also writes the figures for programs
  --help        this text`;

const NAMES = ['tier', 'memories', 'dimensions', 'jobs', 'again', 'json', 'help'];

/** Every mistake is reported at once, each with what was expected. */
export function readProfileOptions(args: readonly string[]): ParsedProfileOptions {
  const { values, positionals } = parseArgs({
    args: [...args],
    strict: false,
    allowPositionals: true,
    options: {
      tier: { type: 'string' },
      memories: { type: 'string' },
      dimensions: { type: 'string' },
      jobs: { type: 'string' },
      again: { type: 'boolean' },
      json: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help === true) return { kind: 'help' };
  const errors = positionals.map((word) => `unexpected ${word}: options begin with --`);
  for (const name of Object.keys(values)) {
    if (!NAMES.includes(name))
      errors.push(`unknown option --${name}: expected one of --${NAMES.join(', --')}`);
  }
  const whole = (
    name: 'memories' | 'dimensions' | 'jobs',
    otherwise: number,
    least: number,
    most: number,
  ) => {
    const given = values[name];
    if (given === undefined) return otherwise;
    const value = typeof given === 'string' && /^\d+$/.test(given) ? Number(given) : Number.NaN;
    if (value >= least && value <= most) return value;
    errors.push(`--${name}: expected a whole number from ${least} to ${most}`);
    return otherwise;
  };
  const tier = values.tier ?? 'deep';
  if (!TIERS.includes(tier as Tier)) errors.push('--tier: expected light, deep or sleep');
  const memories = whole('memories', 200, 20, 50_000);
  const dimensions = whole('dimensions', 384, 2, 2_000);
  const jobs = whole('jobs', memories > 1_000 ? 3 : 5, 1, 100);
  const again = values.again ?? false;
  if (typeof again !== 'boolean') errors.push('--again takes no value');
  const json = values.json ?? null;
  if (json !== null && (typeof json !== 'string' || json === '')) errors.push('--json: expected a file');
  if (errors.length > 0) return { kind: 'refused', errors };
  return {
    kind: 'run',
    options: {
      tier: tier as Tier,
      memories,
      dimensions,
      jobs,
      again: again === true,
      json: json as string | null,
    },
  };
}
