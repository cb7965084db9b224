import type { Tier } from '@slowwave/fusion';
import { isTier, type QueueName } from './names.ts';

export const REASONS = ['schedule', 'adhoc', 'sweep', 'retry', 'batch'] as const;
export type WakeReason = (typeof REASONS)[number];

/** A wake-up: look at this user's tier. Ids only; the truth stands in PostgreSQL. */
export interface TierJob {
  v: 1;
  tenant: string;
  user: string;
  tier: Tier;
  why: WakeReason;
  /** The run that was requested, when somebody waits for one. */
  runId?: string;
}

/** A cluster whose fusion failed inside a run of `tier` and is tried again on its own. */
export interface FusionJob {
  v: 1;
  tenant: string;
  user: string;
  /** Fusion key, 64 lower-case hexadecimal digits. */
  key: string;
  tier: Tier;
  runId: string;
}

/** One beat of a tier's scheduler. */
export interface TickJob {
  v: 1;
  tier: Tier;
}

export interface Payloads {
  light: TierJob;
  deep: TierJob;
  sleep: TierJob;
  adhoc: TierJob;
  fusions: FusionJob;
  ticks: TickJob;
}
export type Payload = Payloads[QueueName];

/** Longest id accepted, in code points, as the database counts. */
export const MAX_ID_LENGTH = 200;
/** More of anything than any bound a worker may set. */
const MAX_COUNT = 1_000_000;

/** Counters of the workers themselves: they may stand in any payload. */
const COUNTERS = ['postponed', 'stalls'] as const;

type Field = 'v' | 'tenant' | 'user' | 'tier' | 'why' | 'runId' | 'key' | (typeof COUNTERS)[number];
export type PayloadProblem = 'not_an_object' | 'unknown_field' | 'missing' | 'bad_value' | 'wrong_queue';

/** A payload that is not one of ours. Names the field at most, never a value: values may be anything. */
export class PayloadError extends Error {
  readonly code = 'invalid_payload';
  readonly retryable = false;
  readonly problem: PayloadProblem;
  readonly field: string | null;

  constructor(problem: PayloadProblem, field: Field | null = null) {
    super(`invalid job payload: ${problem}${field === null ? '' : ` (${field})`}`);
    this.name = 'PayloadError';
    this.problem = problem;
    this.field = field;
  }
}

// A user id may be an e-mail address or a name in any script, but has no control characters and is well-formed.
const ID = /^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}]+$/u;
const KEY = /^[0-9a-f]{64}$/;

type Check = (value: unknown) => boolean;
const isId: Check = (value) =>
  typeof value === 'string' &&
  value.length <= 2 * MAX_ID_LENGTH &&
  [...value].length <= MAX_ID_LENGTH &&
  ID.test(value);
const isCount: Check = (value) =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MAX_COUNT;

const CHECKS: Record<Field, Check> = {
  v: (value) => value === 1,
  tenant: isId,
  user: isId,
  tier: isTier,
  why: (value) => REASONS.some((reason) => reason === value),
  runId: isId,
  key: (value) => typeof value === 'string' && KEY.test(value),
  postponed: isCount,
  stalls: isCount,
};

/** Reads exactly these fields; counters may stand beside them. */
function readFields(value: unknown, required: readonly Field[], optional: readonly Field[]) {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new PayloadError('not_an_object');
  }
  const source = value as Record<string, unknown>;
  const known: readonly string[] = [...required, ...optional, ...COUNTERS];
  // guard: payload-unknown
  if (Object.keys(source).some((name) => !known.includes(name))) throw new PayloadError('unknown_field');
  const fields: Partial<Record<Field, unknown>> = {};
  for (const field of [...required, ...optional]) {
    const given = Object.hasOwn(source, field) ? source[field] : undefined;
    if (given === undefined) {
      if (required.includes(field)) throw new PayloadError('missing', field);
      continue;
    }
    if (!CHECKS[field](given)) throw new PayloadError('bad_value', field);
    fields[field] = given;
  }
  for (const counter of COUNTERS) {
    if (source[counter] !== undefined && !CHECKS[counter](source[counter]))
      throw new PayloadError('bad_value', counter);
  }
  return fields;
}

/** @throws PayloadError */
export function parseTierJob(value: unknown): TierJob {
  return readFields(value, ['v', 'tenant', 'user', 'tier', 'why'], ['runId']) as unknown as TierJob;
}

/** @throws PayloadError */
export function parseFusionJob(value: unknown): FusionJob {
  return readFields(value, ['v', 'tenant', 'user', 'key', 'tier', 'runId'], []) as unknown as FusionJob;
}

/** @throws PayloadError */
export function parseTickJob(value: unknown): TickJob {
  return readFields(value, ['v', 'tier'], []) as unknown as TickJob;
}

/**
 * Reads the payload that a job of this queue must carry. A tier's queue takes that tier only, whatever an operator's
 * screen was used to edit.
 * @throws PayloadError
 */
export function parsePayload<N extends QueueName>(queue: N, value: unknown): Payloads[N] {
  return parse(queue, value) as Payloads[N];
}

function parse(queue: QueueName, value: unknown): Payload {
  if (queue === 'fusions') return parseFusionJob(value);
  if (queue === 'ticks') return parseTickJob(value);
  const job = parseTierJob(value);
  // guard: payload-queue
  if (queue !== 'adhoc' && job.tier !== queue) throw new PayloadError('wrong_queue', 'tier');
  return job;
}

/** How often a valid payload's job was postponed. */
export function postponedCount(value: unknown): number {
  const count = (value as { postponed?: unknown } | null)?.postponed;
  return isCount(count) ? (count as number) : 0;
}

/** The ids of a payload that may stand in a failure reason or a log line, shortest useful form. */
export function payloadIds(payload: Payload): Record<string, string> {
  const ids: Record<string, string> = {};
  for (const field of ['tenant', 'user', 'tier', 'runId', 'key'] as const) {
    const value = (payload as Partial<Record<typeof field, string>>)[field];
    if (value !== undefined) ids[field] = value;
  }
  return ids;
}
