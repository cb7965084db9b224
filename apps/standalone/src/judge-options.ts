import type { Command } from 'commander';
import { jsonOption } from './options.ts';

export interface JudgeArguments {
  json: boolean;
}

export interface JudgeCommands {
  checkJudge(given: JudgeArguments): Promise<number>;
}

export function addJudge(
  program: Command,
  commands: JudgeCommands,
  done: (code: number | null) => void,
): void {
  program
    .command('judge')
    .description('the language model that judges statements')
    .command('check')
    .description('put the judge through its exam, which asks the configured model; the result is kept')
    .addOption(jsonOption())
    .action(async (options: JudgeArguments) => done(await commands.checkJudge(options)));
}
