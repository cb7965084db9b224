import {
  CONFLICT_CHOICES,
  CONFLICT_LIST_MAX,
  CONFLICT_POLICIES,
  CONFLICT_STATUSES,
} from '@slowwave/db/vocabulary';
import { Argument, type Command, InvalidArgumentError, Option } from 'commander';
import type { ConflictsArguments, PolicyArguments, SettleArguments } from './conflict-command.ts';
import { jsonOption, tenantOption } from './options.ts';

/** Each returns its exit code. */
export interface ConflictCommands {
  conflicts(given: ConflictsArguments): Promise<number>;
  settle(given: SettleArguments): Promise<number>;
  conflictPolicy(given: PolicyArguments): Promise<number>;
}

function limit(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1 || value > CONFLICT_LIST_MAX)
    throw new InvalidArgumentError(`a whole number from 1 to ${CONFLICT_LIST_MAX} is expected`);
  return value;
}

/** Memories that disagree: which, how one is settled, and what is settled without asking. */
export function addConflicts(
  program: Command,
  commands: ConflictCommands,
  done: (code: number | null) => void,
): void {
  program
    .command('conflicts')
    .description('list memories that disagree and wait for somebody to settle it')
    .option('--user <user>', 'of one user; without it of the whole tenant')
    .addOption(tenantOption())
    .addOption(
      new Option('--status <status>', 'which ones').choices([...CONFLICT_STATUSES, 'all']).default('open'),
    )
    .option('--limit <count>', 'most that are shown, the newest first', limit, 50)
    .addOption(jsonOption())
    .action(async (options: ConflictsArguments) => done(await commands.conflicts(options)));

  program
    .command('settle')
    .description('settle a conflict: one memory supersedes the other, or both stay')
    .argument('<conflict>', 'its id, as "slowwave conflicts" lists it')
    .requiredOption('--user <user>', 'the user')
    .addOption(
      new Option('--keep <which>', 'what stands from now on').choices(CONFLICT_CHOICES).makeOptionMandatory(),
    )
    .option('--note <text>', 'why, kept with the conflict')
    .addOption(tenantOption())
    .addOption(jsonOption())
    .action(async (conflict: string, options: Omit<SettleArguments, 'conflict'>) =>
      done(await commands.settle({ conflict, ...options })),
    );

  program
    .command('conflict-policy')
    .description(
      'say how the contradictions of a user are settled: by asking, or for the newest where that is safe',
    )
    .addArgument(new Argument('<policy>', 'ask or newest_wins').choices(CONFLICT_POLICIES))
    .requiredOption('--user <user>', 'the user')
    .addOption(tenantOption())
    .addOption(jsonOption())
    .action(async (policy: PolicyArguments['policy'], options: Omit<PolicyArguments, 'policy'>) =>
      done(await commands.conflictPolicy({ policy, ...options })),
    );
}
