import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/**
 * The package that runs models, `@huggingface/transformers`. It is not installed with Slowwave: with its runtimes it takes some 500 MB,
 * and only the local embedder needs it. It is found beside Slowwave, or in the folder of the models, where updates of Slowwave leave it.
 */
const PACKAGE = '@huggingface/transformers';
/** The release line that was tried. */
const RELEASE = 4;

/** What is used of the package. */
export interface Transformers {
  env: {
    allowRemoteModels: boolean;
    allowLocalModels: boolean;
    localModelPath: string;
    useFSCache: boolean;
    useBrowserCache: boolean;
    logLevel: number;
    fetch: (...args: unknown[]) => Promise<never>;
  };
  pipeline(
    task: 'feature-extraction',
    model: string,
    options: {
      dtype: string;
      device: 'cpu';
      local_files_only: true;
      session_options: { intraOpNumThreads: number; interOpNumThreads: number; logSeverityLevel: number };
    },
  ): Promise<FeatureExtraction>;
}

/** Gives one vector of a text, as a row. */
export type FeatureExtraction = (
  text: string,
  options: { pooling: 'mean'; normalize: true },
) => Promise<{ data: unknown; dims: unknown }>;

/** Folders from which the package is looked for, each with its node_modules and those above; in this order. */
export const packagePlaces = (modelFolder: string): string[] => [
  path.resolve(modelFolder),
  path.dirname(fileURLToPath(import.meta.url)),
];

/** What to type to install the package into the folder of the models. It has install scripts, and needs none. */
export const installCommand = (modelFolder: string): string =>
  `npm install --ignore-scripts --prefix "${modelFolder}" ${PACKAGE}@${RELEASE}`;

function codeOf(error: unknown): string | null {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  return typeof code === 'string' ? code : null;
}

/** The file that loading the package begins with; null: it is not installed in any of these places. */
export function findTransformers(places: readonly string[]): string | null {
  for (const place of places) {
    try {
      return createRequire(pathToFileURL(path.join(place, 'from-here.js'))).resolve(PACKAGE);
    } catch (error) {
      if (codeOf(error) !== 'MODULE_NOT_FOUND') throw error;
    }
  }
  return null;
}

function isTransformers(value: unknown): value is Transformers {
  if (typeof value !== 'object' || value === null || !('pipeline' in value && 'env' in value)) return false;
  return typeof value.pipeline === 'function' && typeof value.env === 'object' && value.env !== null;
}

/**
 * Loads the package when it is first needed.
 * @returns null: it is not installed
 * @throws what the package throws while it loads, such as where it has no runtime for this platform
 */
export function loadTransformers(places: readonly string[]): Transformers | null {
  const file = findTransformers(places);
  if (file === null) return null;
  const loaded: unknown = createRequire(pathToFileURL(file))(file);
  if (!isTransformers(loaded)) throw new TypeError(`${PACKAGE} is not what was expected`);
  return loaded;
}
