import { isLocalModelName, type LocalModelsConfig } from '@slowwave/config';
import { findTransformers, installCommand, ModelPullError, packagePlaces, pullModel } from '@slowwave/models';
import type { CommandContext } from './anywhere.ts';
import { EXIT, UsageError } from './exit.ts';

export interface PullModelArguments {
  /** owner/name; without it the configured one. */
  model?: string;
  /** A source with the addresses of Hugging Face; without it Hugging Face itself. */
  from?: string;
  json: boolean;
}

const EXIT_OF = {
  unreachable: EXIT.unreachable,
  unknown: EXIT.failed,
  folder: EXIT.failed,
  stopped: EXIT.failed,
} as const;

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(bytes < 1e6 ? 2 : 1)} MB`;

/** Downloads the model of the local embedder: the one command that does. @returns exit code */
export async function pullModelCommand(
  { config, terminal }: CommandContext,
  given: PullModelArguments,
): Promise<number> {
  const local: LocalModelsConfig = { ...config.localModels, model: given.model ?? config.localModels.model };
  if (!isLocalModelName(local.model))
    throw new UsageError(
      `${local.model} is no name of a model: owner/name is expected, such as Xenova/e5-small`,
    );
  try {
    const files = await pullModel({
      ...local,
      ...(given.from === undefined ? {} : { from: given.from }),
      onProgress: ({ file, bytes, of }) => {
        if (given.json) return;
        const text = `${local.model}: ${file}, ${megabytes(bytes)}${of === null ? '' : ` of ${megabytes(of)}`}`;
        terminal.progress(text, of === null ? undefined : bytes / of);
      },
    });
    terminal.clear();
    const install =
      findTransformers(packagePlaces(local.folder)) === null ? installCommand(local.folder) : null;
    if (given.json) {
      terminal.line(
        JSON.stringify({ model: local.model, dtype: local.dtype, folder: local.folder, files, install }),
      );
      return EXIT.ok;
    }
    for (const { name, bytes, isNew } of files)
      terminal.line(`${isNew ? 'downloaded' : 'was there '}  ${name}  ${megabytes(bytes)}`);
    terminal.line(`${local.model} (${local.dtype}) is in ${local.folder}`);
    if (install !== null) terminal.line(`It needs a package that is not installed: ${install}`);
    if (config.embedder.embedder !== 'local') terminal.line('To use it, set SLOWWAVE_EMBEDDER=local');
    else if (local.model !== config.localModels.model)
      terminal.line(`To use it, set SLOWWAVE_EMBEDDING_MODEL=${local.model}`);
    return EXIT.ok;
  } catch (error) {
    terminal.clear();
    if (!(error instanceof ModelPullError)) throw error;
    terminal.error(error.message);
    return EXIT_OF[error.code];
  }
}
