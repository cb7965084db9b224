import { parseIsoDate, RECALL_CHARS_MAX, RECALL_LIMIT_MAX } from '@slowwave/db/vocabulary';
import { CATEGORIES, CHARS_PER_TOKEN, MEMORY_TYPES } from '@slowwave/fusion/vocabulary';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { jsonOption, tenantOption, wholeFrom } from './options.ts';
import type { RecallArguments } from './recall-command.ts';

export interface RecallCommands {
  recall(given: RecallArguments): Promise<number>;
}

/** A day or an instant as epoch ms. @throws InvalidArgumentError */
function instant(text: string): number {
  const parsed = parseIsoDate(text);
  if (parsed.ok) return parsed.ms;
  throw new InvalidArgumentError('an ISO 8601 date is expected, as in 2026-04-12 or 2026-04-12T18:30Z');
}

function share(text: string): number {
  const value = Number(text);
  if (text.trim() !== '' && value >= 0 && value <= 1) return value;
  throw new InvalidArgumentError('a number from 0 to 1 is expected');
}

interface Typed
  extends Omit<RecallArguments, 'question' | 'categories' | 'memoryTypes' | 'includeSuperseded'> {
  category?: RecallArguments['categories'];
  type?: RecallArguments['memoryTypes'];
  superseded: boolean;
}

export function addRecall(
  program: Command,
  commands: RecallCommands,
  done: (code: number | null) => void,
): void {
  program
    .command('recall')
    .description('ask what the memories of a user have to say to a question; the question is recorded')
    .argument('<question>', 'in quotes')
    .requiredOption('--user <user>', 'whose memories')
    .addOption(tenantOption())
    .option(
      '--limit <number>',
      'at most so many (default: 10, or 50 with a budget)',
      wholeFrom(1, RECALL_LIMIT_MAX),
    )
    .option('--max-chars <number>', 'characters of all texts together', wholeFrom(1, RECALL_CHARS_MAX))
    .option(
      '--max-tokens <number>',
      'the same in tokens, each taken for four characters',
      wholeFrom(1, RECALL_CHARS_MAX / CHARS_PER_TOKEN),
    )
    .addOption(new Option('--category <category...>', 'only of these categories').choices(CATEGORIES))
    .addOption(new Option('--type <type...>', 'only of these types').choices(MEMORY_TYPES))
    .option('--said-after <date>', 'said on this day or later', instant)
    .option('--said-before <date>', 'said before this day', instant)
    .option('--valid-at <date>', 'holds on this day, by its own dates', instant)
    .option('--min-trust <share>', 'only of at least this trust, 0 to 1', share)
    .option('--superseded', 'also memories that others have taken the place of', false)
    .option('--explain', 'say why each stands where it stands', false)
    .addOption(jsonOption())
    .action(async (question: string, { category, type, superseded, ...options }: Typed) =>
      done(
        await commands.recall({
          question,
          ...options,
          ...(category ? { categories: category } : {}),
          ...(type ? { memoryTypes: type } : {}),
          includeSuperseded: superseded,
        }),
      ),
    );
}
