import { type Command, Option } from 'commander';
import type { EvaluateArguments } from './evaluate-command.ts';
import type { EvaluateConvertArguments } from './evaluate-convert-command.ts';
import { CONVERT_FORMATS, CONVERT_UNITS } from './evaluation/convert/sample.ts';
import { jsonOption, tenantOption, wholeFrom } from './options.ts';

export interface EvaluateCommands {
  evaluate(given: EvaluateArguments): Promise<number>;
  convertEvaluation(given: EvaluateConvertArguments): Promise<number>;
}

const NIGHTS_MAX = 60;

export function addEvaluation(
  program: Command,
  commands: EvaluateCommands,
  done: (code: number | null) => void,
): void {
  const group = program
    .command('evaluate')
    .description('measure recall before and after simulated nights; convert the files of public evaluations');
  group
    .command('run', { isDefault: true })
    .description(
      'measure recall before and after simulated nights, on a copy: an import file with lines of the kind question',
    )
    .argument('<file...>', 'JSON Lines; several files are one set')
    .option(
      '--nights <nights>',
      'nights of all tiers to simulate; 0 measures what is there',
      wholeFrom(0, NIGHTS_MAX),
      7,
    )
    .option('--out <folder>', 'write evaluation.json and recall.svg into this folder')
    .option(
      '--answers',
      'also have the model answer the questions from what recall finds, and grade the answers',
      false,
    )
    .option('--publish', 'show the figures on the dashboard, in place of the last ones', false)
    .addOption(tenantOption())
    .addOption(jsonOption())
    .action(async (files: string[], options: Omit<EvaluateArguments, 'files'>) =>
      done(await commands.evaluate({ files, ...options })),
    );
  group
    .command('convert')
    .description('make evaluation sets of downloaded files of LoCoMo or LongMemEval, one for each sample')
    .argument('<path...>', 'unpacked .json files, or folders that hold them')
    .addOption(new Option('--from <format>', 'what they are').choices(CONVERT_FORMATS).makeOptionMandatory())
    .addOption(
      new Option(
        '--unit <unit>',
        'what one memory holds: of locomo an observation (default) or a turn, of longmemeval a turn of the user (default) or a round with its answer',
      ).choices(CONVERT_UNITS),
    )
    .requiredOption('--out <folder>', 'write one import file for each sample into this folder')
    .addOption(jsonOption())
    .action(async (paths: string[], options: Omit<EvaluateConvertArguments, 'paths'>) =>
      done(await commands.convertEvaluation({ paths, ...options })),
    );
}
