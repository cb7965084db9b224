import { appendFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';

/**
 * A stand-in for the package that runs models, for folders of the tests' own: the real one takes 500 MB. It reads the files of the tiny
 * model as the real one does, and keeps a record of how it was used. Some words make it behave badly.
 */

/** What the stand-in does when it meets these words. */
export const MISBEHAVIOUR = {
  /** It ends its thread. */
  die: 'DIEWORD',
  /** It keeps its thread busy for ever. */
  spin: 'SPINWORD',
  /** It fails with an error that quotes the text. */
  fail: 'FAILWORD',
  /** It gives a vector without a direction. */
  nothing: 'NOTHINGWORD',
  /** It gives no vector. */
  odd: 'ODDWORD',
  /** It waits until `release` was called. */
  wait: 'WAITWORD',
} as const;

const CODE = `
const { appendFileSync, existsSync, readFileSync } = require('node:fs');
const path = require('node:path');
const env = { allowRemoteModels: true, allowLocalModels: true, localModelPath: '', useFSCache: true, useBrowserCache: false, logLevel: 30, fetch };
const WORDS = ${JSON.stringify(MISBEHAVIOUR)};
async function pipeline(task, model, options) {
  const folder = path.join(env.localModelPath, model);
  const record = (what) => appendFileSync(path.join(env.localModelPath, 'record.jsonl'), JSON.stringify(what) + '\\n');
  const { fetch: _, ...settings } = env;
  record({ task, model, options, env: settings, fetch: await env.fetch('http://127.0.0.1:9/').catch((error) => error.message) });
  const { hidden_size: size } = JSON.parse(readFileSync(path.join(folder, 'config.json')));
  const { vocab } = JSON.parse(readFileSync(path.join(folder, 'tokenizer.json'))).model;
  const graph = readFileSync(path.join(folder, 'onnx', 'model_quantized.onnx'));
  const bytes = Object.keys(vocab).length * size * 4;
  const head = Buffer.from([0x4a, (bytes & 127) | 128, bytes >> 7]);
  const at = graph.indexOf(head) + head.length;
  if (at < head.length) throw new Error('not a model');
  const table = new Float32Array(Uint8Array.from(graph.subarray(at, at + bytes)).buffer);
  return async (text, { pooling, normalize }) => {
    if (pooling !== 'mean' || normalize !== true) throw new Error('asked otherwise');
    record({ text: text.slice(0, 40) });
    if (text.includes(WORDS.die)) process.exit(7);
    while (text.includes(WORDS.spin));
    if (text.includes(WORDS.fail)) throw new Error('cannot read: ' + text);
    if (text.includes(WORDS.nothing)) return { data: new Float32Array(size), dims: [1, size] };
    if (text.includes(WORDS.odd)) return { data: [1, 2], dims: [1, 2] };
    while (text.includes(WORDS.wait) && !existsSync(path.join(env.localModelPath, 'released')))
      await new Promise((resolve) => setImmediate(resolve));
    const words = text.toLowerCase().split(/[^\\p{L}\\p{N}]+/u).filter((word) => word !== '');
    const ids = [2, ...words.map((word) => vocab[word] ?? 1), 3];
    const data = new Float32Array(size);
    for (const id of ids) for (let i = 0; i < size; i += 1) data[i] += table[id * size + i] / ids.length;
    const length = Math.hypot(...data);
    return { data: data.map((value) => value / length), dims: [1, size] };
  };
}
module.exports = { env, pipeline };
`;

/** One line of the record: how a model was opened, or the beginning of a text it was given. */
export interface UseRecord {
  task?: string;
  model?: string;
  options?: Record<string, unknown>;
  env?: Record<string, unknown>;
  /** What became of a try to use the network. */
  fetch?: unknown;
  text?: string;
}

/** Puts the stand-in where npm would put the package. @param code other code than the stand-in's */
export async function installTransformers(folder: string, code: string = CODE): Promise<void> {
  const home = path.join(folder, 'node_modules', '@huggingface', 'transformers');
  await mkdir(home, { recursive: true });
  const manifest = { name: '@huggingface/transformers', version: '4.3.1', main: 'index.cjs' };
  await writeFile(path.join(home, 'package.json'), JSON.stringify(manifest));
  await writeFile(path.join(home, 'index.cjs'), code);
}

/** How the stand-in was used with the models of a folder, in order. */
export async function recordOf(folder: string): Promise<UseRecord[]> {
  const text = await readFile(path.join(folder, 'record.jsonl'), 'utf8').catch(() => '');
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.map((line) => JSON.parse(line) as UseRecord);
}

/** Lets what waits go on. */
export const release = (folder: string): Promise<void> => appendFile(path.join(folder, 'released'), '');
