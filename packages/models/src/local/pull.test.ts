import { mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TINY_MODEL, tinyModelFiles } from '../../../../test/fakes/tiny-sentence-model.ts';
import { missingModelFiles } from './model-files.ts';
import { ModelPullError, type PullOptions, type PullProgress, pullModel } from './pull.ts';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

let server: Server;
let folder: string;
let from: string;
let asked: string[];
/** Instead of the file, by the end of its path. */
let instead: Record<string, Answer>;

const files = tinyModelFiles();
const GRAPH = 'onnx/model_quantized.onnx';
const refuse =
  (status: number): Answer =>
  (_, response) =>
    response.writeHead(status).end('what the source says');

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'slowwave pull '));
  asked = [];
  instead = {};
  server = createServer((request, response) => {
    const name = decodeURI(request.url ?? '').split(`/${TINY_MODEL}/resolve/main/`)[1] ?? '';
    asked.push(name);
    const other = instead[name];
    const content = files[name];
    if (other) other(request, response);
    else if (!content) refuse(404)(request, response);
    else response.writeHead(200, { 'content-length': content.length }).end(content);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  from = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await rm(folder, { recursive: true, force: true });
});

const pull = (more: Partial<PullOptions> = {}) =>
  pullModel({ folder, model: TINY_MODEL, dtype: 'q8', from, ...more });
const failureOf = async (work: Promise<unknown>): Promise<ModelPullError> => {
  const error: unknown = await work.catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(ModelPullError);
  return error as ModelPullError;
};
const contentOf = (name: string) => readFile(path.join(folder, TINY_MODEL, name));
const everything = () => readdir(folder, { recursive: true });

describe('a model is pulled', () => {
  it('file by file, as it stands at the source, and told of', async () => {
    const seen: PullProgress[] = [];
    const found = await pull({ onProgress: (progress) => seen.push(progress) });
    expect(found.map(({ name, isNew }) => [name, isNew])).toEqual([
      ['config.json', true],
      ['tokenizer_config.json', true],
      ['tokenizer.json', true],
      [GRAPH, true],
    ]);
    for (const [name, content] of Object.entries(files)) expect(await contentOf(name)).toEqual(content);
    const { length } = files[GRAPH]!;
    expect(seen.at(-1)).toEqual({ file: GRAPH, bytes: length, of: length });
    expect(await missingModelFiles({ folder, model: TINY_MODEL, dtype: 'q8' })).toEqual([]);
    expect((await everything()).filter((name) => name.endsWith('.part'))).toEqual([]);
  });

  it('only as far as it is not there', async () => {
    await pull();
    await rm(path.join(folder, TINY_MODEL, 'tokenizer.json'));
    asked = [];
    const found = await pull();
    expect(found.filter(({ isNew }) => isNew).map(({ name }) => name)).toEqual(['tokenizer.json']);
    // What a model need not have is asked for each time.
    expect(asked).toEqual(['tokenizer.json', `${GRAPH}_data`]);
  });

  it('anew where that is asked for, and what is there stays until the new file is whole', async () => {
    await pull();
    const old = Buffer.from('damaged');
    await writeFile(path.join(folder, TINY_MODEL, GRAPH), old);
    instead[GRAPH] = (_, response) => {
      response.writeHead(200, { 'content-length': 100 });
      response.write('half', () => response.destroy());
    };
    await failureOf(pull({ isForced: true }));
    expect(await contentOf(GRAPH)).toEqual(old);
    delete instead[GRAPH];
    expect((await pull({ isForced: true })).every(({ isNew }) => isNew)).toBe(true);
    expect(await contentOf(GRAPH)).toEqual(files[GRAPH]);
  });

  it('by two processes at once without mixing their bytes', async () => {
    const content = files[GRAPH]!;
    const waiting: (() => void)[] = [];
    // Both have their first half before either gets its second one.
    instead[GRAPH] = (_, response) => {
      response.writeHead(200, { 'content-length': content.length });
      response.write(content.subarray(0, 20));
      waiting.push(() => response.end(content.subarray(20)));
      if (waiting.length === 2) for (const finish of waiting) finish();
    };
    const both = await Promise.all([pull(), pull()]);
    for (const found of both) expect(found.at(-1)).toMatchObject({ name: GRAPH, bytes: content.length });
    expect(await contentOf(GRAPH)).toEqual(content);
    expect((await everything()).filter((name) => name.endsWith('.part'))).toEqual([]);
  });

  it('after a killed process, whose part it removes; that of a process at work stays', async () => {
    await pull();
    await rm(path.join(folder, TINY_MODEL, GRAPH));
    const [abandoned, atWork] = ['0a', '0b'].map((id) =>
      path.join(folder, TINY_MODEL, `${GRAPH}.${id}.part`),
    );
    for (const part of [abandoned!, atWork!]) await writeFile(part, 'half');
    await utimes(abandoned!, new Date(0), new Date(0));
    await pull();
    expect(await contentOf(GRAPH)).toEqual(files[GRAPH]);
    const parts = (await everything()).filter((name) => name.endsWith('.part'));
    expect(parts.map((name) => path.basename(name))).toEqual([path.basename(atWork!)]);
  });

  it('with numbers that stand beside the graph, and through the redirects of the source', async () => {
    instead[`${GRAPH}_data`] = (_, response) => response.end('numbers');
    instead['config.json'] = (_, response) =>
      response.writeHead(302, { location: `/elsewhere/${TINY_MODEL}/resolve/main/moved.json` }).end();
    instead['moved.json'] = (_, response) => response.end('{}');
    expect(await pull()).toHaveLength(5);
    expect((await contentOf('config.json')).toString()).toBe('{}');
    expect((await contentOf(`${GRAPH}_data`)).toString()).toBe('numbers');
  });
});

describe('a model is not pulled', () => {
  it.each([401, 403, 404])('when the source answers with %i', async (status) => {
    instead['config.json'] = refuse(status);
    const error = await failureOf(pull());
    expect(error).toMatchObject({ code: 'unknown', retryable: false });
    expect(error.message).toContain(`has no public model ${TINY_MODEL} (status ${status})`);
    expect(error.message).not.toContain('what the source says');
  });

  it('in a form that the source does not have', async () => {
    const error = await failureOf(pull({ dtype: 'q4' }));
    expect(error.code).toBe('unknown');
    expect(error.message).toContain('has no onnx/model_q4.onnx');
    expect(error.message).toContain('SLOWWAVE_EMBEDDING_DTYPE');
  });

  it.each([429, 503])('when the source answers with %i, and could be later', async (status) => {
    instead['config.json'] = refuse(status);
    expect(await failureOf(pull())).toMatchObject({ code: 'unreachable', retryable: true });
  });

  it.each<[string, Answer]>([
    [
      'breaks off',
      (_, response) => {
        response.writeHead(200, { 'content-length': 100 });
        response.write('half', () => response.destroy());
      },
    ],
    ['sends nothing', (_, response) => response.writeHead(200, { 'content-length': 100 }).write('half')],
    ['says that a file is empty', (_, response) => response.writeHead(200).end()],
  ])('half: nothing stays of a file when the source %s', async (_name, answer) => {
    instead[GRAPH] = answer;
    const error = await failureOf(pull({ stalledMs: 2_000 }));
    expect(error).toMatchObject({ code: 'unreachable', retryable: true });
    expect((await everything()).filter((name) => name.includes('.onnx'))).toEqual([]);
    delete instead[GRAPH];
    expect(await pull()).toHaveLength(4);
  });

  it('without a network, and says which host it was', async () => {
    const { host } = new URL(from);
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    const error = await failureOf(pull({ from: `${from}secret/path` }));
    expect(error).toMatchObject({ code: 'unreachable', retryable: true });
    expect(error.message).toContain(`${host} cannot be reached`);
    expect(error.message).not.toContain('secret');
    expect(await everything()).toEqual([]);
  });

  it('into a folder that cannot be written', async () => {
    const file = path.join(folder, 'a-file');
    await writeFile(file, '');
    const error = await failureOf(pull({ folder: file }));
    expect(error).toMatchObject({ code: 'folder', retryable: false });
    expect(error.message).toMatch(/cannot be written \(E[A-Z]+\): .*SLOWWAVE_EMBEDDING_DIR/);
  });

  it('any further once the caller stops it', async () => {
    const controller = new AbortController();
    instead[GRAPH] = () => controller.abort();
    const error = await failureOf(pull({ signal: controller.signal }));
    expect(error).toMatchObject({ code: 'stopped', message: 'the download was stopped' });
    expect((await everything()).filter((name) => name.includes('.onnx'))).toEqual([]);
  });
});
