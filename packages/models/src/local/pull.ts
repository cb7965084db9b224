import path from 'node:path';
import { type LocalModel, type ModelFile, modelFiles, pathOfFile, sizeOf } from './model-files.ts';
import { openPart, type PartFile } from './part-file.ts';
import { createPatience } from './patience.ts';

/** Where models come from unless another place is named. */
const MODEL_SOURCE = 'https://huggingface.co';
/** A source that sends nothing for so long is gone. */
const STALLED_MS = 60_000;

/**
 * `unreachable`: no answer, or none that was complete. `unknown`: the source has no such model, or shows it after a login only, or does
 * not have it in this form. `folder`: the files cannot be written. `stopped`: the caller ended the download.
 */
export type PullErrorCode = 'unreachable' | 'unknown' | 'folder' | 'stopped';

/** Why a model could not be downloaded. Names the model and the host, never a whole address. */
export class ModelPullError extends Error {
  readonly code: PullErrorCode;
  readonly retryable: boolean;

  constructor(code: PullErrorCode, message: string) {
    super(message);
    this.name = 'ModelPullError';
    this.code = code;
    this.retryable = code === 'unreachable';
  }
}

export interface PullProgress {
  file: string;
  /** Bytes of this file so far. */
  bytes: number;
  /** Bytes of the whole file; null where the source does not say. */
  of: number | null;
}

export interface PullOptions extends LocalModel {
  /** Base of a source with the addresses of Hugging Face. Default: Hugging Face itself. */
  from?: string;
  /** Download files that are there already, too; each is replaced when the new one is whole. */
  isForced?: boolean;
  onProgress?: (progress: PullProgress) => void;
  /** Told of each file as soon as it is there. */
  onFile?: (file: PulledFile) => void;
  signal?: AbortSignal;
  /** How long the source may send nothing, in milliseconds. Default a minute. */
  stalledMs?: number;
}

export interface PulledFile {
  name: string;
  bytes: number;
  /** False: it was there already, and was left as it is. */
  isNew: boolean;
}

interface Source {
  host: string;
  addressOf(file: string): string;
}

function sourceOf({ from = MODEL_SOURCE, model }: Pick<PullOptions, 'from' | 'model'>): Source {
  const base = from.replace(/\/+$/, '');
  return {
    host: new URL(base).host,
    addressOf: (file) => `${base}/${model}/resolve/main/${file}`,
  };
}

/** The host that a model comes from, for people. */
export const pullHost = (from?: string): string => sourceOf({ ...(from ? { from } : {}), model: '' }).host;

function refusalOf(status: number, file: ModelFile, { host }: Source, { model, dtype }: LocalModel) {
  if (status === 429 || status >= 500) {
    return new ModelPullError('unreachable', `${host} answers with ${status}: try again later`);
  }
  // A source answers with 401 both for a private model and for one that does not exist.
  return new ModelPullError(
    'unknown',
    file.name.startsWith('onnx/')
      ? `${host} has no ${file.name} of ${model}: choose a model that has it, or another form than ${dtype} with SLOWWAVE_EMBEDDING_DTYPE`
      : `${host} has no public model ${model} (status ${status}): check its name, which has the form owner/name`,
  );
}

function folderError(error: unknown, file: string): ModelPullError {
  const code = (error as NodeJS.ErrnoException).code ?? 'unknown';
  const action =
    code === 'ENOSPC' || code === 'EDQUOT' ? 'make room there' : 'give it to the user that runs Slowwave';
  return new ModelPullError(
    'folder',
    `${path.dirname(file)} cannot be written (${code}): ${action}, or choose another folder with SLOWWAVE_EMBEDDING_DIR`,
  );
}

/** Writes the body of an answer. @returns its bytes @throws {ModelPullError} `folder`; anything else: the body is not whole */
async function save(
  response: Response,
  to: { part: PartFile; file: string },
  onBytes: (bytes: number, of: number | null) => void,
): Promise<number> {
  const onDisk = (work: Promise<void>) =>
    work.catch((error: unknown) => {
      throw folderError(error, to.file);
    });
  const length = Number(response.headers.get('content-length') ?? Number.NaN);
  const of = Number.isSafeInteger(length) && !response.headers.has('content-encoding') ? length : null;
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    await onDisk(to.part.write(chunk));
    bytes += chunk.byteLength;
    onBytes(bytes, of);
  }
  if (bytes === 0 || (of !== null && bytes !== of)) throw new Error('cut short');
  await onDisk(to.part.finish());
  return bytes;
}

/** Downloads one file. @returns its bytes; null: the source does not have it, and the model can be run without it */
async function pullFile(options: PullOptions, source: Source, wanted: ModelFile): Promise<number | null> {
  const { onProgress, signal, stalledMs = STALLED_MS } = options;
  const file = pathOfFile(options, wanted.name);
  const patience = createPatience(stalledMs, signal);
  let part: PartFile | null = null;
  try {
    // Without compression: otherwise content-length would not be the length of the file.
    const headers = { 'accept-encoding': 'identity' };
    const response = await fetch(source.addressOf(wanted.name), { headers, signal: patience.signal });
    if (!response.ok) {
      await response.body?.cancel();
      if (!wanted.isNeeded && response.status === 404) return null;
      throw refusalOf(response.status, wanted, source, options);
    }
    part = await openPart(file, 2 * stalledMs).catch((error: unknown) => {
      throw folderError(error, file);
    });
    return await save(response, { part, file }, (bytes, of) => {
      patience.renew();
      onProgress?.({ file: wanted.name, bytes, of });
    });
  } catch (error) {
    if (error instanceof ModelPullError) throw error;
    if (signal?.aborted) throw new ModelPullError('stopped', 'the download was stopped');
    throw new ModelPullError(
      'unreachable',
      `${source.host} cannot be reached, or broke off ${wanted.name}: check that this machine may reach it, then try again`,
    );
  } finally {
    patience.end();
    await part?.discard();
  }
}

/**
 * Downloads the files of a model that are not there yet into the folder of models. Only this function of the local embedder uses the
 * network. A file is either there as a whole or not at all: after an interruption, call it again.
 * @returns the files, as they are now
 * @throws {ModelPullError}
 */
export async function pullModel(options: PullOptions): Promise<PulledFile[]> {
  const source = sourceOf(options);
  const files: PulledFile[] = [];
  for (const wanted of modelFiles(options.dtype)) {
    const there = options.isForced ? null : await sizeOf(pathOfFile(options, wanted.name));
    const bytes = there ?? (await pullFile(options, source, wanted));
    if (bytes === null) continue;
    const file = { name: wanted.name, bytes, isNew: there === null };
    files.push(file);
    options.onFile?.(file);
  }
  return files;
}
