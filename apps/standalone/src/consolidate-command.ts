import type { Config } from '@slowwave/config';
import type { Tier } from '@slowwave/fusion';
import type { Logger } from 'pino';
import { askRun, notEnded } from './ask-run.ts';
import { EXIT } from './exit.ts';
import { printRun } from './print.ts';
import { isOver } from './runs.ts';
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

/** Consolidates one user now. @returns exit code */
export async function consolidateCommand(
  context: CommandContext,
  given: ConsolidateArguments,
): Promise<number> {
  const { terminal } = context;
  const { runId, existing, answer } = await askRun(context, { ...given, preview: false });
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
  else terminal.error(notEnded(runId, given.timeoutMs));
  return answer.status === 'completed' ? EXIT.ok : EXIT.failed;
}
