import path from 'node:path';
import { missingModelFiles } from './model-files.ts';
import type { ThreadOptions, Trouble } from './protocol.ts';
import { type FeatureExtraction, loadTransformers, type Transformers } from './transformers.ts';

/** Thrown within the thread alone. */
export class TroubleError extends Error {
  readonly trouble: Trouble;

  constructor(trouble: Trouble) {
    super(trouble.kind);
    this.name = 'TroubleError';
    this.trouble = trouble;
  }
}

/** Gives the vector of one text: mean of its tokens, length 1. @throws {TroubleError} */
export type Extractor = (text: string) => Promise<Float32Array>;

const SYSTEM_CODE = /^[A-Z][A-Z0-9_]{1,40}$/;
/** The package's word for: log nothing. Its warnings may quote texts. */
const LOG_NOTHING = 50;
const LOG_FATAL = 4;

function load(places: readonly string[]): Transformers {
  let loaded: Transformers | null;
  try {
    loaded = loadTransformers(places);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException | null)?.code;
    const isKnown = typeof code === 'string' && SYSTEM_CODE.test(code);
    throw new TroubleError({ kind: 'package', code: isKnown ? code : null });
  }
  if (loaded === null) throw new TroubleError({ kind: 'not_installed' });
  return loaded;
}

/** Files of one folder and no others: nothing is fetched, whatever the model asks for. */
function confine({ env }: Transformers, folder: string): void {
  Object.assign(env, {
    allowRemoteModels: false,
    allowLocalModels: true,
    localModelPath: path.resolve(folder),
    useFSCache: false,
    useBrowserCache: false,
    logLevel: LOG_NOTHING,
    fetch: () => Promise.reject(new Error('the local embedder uses no network')),
  } satisfies Transformers['env']);
}

async function vectorOf(extract: FeatureExtraction, text: string): Promise<Float32Array> {
  const row = await extract(text, { pooling: 'mean', normalize: true }).catch(() => {
    throw new TroubleError({ kind: 'text' });
  });
  if (!(row.data instanceof Float32Array) || row.data.length === 0) {
    throw new TroubleError({ kind: 'no_vectors' });
  }
  return row.data;
}

/**
 * Loads the package and the model.
 *
 * Texts go through the model one by one and on one core. In a batch the vector of a text would depend on the others (they are padded
 * to one length, and 8-bit models scale over all of them), and would not be the same the next time.
 * @throws {TroubleError}
 */
export async function openExtractor(options: ThreadOptions): Promise<Extractor> {
  const transformers = load(options.places);
  if ((await missingModelFiles(options)).length > 0) throw new TroubleError({ kind: 'no_files' });
  confine(transformers, options.folder);
  const extract = await transformers
    .pipeline('feature-extraction', options.model, {
      dtype: options.dtype,
      device: 'cpu',
      local_files_only: true,
      session_options: { intraOpNumThreads: 1, interOpNumThreads: 1, logSeverityLevel: LOG_FATAL },
    })
    .catch(() => {
      throw new TroubleError({ kind: 'model' });
    });
  return (text) => vectorOf(extract, text);
}
