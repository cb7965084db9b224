import { Argument, type Command, type Option } from 'commander';
import type { ForgetArguments } from './forget-command.ts';

export const FORGETTABLE = ['memory', 'session', 'user'] as const;

/** Adds `forget`. */
export function addForgetting(
  program: Command,
  commands: { forget(given: ForgetArguments): Promise<number> },
  done: (code: number | null) => void,
  options: { tenantOption: () => Option; jsonOption: () => Option },
): void {
  program
    .command('forget')
    .description('forget a memory, a session or a user for good, and everything that says the same')
    .addArgument(new Argument('<what>', 'what it is').choices(FORGETTABLE))
    .argument('<id>', 'its id; of a memory also the id it was imported with')
    .option('--user <user>', 'whose memory or session it is')
    .addOption(options.tenantOption())
    .option('--dry-run', 'only tell what would go', false)
    .option('--yes', 'do not ask', false)
    .addOption(options.jsonOption())
    .action(async (what: ForgetArguments['what'], id: string, given: Omit<ForgetArguments, 'what' | 'id'>) =>
      done(await commands.forget({ what, id, ...given })),
    );
}
