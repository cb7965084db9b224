import type { Command } from 'commander';
import type { EvaluateArguments } from './evaluate-command.ts';
import { jsonOption, wholeFrom } from './options.ts';

export interface EvaluateCommands {
  evaluate(given: EvaluateArguments): Promise<number>;
}

const NIGHTS_MAX = 60;

export function addEvaluation(
  program: Command,
  commands: EvaluateCommands,
  done: (code: number | null) => void,
): void {
  program
    .command('evaluate')
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
    .addOption(jsonOption())
    .action(async (files: string[], options: Omit<EvaluateArguments, 'files'>) =>
      done(await commands.evaluate({ files, ...options })),
    );
}
