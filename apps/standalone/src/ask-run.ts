import type { Config } from '@slowwave/config';
import { folderOwner, type PreviewView, previewOf } from '@slowwave/db';
import type { Tier } from '@slowwave/fusion';
import { connectOptionsWithin, connectQueues, queueBackendOf } from '@slowwave/queue';
import type { Logger } from 'pino';
import { createClient, type RunAnswer } from './client.ts';
import { unknownUser } from './exit.ts';
import { askForRun, isOver, waitForRun } from './runs.ts';
import { openDatabase, type Service, startService } from './service.ts';
import type { Terminal } from './terminal.ts';

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

interface AskContext {
  config: Config;
  logger: Logger;
  terminal: Terminal;
}

/**
 * Asks for a run wherever the data is: from the service that owns the embedded folder, from the workers on the servers, or else it is
 * done in this process.
 * @throws UsageError for an unknown user, HeldBack when nothing may run for them
 */
export async function askRun(context: AskContext, given: RunQuestion): Promise<AskedRun> {
  const { config } = context;
  if (config.database.kind === 'server') return askServers(context, given);
  const owner = await folderOwner(config.database.dataDir);
  return owner?.url ? askOwner(createClient(owner), given) : runHere(context, given);
}

async function askOwner(client: ReturnType<typeof createClient>, given: RunQuestion): Promise<AskedRun> {
  const { tenant, user, tier, preview } = given;
  const asked = await client.consolidate({ tenant, user, tier, ...(preview ? { preview } : {}) });
  const { runId } = asked;
  if (!given.wait) return { ...asked, answer: null, view: null };
  const deadline = Date.now() + given.timeoutMs;
  for (;;) {
    const left = Math.ceil((deadline - Date.now()) / 1000);
    const waitSeconds = Math.max(0, Math.min(20, left));
    const answer = await client.run(runId, { tenant, user, waitSeconds });
    const over = isOver(answer);
    if (!over && Date.now() <= deadline) continue;
    return { ...asked, answer, view: preview && over ? await client.preview(runId, { tenant, user }) : null };
  }
}

/** On servers the workers do it: this process only asks. */
async function askServers({ config, logger }: AskContext, given: RunQuestion): Promise<AskedRun> {
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
  const service = await startService({
    config,
    logger,
    serve: false,
    onEvent: (event) => {
      if (event.type === 'step_started' && !given.json)
        terminal.progress(`${event.step} (${event.index + 1}/${event.steps})`);
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
