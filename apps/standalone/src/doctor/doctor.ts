import type { Config, Environment } from '@slowwave/config';
import type { Queues } from '@slowwave/queue';
import { type Check, type CheckResult, runCheck } from './check.ts';
import { configurationCheck, readAsFarAsPossible } from './configuration.ts';
import { databaseChecks } from './database-checks.ts';
import {
  diskCheck,
  type FreeBytes,
  foldersCheck,
  freeBytesOf,
  nodeCheck,
  notLookedAt,
  portCheck,
  tokenCheck,
} from './machine-checks.ts';
import { budgetsCheck, embedderCheck, MODEL_LIMIT_MS, modelCheck } from './model-checks.ts';
import { openQueues, queueChecks, schedulersCheck } from './queue-checks.ts';
import { serviceChecks } from './service-checks.ts';
import { openSubject, type Subject } from './subject.ts';
import { fusionsCheck, workChecks } from './work-checks.ts';

export interface DoctorOptions {
  environment: Environment;
  /** Only what this service says of itself; null: the configuration of this machine. */
  remote: { url: string; token: string | null } | null;
  /** Make one cheap call of the language model, and one of an embedder behind an endpoint. */
  askModel: boolean;
  /** The clock of this process, epoch ms. */
  now: () => number;
  /** As `process.versions.node`. */
  nodeVersion: string;
  freeBytes?: FreeBytes;
  /** Told of each result as it comes. */
  onResult?: (result: CheckResult) => void;
  /** Longest time of one check. */
  limitMs?: number;
}

export interface Diagnosis {
  /** `fail` when anything failed, else `warn` when anything is to be looked at. */
  verdict: 'ok' | 'warn' | 'fail';
  checks: CheckResult[];
}

const LIMIT_MS = 10_000;

/** Looks at everything that a service stands on, and changes nothing. One broken check never stops the others. */
export async function examine(options: DoctorOptions): Promise<Diagnosis> {
  const { limitMs = LIMIT_MS, onResult } = options;
  const checks: CheckResult[] = [];
  const run = async (all: readonly Check[]): Promise<void> => {
    for (const check of all) {
      const result = await runCheck(
        check,
        check.name === 'model' || check.name === 'embedder' ? Math.max(limitMs, MODEL_LIMIT_MS) : limitMs,
      );
      checks.push(result);
      onResult?.(result);
    }
  };
  await run([nodeCheck(options.nodeVersion)]);
  if (options.remote) await run(serviceChecks({ ...options.remote, now: options.now }));
  else await examineHere(options, run);
  const has = (verdict: string) => checks.some((check) => check.verdict === verdict);
  return { verdict: has('fail') ? 'fail' : has('warn') ? 'warn' : 'ok', checks };
}

type Run = (checks: readonly Check[]) => Promise<void>;

async function examineHere(options: DoctorOptions, run: Run): Promise<void> {
  const { now, freeBytes = freeBytesOf } = options;
  const read = readAsFarAsPossible(options.environment);
  await run([configurationCheck(read)]);
  const { config, wrong } = read;
  if (config === null) return;
  await run([tokenCheck(config), foldersCheck(config), diskCheck(config, freeBytes), portCheck(config)]);
  if (wrong.has('DATABASE_URL')) await run([notLookedAt('database', 'DATABASE_URL')]);
  else await examineData(config, options, run);
  if (wrong.has('QUEUE_URL')) await run([notLookedAt('queue', 'QUEUE_URL')]);
  else await examineQueue(config, now, run);
  const modelSettings = [...wrong].filter((name) => /MODEL|ANTHROPIC|OPENAI|EMBED/.test(name));
  await run([
    modelSettings[0] ? notLookedAt('model', modelSettings[0]) : modelCheck(config, { ask: options.askModel }),
    wrong.has('SLOWWAVE_MODEL_PROVIDER')
      ? notLookedAt('budgets', 'SLOWWAVE_MODEL_PROVIDER')
      : budgetsCheck(config),
    modelSettings[0]
      ? notLookedAt('embedder', modelSettings[0])
      : embedderCheck(config, { ask: options.askModel }),
  ]);
}

async function examineData(
  config: Config,
  { now, askModel: ask }: Pick<DoctorOptions, 'now' | 'askModel'>,
  run: Run,
): Promise<void> {
  const subject: Subject = await openSubject(config);
  try {
    await run(databaseChecks({ config, subject, now, ask }));
    await run(
      subject.kind === 'served'
        ? serviceChecks({ ...subject, now })
        : workChecks(subject, { now, overdueMs: config.overdueMs }),
    );
  } finally {
    if (subject.kind === 'open') await subject.close();
  }
}

async function examineQueue(config: Config, now: () => number, run: Run): Promise<void> {
  await run(queueChecks(config, now));
  let opened: Promise<Queues | null> | null = null;
  const queues = () => {
    opened ??= openQueues(config);
    return opened;
  };
  try {
    await run([schedulersCheck(queues, { tickMs: config.producer.tickMs, now }), fusionsCheck(queues)]);
  } finally {
    await (await (opened as Promise<Queues | null> | null)?.catch(() => null))?.close();
  }
}
