import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Environment, readConfig } from '@slowwave/config';
import { createLogger } from '@slowwave/worker';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TINY_MODEL, tinyModelFiles, writeTinyModel } from '../../../test/fakes/tiny-sentence-model.ts';
import { installTransformers } from '../../../test/fakes/transformers-package.ts';
import { runCheck } from './doctor/check.ts';
import { embedderCheck } from './doctor/model-checks.ts';
import { EXIT, UsageError } from './exit.ts';
import { type PullModelArguments, pullModelCommand } from './models-command.ts';

let folder: string;
let server: Server;
let from: string;
/** Answers every request with this status instead of a file. */
let status: number | null;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'slowwave-models-'));
  status = null;
  const files = tinyModelFiles();
  server = createServer((request, response) => {
    const content = files[(request.url ?? '').split('/resolve/main/')[1] ?? ''];
    if (status !== null || !content) response.writeHead(status ?? 404).end();
    else response.writeHead(200, { 'content-length': content.length }).end(content);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  from = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await rm(folder, { recursive: true, force: true });
});

const configOf = (more: Environment = {}) =>
  readConfig({
    SLOWWAVE_EMBEDDER: 'local',
    SLOWWAVE_EMBEDDING_DIR: folder,
    SLOWWAVE_EMBEDDING_MODEL: TINY_MODEL,
    ...more,
  });

async function pull(given: Partial<PullModelArguments> = {}, more: Environment = {}) {
  const lines: string[] = [];
  const errors: string[] = [];
  const terminal = {
    line: (text = '') => lines.push(text),
    error: (text: string) => errors.push(text),
    progress: () => {},
    clear: () => {},
    columns: null,
    bold: (text: string) => text,
    dim: (text: string) => text,
  };
  const context = { config: configOf(more), logger: createLogger('silent'), terminal, remote: null };
  const code = await pullModelCommand(context, { from, json: false, ...given });
  return { code, lines, errors };
}

const look = async (more: Environment = {}) =>
  runCheck(embedderCheck(configOf(more), { ask: false }), 60_000);

describe('slowwave models pull', () => {
  it('downloads the configured model once, and says what it needs besides', async () => {
    const first = await pull();
    expect(first).toMatchObject({ code: EXIT.ok, errors: [] });
    expect(first.lines.filter((line) => line.startsWith('downloaded'))).toHaveLength(4);
    expect(first.lines.join('\n')).toMatch(/not installed: npm install --ignore-scripts --prefix/);
    await installTransformers(folder);
    const second = await pull();
    expect(second.lines.filter((line) => line.startsWith('was there'))).toHaveLength(4);
    expect(second.lines.join('\n')).not.toMatch(/not installed/);
  });

  it('says how to use a model that is not the configured one', async () => {
    expect((await pull({ model: 'someone/other' })).lines.at(-1)).toBe(
      'To use it, set SLOWWAVE_EMBEDDING_MODEL=someone/other',
    );
    expect((await pull({}, { SLOWWAVE_EMBEDDER: 'offline' })).lines.at(-1)).toBe(
      'To use it, set SLOWWAVE_EMBEDDER=local',
    );
  });

  it('answers programs', async () => {
    const { lines } = await pull({ json: true });
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0]!)).toMatchObject({
      model: TINY_MODEL,
      dtype: 'q8',
      folder,
      install: expect.stringContaining('npm install'),
    });
  });

  it.each([
    [404, EXIT.failed, /has no public model tests\/tiny-sentences/],
    [503, EXIT.unreachable, /answers with 503: try again later/],
  ])('refused with %i it ends with %i, leaves nothing half, and works later', async (refusal, code, said) => {
    status = refusal;
    const refused = await pull();
    expect(refused.code).toBe(code);
    expect(refused.errors.join()).toMatch(said);
    expect(
      (await readdir(folder, { recursive: true })).filter((name) => /\.(?:part|json|onnx)$/.test(name)),
    ).toEqual([]);
    status = null;
    expect((await pull()).code).toBe(EXIT.ok);
  });

  it.each(['../../etc', 'a/b/c', 'https://x/y', ''])(
    'takes no name that leads out of the folder: %j',
    async (model) => {
      await expect(pull({ model })).rejects.toBeInstanceOf(UsageError);
    },
  );
});

describe('the check of the embedder', () => {
  it('names the package, then the files, then runs the model', async () => {
    expect(await look()).toMatchObject({
      verdict: 'fail',
      cause: 'the package of the local embedder is not installed',
      action: expect.stringContaining('npm install'),
    });
    await installTransformers(folder);
    expect(await look()).toMatchObject({
      verdict: 'fail',
      cause: expect.stringContaining('there is no config.json'),
      action: `slowwave models pull ${TINY_MODEL}`,
    });
    await writeTinyModel(folder);
    expect(await look()).toMatchObject({ verdict: 'ok', cause: expect.stringContaining('8 dimensions') });
    expect(await look({ SLOWWAVE_EMBEDDING_DIMENSIONS: '9' })).toMatchObject({
      verdict: 'fail',
      cause: expect.stringContaining('expected 9 dimensions, got 8'),
    });
  });

  it('says what the offline embedder does not know', async () => {
    expect(await look({ SLOWWAVE_EMBEDDER: 'offline' })).toMatchObject({
      verdict: 'ok',
      cause: expect.stringMatching(/neither synonyms.*SLOWWAVE_EMBEDDER=local/),
    });
  });
});
