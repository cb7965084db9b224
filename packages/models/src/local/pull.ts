import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { type LocalModel, type ModelFile, modelFiles, pathOfFile, sizeOf } from './model-files.ts';

/** Where models come from unless another place is named. */
const MODEL_SOURCE = 'https://huggingface.co';
/** A source that sends nothing for so long is gone. */
const STALLED_MS = 60_000;

/**
 * `unreachable`: no answer, or none that was complete. `unknown`: the source has no such model, or shows it to nobody without a login;
 * or not in this form. `folder`: the files cannot be written.
 */
export type PullErrorCode = 'unreachable' | 'unknown' | 'folder';

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
  onProgress?: (progress: PullProgress) => void;
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

function sourceOf({ from = MODEL_SOURCE, model }: PullOptions): Source {
  const base = from.replace(/\/+$/, '');
  return {
    host: new URL(base).host,
    addressOf: (file) => `${base}/${model}/resolve/main/${file}`,
  };
}

/** An end after so long without a sign of life, or when the caller's signal fires. */
function patience(ms: number, caller: AbortSignal | undefined) {
  const controller = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const stop = () => controller.abort();
  const renew = () => {
    clearTimeout(timer);
    timer = setTimeout(stop, ms);
  };
  if (caller?.aborted) stop();
  caller?.addEventListener('abort', stop, { once: true });
  renew();
  return {
    signal: controller.signal,
    renew,
    end() {
      clearTimeout(timer);
      caller?.removeEventListener('abort', stop);
    },
  };
}

function refusalOf(status: number, file: ModelFile, { host }: Source, { model, dtype }: LocalModel) {
  if (status === 429 || status >= 500) {
    return new ModelPullError('unreachable', `${host} answers with ${status}: try again later`);
  }
  // A model that is not there, or not for everybody, is answered with 401 as well.
  return new ModelPullError(
    'unknown',
    file.name.startsWith('onnx/')
      ? `${host} has no ${file.name} of ${model}: choose a model that has it, or another form than ${dtype} with SLOWWAVE_EMBEDDING_DTYPE`
      : `${host} has no model ${model} for everybody (status ${status}): see whether the name is right, as owner/name`,
  );
}

const folderError = (error: unknown, file: string): ModelPullError => {
  const code = (error as NodeJS.ErrnoException).code ?? 'unknown';
  return new ModelPullError('folder', `${path.dirname(file)} cannot be written (${code})`);
};

async function write(to: FileHandle, bytes: Uint8Array, file: string): Promise<void> {
  await to.writeFile(bytes).catch((error: unknown) => {
    throw folderError(error, file);
  });
}

/** Downloads one file beside its place and moves it there when it is whole. @returns bytes; null: there is no such file, and none is needed */
async function pullFile(options: PullOptions, source: Source, wanted: ModelFile): Promise<number | null> {
  const { onProgress, signal, stalledMs = STALLED_MS } = options;
  const file = pathOfFile(options, wanted.name);
  const part = `${file}.part`;
  const waiting = patience(stalledMs, signal);
  let to: FileHandle | null = null;
  try {
    // A file in the form in which it is kept: otherwise its length would say nothing.
    const headers = { 'accept-encoding': 'identity' };
    const response = await fetch(source.addressOf(wanted.name), { headers, signal: waiting.signal });
    if (!response.ok) {
      await response.body?.cancel();
      if (!wanted.isNeeded && response.status === 404) return null;
      throw refusalOf(response.status, wanted, source, options);
    }
    await mkdir(path.dirname(file), { recursive: true }).catch((error: unknown) => {
      throw folderError(error, file);
    });
    to = await open(part, 'w').catch((error: unknown) => {
      throw folderError(error, file);
    });
    const length = Number(response.headers.get('content-length') ?? Number.NaN);
    const of = Number.isSafeInteger(length) && !response.headers.has('content-encoding') ? length : null;
    let bytes = 0;
    for await (const chunk of response.body ?? []) {
      waiting.renew();
      await write(to, chunk, file);
      bytes += chunk.byteLength;
      onProgress?.({ file: wanted.name, bytes, of });
    }
    if (bytes === 0 || (of !== null && bytes !== of)) throw new Error('cut short');
    await to.close();
    to = null;
    await rename(part, file).catch((error: unknown) => {
      throw folderError(error, file);
    });
    return bytes;
  } catch (error) {
    if (error instanceof ModelPullError) throw error;
    if (signal?.aborted) throw new ModelPullError('unreachable', 'the download was stopped');
    throw new ModelPullError(
      'unreachable',
      `${source.host} cannot be reached, or broke off ${wanted.name}: see whether this machine may reach it, then try again`,
    );
  } finally {
    waiting.end();
    await to?.close();
    await rm(part, { force: true }).catch(() => {});
  }
}

/**
 * Downloads the files of a model that are not there yet into the folder of models. The one thing of the local embedder that uses the
 * network. A file is either there as a whole or not at all.
 * @returns the files, as they are now
 * @throws {ModelPullError}
 */
export async function pullModel(options: PullOptions): Promise<PulledFile[]> {
  const source = sourceOf(options);
  const files: PulledFile[] = [];
  for (const wanted of modelFiles(options.dtype)) {
    const there = await sizeOf(pathOfFile(options, wanted.name));
    const bytes = there ?? (await pullFile(options, source, wanted));
    if (bytes !== null) files.push({ name: wanted.name, bytes, isNew: there === null });
  }
  return files;
}
