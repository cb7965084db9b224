import type { UserMode } from '@slowwave/db';
import { USER_MODES } from '@slowwave/db/vocabulary';
import { Argument, type Command, Option } from 'commander';
import { jsonOption, seconds, tenantOption } from './options.ts';
import type { PreviewArguments } from './preview-command.ts';
import type { DecideArguments, ModeArguments, ReviewsArguments } from './review-commands.ts';

/** What people may do before something is fused. */
export interface ReviewCommands {
  preview(given: PreviewArguments): Promise<number>;
  reviews(given: ReviewsArguments): Promise<number>;
  decide(given: DecideArguments): Promise<number>;
  mode(given: ModeArguments): Promise<number>;
}

const DECISIONS = {
  approve: 'apply a fusion that waits, as it was proposed',
  reject: 'turn a fusion down that waits: its sources stay and are never proposed together again',
} as const;

export function addReviews(
  program: Command,
  commands: ReviewCommands,
  done: (code: number | null) => void,
): void {
  program
    .command('preview')
    .description('show what a run would fuse, without changing anything')
    .requiredOption('--user <user>', 'the user')
    .addOption(tenantOption())
    .addOption(new Option('--tier <tier>', 'tier to look at').choices(['deep', 'sleep']).default('deep'))
    .option('--timeout <seconds>', 'longest wait', seconds, 600)
    .addOption(jsonOption())
    .action(async ({ timeout, ...rest }: Omit<PreviewArguments, 'timeoutMs'> & { timeout: number }) =>
      done(await commands.preview({ ...rest, timeoutMs: timeout * 1000 })),
    );

  program
    .command('reviews')
    .description('list the fusions that wait for a decision')
    .option('--user <user>', 'only this user; without one, everybody of the tenant')
    .addOption(tenantOption())
    .addOption(jsonOption())
    .action(async (options: ReviewsArguments) => done(await commands.reviews(options)));

  for (const action of ['approve', 'reject'] as const) {
    program
      .command(action)
      .description(DECISIONS[action])
      .argument('<key>', 'the key of the fusion')
      .requiredOption('--user <user>', 'the user')
      .option('--by <name>', 'who decides', 'operator')
      .addOption(tenantOption())
      .addOption(jsonOption())
      .action(async (key: string, options: Omit<DecideArguments, 'action' | 'key'>) =>
        done(await commands.decide({ action, key, ...options })),
      );
  }

  program
    .command('mode')
    .description(
      "how a user's fusions are applied: by themselves (auto), after a decision (review), or not at all (off)",
    )
    .addArgument(new Argument('<mode>', 'the mode').choices(USER_MODES))
    .requiredOption('--user <user>', 'the user')
    .addOption(tenantOption())
    .addOption(jsonOption())
    .action(async (mode: UserMode, options: Omit<ModeArguments, 'mode'>) =>
      done(await commands.mode({ mode, ...options })),
    );
}
