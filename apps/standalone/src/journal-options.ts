import { LINEAGE_DEPTH_MAX } from '@slowwave/db/vocabulary';
import { CATEGORIES } from '@slowwave/fusion/vocabulary';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { EditArguments, JournalArguments, LineageArguments, UndoArguments } from './journal-commands.ts';
import { jsonOption, tenantOption, wholeFrom } from './options.ts';

/** What people may do about what was changed. */
export interface JournalCommands {
  undo(given: UndoArguments): Promise<number>;
  journal(given: JournalArguments): Promise<number>;
  edit(given: EditArguments): Promise<number>;
  lineage(given: LineageArguments): Promise<number>;
}

const ACTIONS = {
  undo: 'take a fusion, a run or one change set back, exactly; refused when something later stands on it',
  redo: 'make good again what was undone',
} as const;

/** An ISO 8601 date or instant as epoch ms, or "none". */
function instant(text: string): number | 'none' {
  if (text === 'none') return text;
  const ms = /^\d{4}-\d{2}-\d{2}(T.+)?$/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isFinite(ms)) return ms;
  throw new InvalidArgumentError(
    'a date as 2026-04-12 or an instant as 2026-04-12T18:30:00Z is expected, or none',
  );
}

type Times = Pick<EditArguments, 'validFrom' | 'validTo' | 'eventDate'>;
type TypedTimes = { [Name in keyof Times]?: number | 'none' | undefined };
type EditOptions = Omit<EditArguments, 'memory' | keyof Times> & TypedTimes;

/** The times that were typed; none is null. */
function timesOf(typed: TypedTimes): Times {
  const given = Object.entries(typed).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given.map(([name, value]) => [name, value === 'none' ? null : value]));
}

export function addJournal(
  program: Command,
  commands: JournalCommands,
  done: (code: number | null) => void,
): void {
  const userOption = () => new Option('--user <user>', 'the user').makeOptionMandatory();
  const byOption = () => new Option('--by <name>', 'who does it, for the journal').default('operator');

  for (const action of ['undo', 'redo'] as const) {
    program
      .command(action)
      .description(ACTIONS[action])
      .argument('<what>', 'the key of a fusion, or the id of a run or change set')
      .addOption(userOption())
      .option('--dry-run', 'only tell what would happen', false)
      .addOption(byOption())
      .addOption(tenantOption())
      .addOption(jsonOption())
      .action(async (target: string, options: Omit<UndoArguments, 'action' | 'target'>) =>
        done(await commands.undo({ action, target, ...options })),
      );
  }

  program
    .command('journal')
    .description("what was changed of a user's memories, by whom and when, newest first")
    .addOption(userOption())
    .option('--memory <memory>', 'only what touched this memory')
    .option('--before <change set>', 'go on after this one, the last of a page')
    .option('--limit <count>', 'most entries', wholeFrom(1, 200), 50)
    .addOption(tenantOption())
    .addOption(jsonOption())
    .action(async (options: JournalArguments) => done(await commands.journal(options)));

  program
    .command('edit')
    .description('give a memory other words; what superseded it, or what it stands for, is undone for it')
    .argument('<memory>', 'its id, or the id it was imported with')
    .argument('[text]', 'what it says from now on')
    .addOption(userOption())
    .addOption(new Option('--category <category>', 'another category').choices(CATEGORIES))
    .option('--importance <importance>', 'another importance, 1 to 10', wholeFrom(1, 10))
    .option('--valid-from <when>', 'true from then on; none: not known', instant)
    .option('--valid-to <when>', 'true until then; none: still true', instant)
    .option('--event-date <when>', 'when it happened or will happen; none: not known', instant)
    .addOption(byOption())
    .addOption(tenantOption())
    .addOption(jsonOption())
    .action(
      async (
        memory: string,
        text: string | undefined,
        { validFrom, validTo, eventDate, ...options }: EditOptions,
      ) =>
        done(
          await commands.edit({
            memory,
            ...options,
            ...(text === undefined ? {} : { content: text }),
            ...timesOf({ validFrom, validTo, eventDate }),
          }),
        ),
    );

  program
    .command('lineage')
    .description('what a memory is made of, and what was made of it')
    .argument('<memory>', 'its id, or the id it was imported with')
    .addOption(userOption())
    .option(
      '--depth <steps>',
      'steps in either direction',
      wholeFrom(0, LINEAGE_DEPTH_MAX),
      LINEAGE_DEPTH_MAX,
    )
    .addOption(tenantOption())
    .addOption(jsonOption())
    .action(async (memory: string, options: Omit<LineageArguments, 'memory'>) =>
      done(await commands.lineage({ memory, ...options })),
    );
}
