import { type Database, type PreviewView, previewOf } from '@slowwave/db';
import type { Tier } from '@slowwave/fusion';
import { anywhere, type CommandContext, serviceOf } from './anywhere.ts';
import type { RunAnswer, ServiceClient } from './client.ts';
import { unknownUser } from './exit.ts';
import { openDatabase } from './open-database.ts';
import { askForRun, isOver, waitForRun } from './runs.ts';
import type { Service } from './service.ts';

/** Which run is wanted, and whether to wait for its end. */
export interface RunQuestion {
  tenant: string;
  user: string;
  tier: Tier;
  /** Everything up to the commit, and nothing after it. */
  preview: boolean;
  wait: boolean;
  timeoutMs: number;
  /** Nothing but the answer is printed. */
  json: boolean;
}

export interface AskedRun {
  runId: string;
  /** Somebody had asked for it before. */
  existing: boolean;
  /** Its end, or where it stands when the time to wait is over; null without waiting. */
  answer: RunAnswer | null;
  /** What it would do, when it was a preview and has ended. */
  view: PreviewView | null;
}

type AskContext = Omit<CommandContext, 'open'>;

/**
 * Asks for a run wherever the data is: from the service that owns the embedded folder, from the workers on the servers, or else it is
 * done in this process.
 * @throws UsageError for an unknown user, HeldBack when nothing may run for them
 */
export async function askRun(context: AskContext, given: RunQuestion): Promise<AskedRun> {
  const client = await serviceOf(context);
  if (client) return askService(client, given);
  return context.config.database.kind === 'server' ? askServers(context, given) : runHere(context, given);
}

async function askService(client: ServiceClient, given: RunQuestion): Promise<AskedRun> {
  const { tenant, user, tier, preview } = given;
  const asked = await client.consolidate({ tenant, user, tier, ...(preview ? { preview } : {}) });
  const { runId } = asked;
  if (!given.wait) return { ...asked, answer: null, view: null };
  const answer = await followRun(client, { tenant, user, runId }, given.timeoutMs);
  const view = preview && isOver(answer) ? await client.preview(runId, { tenant, user }) : null;
  return { ...asked, answer, view };
}

type RunAddress = { tenant: string; user: string; runId: string };

/** Waits for the end of a run of the service, within a limit. */
async function followRun(
  client: ServiceClient,
  { tenant, user, runId }: RunAddress,
  timeoutMs: number,
): Promise<RunAnswer> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const left = Math.ceil((deadline - Date.now()) / 1000);
    const waitSeconds = Math.max(0, Math.min(20, left));
    const answer = await client.run(runId, { tenant, user, waitSeconds });
    if (isOver(answer) || Date.now() > deadline) return answer;
  }
}

/** Waits for the end of a run that somebody has asked for already, wherever it is done. @returns where it stands when the time is over */
export function awaitRun(context: CommandContext, of: RunAddress, timeoutMs: number): Promise<RunAnswer> {
  return anywhere(context, {
    service: (client) => followRun(client, of, timeoutMs),
    database: (database: Database) => waitForRun(database, of, timeoutMs),
  });
}

/** On servers the workers do it: this process only asks. */
async function askServers({ config, logger }: AskContext, given: RunQuestion): Promise<AskedRun> {
  const { connectOptionsWithin, connectQueues, queueBackendOf } = await import('@slowwave/queue');
  const database = await openDatabase(config, logger);
  try {
    const queues = await connectQueues(queueBackendOf(config.queue, database.pglite), {
      connect: connectOptionsWithin(config.connectTimeoutMs),
      onError: (event) => logger.warn(event, 'queue error'),
    });
    try {
      return await askParts({ database, queues }, given);
    } finally {
      await queues.close();
    }
  } finally {
    await database.close();
  }
}

/** Nobody serves the embedded folder: the run is done in this process, to its end. */
async function runHere({ config, logger, terminal }: AskContext, given: RunQuestion): Promise<AskedRun> {
  const { startService } = await import('./service.ts');
  const service = await startService({
    config,
    logger,
    serve: false,
    onEvent: (event) => {
      if (event.type === 'step_started' && !given.json)
        terminal.progress(`${event.step} (${event.index + 1} of ${event.steps})`, event.index / event.steps);
    },
  });
  try {
    return await askParts(service, { ...given, wait: true });
  } finally {
    terminal.clear();
    await service.close();
  }
}

async function askParts(parts: Pick<Service, 'database' | 'queues'>, given: RunQuestion): Promise<AskedRun> {
  const { tenant, user, preview } = given;
  const asked = await askForRun(parts, given, Date.now());
  if (!asked) throw unknownUser(user);
  const { runId, existing } = asked;
  if (!given.wait) return { runId, existing, answer: null, view: null };
  const answer = await waitForRun(parts.database, { tenant, user, runId }, given.timeoutMs);
  const view =
    preview && isOver(answer)
      ? await parts.database.withTenant(tenant, (tx) => previewOf(tx, { tenant, user, runId }))
      : null;
  return { runId, existing, answer, view };
}

/** What to say of a run that has not ended in the time that somebody was willing to wait. */
export function notEnded(runId: string, timeoutMs: number): string {
  return `run ${runId} has not ended within ${timeoutMs / 1000} s; it is kept, and goes on where a service runs`;
}
