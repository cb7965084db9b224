import type { Command } from 'commander';
import type { PullModelArguments } from './models-command.ts';
import { jsonOption } from './options.ts';

export interface ModelsCommands {
  pullModel(given: PullModelArguments): Promise<number>;
}

export function addModels(
  program: Command,
  commands: ModelsCommands,
  done: (code: number | null) => void,
): void {
  program
    .command('models')
    .description('the models of the local embedder')
    .command('pull')
    .description('download the model of the local embedder; nothing else ever downloads one')
    .argument('[model]', 'owner/name; without it that of SLOWWAVE_EMBEDDING_MODEL')
    .option('--from <url>', 'a mirror with the addresses of Hugging Face')
    .addOption(jsonOption())
    .action(async (model: string | undefined, options: Omit<PullModelArguments, 'model'>) =>
      done(await commands.pullModel({ ...(model === undefined ? {} : { model }), ...options })),
    );
}
