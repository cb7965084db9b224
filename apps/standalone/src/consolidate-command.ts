import type { Config } from '@slowwave/config';
import { folderOwner } from '@slowwave/db';
import type { Tier } from '@slowwave/fusion';
import { connectOptionsWithin, connectQueues, queueBackendOf } from '@slowwave/queue';
import type { Logger } from 'pino';
import { createClient, type RunAnswer } from './client.ts';
import { EXIT, UsageError } from './exit.ts';
import { printRun } from './print.ts';
import { askForRun, isOver, waitForRun } from './runs.ts';
import { openDatabase, startService } from './service.ts';
import type { Terminal } from './terminal.ts';

export interface ConsolidateArguments {
  tenant: string;
  user: string;
  tier: Tier;
  wait: boolean;
  timeoutMs: number;
  json: boolean;
}

interface CommandContext {
  config: Config;
  logger: Logger;
  terminal: Terminal;
}

type Asked = { runId: string; existing: boolean; answer: RunAnswer | null };

const unknownUser = (user: string): UsageError =>
  new UsageError(
    `there is no user ${user}: import memories for this user first (slowwave import FILE --user ${user})`,
  );

/** Consolidates one user now. @returns exit code */
export async function consolidateCommand(
  context: CommandContext,
  given: ConsolidateArguments,
): Promise<number> {
  const { terminal } = context;
  const { runId, existing, answer } = await ask(context, given);
  if (answer === null) {
    terminal.line(
      given.json
        ? JSON.stringify({ runId, existing })
        : `run ${runId} ${existing ? 'was asked for already' : 'is asked for'}; --wait shows its end`,
    );
    return EXIT.ok;
  }
  if (given.json) terminal.line(JSON.stringify(answer));
  else if (isOver(answer)) printRun(terminal, answer);
  else
    terminal.error(
      `run ${runId} has not ended within ${given.timeoutMs / 1000} s; it is kept, and goes on where a service runs`,
    );
  return answer.status === 'completed' ? EXIT.ok : EXIT.failed;
}

async function ask(context: CommandContext, given: ConsolidateArguments): Promise<Asked> {
  const { config } = context;
  if (config.database.kind === 'server') return askServers(context, given);
  const owner = await folderOwner(config.database.dataDir);
  return owner?.url ? askOwner(createClient(owner), given) : runHere(context, given);
}

async function askOwner(
  client: ReturnType<typeof createClient>,
  given: ConsolidateArguments,
): Promise<Asked> {
  const { tenant, user, tier } = given;
  const asked = await client.consolidate({ tenant, user, tier });
  if (!given.wait) return { ...asked, answer: null };
  const deadline = Date.now() + given.timeoutMs;
  for (;;) {
    const left = Math.ceil((deadline - Date.now()) / 1000);
    const answer = await client.run(asked.runId, {
      tenant,
      user,
      waitSeconds: Math.max(0, Math.min(20, left)),
    });
    if (isOver(answer) || Date.now() > deadline) return { ...asked, answer };
  }
}

/** On servers the workers do it: this process only asks. */
async function askServers({ config, logger }: CommandContext, given: ConsolidateArguments): Promise<Asked> {
  const database = await openDatabase(config, logger);
  try {
    const queues = await connectQueues(queueBackendOf(config.queue, database.pglite), {
      connect: connectOptionsWithin(config.connectTimeoutMs),
      onError: (event) => logger.warn(event, 'queue error'),
    });
    try {
      const asked = await askForRun({ database, queues }, given, Date.now());
      if (!asked) throw unknownUser(given.user);
      const target = { ...given, runId: asked.runId };
      return { ...asked, answer: given.wait ? await waitForRun(database, target, given.timeoutMs) : null };
    } finally {
      await queues.close();
    }
  } finally {
    await database.close();
  }
}

/** Nobody serves the embedded folder: the run is done in this process, to its end. */
async function runHere(
  { config, logger, terminal }: CommandContext,
  given: ConsolidateArguments,
): Promise<Asked> {
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
    const asked = await askForRun(service, given, Date.now());
    if (!asked) throw unknownUser(given.user);
    const answer = await waitForRun(service.database, { ...given, runId: asked.runId }, given.timeoutMs);
    return { ...asked, answer };
  } finally {
    terminal.clear();
    await service.close();
  }
}
