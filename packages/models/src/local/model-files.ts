import { stat } from 'node:fs/promises';
import path from 'node:path';

/** The forms of a model that can be run: 8 bits, whole, 16 bits, 4 bits. */
export type LocalDtype = 'q8' | 'fp32' | 'fp16' | 'q4';

/** Which model, in which form, and the folder of all models. */
export interface LocalModel {
  folder: string;
  /** Its name with its owner's, as owner/name; also its folder below the folder of models. */
  model: string;
  dtype: LocalDtype;
}

/** What the name of the file of each form ends in. */
const SUFFIX: Record<LocalDtype, string> = { q8: '_quantized', fp32: '', fp16: '_fp16', q4: '_q4' };

export interface ModelFile {
  /** Below the folder of the model, with forward slashes. */
  name: string;
  /** Whether the model cannot be run without it. */
  isNeeded: boolean;
}

/** The files of a model, the smallest first. */
export function modelFiles(dtype: LocalDtype): ModelFile[] {
  const graph = `onnx/model${SUFFIX[dtype]}.onnx`;
  return [
    { name: 'config.json', isNeeded: true },
    { name: 'tokenizer_config.json', isNeeded: true },
    { name: 'tokenizer.json', isNeeded: true },
    // Large models have their numbers beside the graph.
    { name: `${graph}_data`, isNeeded: false },
    { name: graph, isNeeded: true },
  ];
}

/** Where a file of a model is. */
export const pathOfFile = ({ folder, model }: Pick<LocalModel, 'folder' | 'model'>, name: string): string =>
  path.join(folder, ...model.split('/'), ...name.split('/'));

/** The size of a file in bytes; null where there is none. */
export async function sizeOf(file: string): Promise<number | null> {
  const found = await stat(file).catch(() => null);
  return found?.isFile() ? found.size : null;
}

/** The files that a model needs and that are not there. Empty: it can be run. */
export async function missingModelFiles(local: LocalModel): Promise<string[]> {
  const missing: string[] = [];
  for (const { name, isNeeded } of modelFiles(local.dtype)) {
    if (isNeeded && (await sizeOf(pathOfFile(local, name))) === null) missing.push(name);
  }
  return missing;
}
