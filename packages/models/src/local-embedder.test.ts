import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cosine, describeEmbedder } from '../../../test/conformance/embedder.ts';
import { allTextOf, CANARY, failureOf } from '../../../test/conformance/provider.ts';
import { TINY_DIMENSIONS, TINY_MODEL, writeTinyModel } from '../../../test/fakes/tiny-sentence-model.ts';
import {
  installTransformers,
  MISBEHAVIOUR,
  recordOf,
  release,
} from '../../../test/fakes/transformers-package.ts';
import { until } from '../../../test/fixtures/wait.ts';
import { pathOfFile } from './local/model-files.ts';
import {
  createLocalEmbedder,
  LOCAL_THRESHOLD,
  type LocalEmbedder,
  type LocalEmbedderOptions,
} from './local-embedder.ts';

const LONG_MS = 100_000;

let folder: string;
const opened: LocalEmbedder[] = [];
const open = (more: Partial<LocalEmbedderOptions> = {}): LocalEmbedder => {
  const embedder = createLocalEmbedder({
    folder,
    model: TINY_MODEL,
    dtype: 'q8',
    timeoutMs: LONG_MS,
    places: [folder],
    ...more,
  });
  opened.push(embedder);
  return embedder;
};

async function setUp(): Promise<void> {
  folder = await mkdtemp(path.join(tmpdir(), 'slowwave models '));
  await installTransformers(folder);
  await writeTinyModel(folder);
}
async function tearDown(): Promise<void> {
  for (const embedder of opened.splice(0)) await embedder.close();
  await rm(folder, { recursive: true, force: true });
}

const loadsOf = async () => (await recordOf(folder)).filter(({ task }) => task !== undefined);
const textsOf = async () =>
  (await recordOf(folder)).flatMap(({ text }) => (text === undefined ? [] : [text]));

describeEmbedder('local', async () => {
  await setUp();
  return { embedder: open({ batchSize: 3 }), stop: tearDown };
});

describe('the local embedder', () => {
  beforeEach(setUp);
  afterEach(tearDown);

  it('knows words that mean the same, and tells its dimensions with the first answer', async () => {
    const embedder = open();
    expect(embedder).toMatchObject({
      model: `${TINY_MODEL}@q8`,
      threshold: LOCAL_THRESHOLD,
      dimensions: null,
    });
    const [one, same, other] = await embedder.embed(['a happy doctor', 'the glad physician', 'a house']);
    expect(embedder.dimensions).toBe(TINY_DIMENSIONS);
    expect(cosine(one!, same!)).toBeGreaterThan(0.9);
    expect(cosine(one!, other!)).toBeLessThan(0.8);
  });

  it('opens the model once, from its folder alone, and with nothing of the network', async () => {
    const embedder = open({ batchSize: 2 });
    await embedder.embed(['car', 'home', 'glad']);
    await embedder.embed(['car']);
    const loads = await loadsOf();
    expect(loads).toHaveLength(1);
    expect(loads[0]).toMatchObject({
      task: 'feature-extraction',
      model: TINY_MODEL,
      options: { dtype: 'q8', device: 'cpu', local_files_only: true },
      env: { allowRemoteModels: false, localModelPath: folder, useFSCache: false },
      fetch: 'the local embedder uses no network',
    });
  });

  it('starts nothing before it is asked, nor for nothing', async () => {
    expect(await open().embed([])).toEqual([]);
    expect(await recordOf(folder)).toEqual([]);
  });

  it('answers several callers, one batch after another', async () => {
    const embedder = open({ batchSize: 1 });
    const words = ['car', 'doctor', 'happy', 'house'];
    const together = await Promise.all(words.map((word) => embedder.embed([word, word])));
    for (const [i, word] of words.entries()) {
      const [alone] = await embedder.embed([word]);
      expect(together[i]).toEqual([alone, alone]);
    }
    expect(await loadsOf()).toHaveLength(1);
  });

  it('refuses vectors of another size than expected', async () => {
    const error = await failureOf(open({ dimensions: 384 }).embed(['car']));
    expect(error).toMatchObject({ code: 'invalid_response', retryable: false });
    expect(error.message).toContain('expected 384 dimensions, got 8');
  });

  it.each([
    [MISBEHAVIOUR.nothing, 'invalid_response', 'no direction'],
    [MISBEHAVIOUR.odd, 'invalid_response', 'gives no vectors'],
    [MISBEHAVIOUR.fail, 'too_large', 'failed on a text'],
  ])('refuses what the model makes of %s, without the text in the error', async (word, code, hint) => {
    const embedder = open();
    const error = await failureOf(embedder.embed([`${CANARY} ${word}`]));
    expect(error).toMatchObject({ code, retryable: false });
    expect(error.message).toContain(hint);
    expect(allTextOf(error)).not.toContain(CANARY);
    expect(await embedder.embed(['car'])).toHaveLength(1);
  });

  it('embed, a text on which the model fails beside others: a vector of zeros, and its index', async () => {
    const refused: number[] = [];
    const texts = ['car', MISBEHAVIOUR.fail, 'house'];
    const found = await open().embed(texts, { onRefused: (index) => refused.push(index) });
    expect(refused).toEqual([1]);
    expect(found.map((vector) => Math.round(Math.hypot(...vector)))).toEqual([1, 0, 1]);
  });
});

describe('the thread of the local embedder', () => {
  beforeEach(setUp);
  afterEach(tearDown);

  it('may die: that call can be tried again, and the next one starts it anew', async () => {
    const embedder = open();
    await embedder.embed(['car']);
    const [died, waited] = await Promise.all([
      failureOf(embedder.embed([`${CANARY} ${MISBEHAVIOUR.die}`])),
      embedder.embed(['home']),
    ]);
    expect(died).toMatchObject({ code: 'server_error', retryable: true });
    expect(allTextOf(died)).not.toContain(CANARY);
    expect(waited).toHaveLength(1);
    expect(await loadsOf()).toHaveLength(2);
  });

  it('may hang without this one hanging: it is ended after its time, and started anew', async () => {
    const error = await failureOf(open({ timeoutMs: 1_000 }).embed([MISBEHAVIOUR.spin]));
    expect(error).toMatchObject({ code: 'timeout', retryable: true });
    expect(await open().embed(['car'])).toHaveLength(1);
  });

  it('is told when an answer is not needed any more, and leaves out the rest', async () => {
    const embedder = open();
    const controller = new AbortController();
    const rest = Array.from({ length: 8 }, () => 'unneeded');
    const failed = failureOf(embedder.embed([MISBEHAVIOUR.wait, ...rest], { signal: controller.signal }));
    const next = embedder.embed(['car']);
    await until('the model waits', async () => (await textsOf()).includes(MISBEHAVIOUR.wait));
    controller.abort();
    // The caller waits no longer, though the model still does.
    expect(await failed).toMatchObject({ code: 'aborted', retryable: false });
    await release(folder);
    expect(await next).toHaveLength(1);
    expect(await textsOf()).toEqual([MISBEHAVIOUR.wait, 'car']);
  });

  it('is not asked for a caller who gave up while others were served', async () => {
    const embedder = open();
    const controller = new AbortController();
    const first = embedder.embed([MISBEHAVIOUR.wait]);
    const second = failureOf(embedder.embed(['unneeded'], { signal: controller.signal }));
    controller.abort();
    expect(await second).toMatchObject({ code: 'aborted' });
    await release(folder);
    expect(await first).toHaveLength(1);
    expect(await embedder.embed(['car'])).toHaveLength(1);
    expect(await textsOf()).toEqual([MISBEHAVIOUR.wait, 'car']);
  });

  it('ends with the embedder, whatever it does', async () => {
    const embedder = open();
    const failed = [MISBEHAVIOUR.wait, 'car'].map((text) => failureOf(embedder.embed([text])));
    await until('the model waits', async () => (await textsOf()).length > 0);
    await embedder.close();
    for (const error of await Promise.all([...failed, failureOf(embedder.embed(['car']))])) {
      expect(error).toMatchObject({ code: 'aborted', retryable: false });
    }
    expect(await loadsOf()).toHaveLength(1);
  });
});

describe('what is missing for the local embedder', () => {
  beforeEach(setUp);
  afterEach(tearDown);

  it('is said with the command that installs the package, and found once it is there', async () => {
    const embedder = open({ places: [path.join(folder, 'elsewhere')] });
    await rm(path.join(folder, 'node_modules'), { recursive: true });
    const error = await failureOf(embedder.embed(['car']));
    expect(error).toMatchObject({ code: 'invalid_request', retryable: false });
    expect(error.message).toContain(
      `npm install --ignore-scripts --prefix "${folder}" @huggingface/transformers@4`,
    );
    await installTransformers(folder);
    expect(await embedder.embed(['car'])).toHaveLength(1);
  });

  it.each([
    ["throw Object.assign(new Error('no runtime'), { code: 'ERR_DLOPEN_FAILED' });", 'ERR_DLOPEN_FAILED'],
    ["throw Object.assign(new Error('x'), { code: 'any words' });", 'cannot be loaded: install it'],
    ['module.exports = {};', 'cannot be loaded: install it'],
  ])('is a package that works, not one with: %s', async (code, hint) => {
    await installTransformers(folder, code);
    const error = await failureOf(open().embed(['car']));
    expect(error).toMatchObject({ code: 'invalid_request', retryable: false });
    expect(error.message).toContain(hint);
    expect(error.message).not.toContain('any words');
  });

  it('is said with the command that gets the model, and found once it is there', async () => {
    const embedder = open({ model: 'tests/other' });
    const error = await failureOf(embedder.embed(['car']));
    expect(error).toMatchObject({ code: 'invalid_request', retryable: false });
    expect(error.message).toContain('slowwave models pull tests/other');
    expect(await failureOf(open({ dtype: 'fp32' }).embed(['car']))).toMatchObject({
      code: 'invalid_request',
    });
  });

  it('is a model that can be read', async () => {
    const file = pathOfFile({ folder, model: TINY_MODEL }, 'config.json');
    await truncate(file, 3);
    const embedder = open();
    const error = await failureOf(embedder.embed(['car']));
    expect(error).toMatchObject({ code: 'invalid_request', retryable: false });
    expect(error.message).toContain('no model that can be run');
    await writeFile(file, JSON.stringify({ hidden_size: TINY_DIMENSIONS }));
    expect(await embedder.embed(['car'])).toHaveLength(1);
  });
});
