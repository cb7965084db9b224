import { type LocalModel, missingModelFiles } from './model-files.ts';
import { findTransformers, installCommand, packagePlaces } from './transformers.ts';

/** What the local embedder needs and does not find, and what to do about it. */
export interface LocalShortage {
  of: 'package' | 'files';
  cause: string;
  action: string;
}

export const packageShortage = (folder: string): LocalShortage => ({
  of: 'package',
  cause: 'the local embedder needs a package that is not installed',
  action: `install it with: ${installCommand(folder)}`,
});

export const filesShortage = (model: string): LocalShortage => ({
  of: 'files',
  cause: `files of the model ${model} are missing`,
  action: `get them with: slowwave models pull ${model}`,
});

export const sentenceOf = ({ cause, action }: LocalShortage): string => `${cause}; ${action}`;

function isInstalled(places: readonly string[]): boolean {
  try {
    return findTransformers(places) !== null;
  } catch {
    // A package without the expected entry: loading it gives the reason.
    return true;
  }
}

/**
 * Looks for the package and for the files of the model, without loading either.
 * @param places where the package is looked for; default as the embedder does
 */
export async function localShortages(
  local: LocalModel,
  places: readonly string[] = packagePlaces(local.folder),
): Promise<LocalShortage[]> {
  const missing = await missingModelFiles(local);
  return [
    ...(isInstalled(places) ? [] : [packageShortage(local.folder)]),
    ...(missing.length === 0 ? [] : [filesShortage(local.model)]),
  ];
}
