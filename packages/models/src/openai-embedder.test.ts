import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { describeEmbedder } from '../../../test/conformance/embedder.ts';
import { allTextOf, CANARY, failureOf } from '../../../test/conformance/provider.ts';
import {
  EMBEDDINGS_PATH,
  inputsOf,
  refusing,
  startOpenAiServer,
  type VectorOptions,
  vectorOfText,
  vectors,
} from '../../../test/fakes/openai-server.ts';
import type { FakeServer } from '../../../test/fakes/scripted-server.ts';
import { createOpenAiEmbedder, type OpenAiEmbedderOptions } from './openai-embedder.ts';

let server: FakeServer;
const embedderOf = (more: Partial<OpenAiEmbedderOptions> = {}) =>
  createOpenAiEmbedder({
    baseUrl: `${server.url}/v1`,
    model: 'nomic-embed-text',
    batchSize: 3,
    timeoutMs: 60_000,
    threshold: 0.75,
    ...more,
  });
const unit = (vector: number[]) => {
  const length = Math.hypot(...vector);
  return Float32Array.from(vector, (component) => component / length);
};

for (const encoding of ['float', 'base64'] as const) {
  describeEmbedder(`openai, ${encoding}`, async () => {
    server = await startOpenAiServer();
    return { embedder: embedderOf({ encoding }), stop: server.stop };
  });
}

describe('embeddings', () => {
  beforeEach(async () => {
    server = await startOpenAiServer();
  });
  afterEach(() => server.stop());
  const answerWith = (options: VectorOptions) => server.use(vectors(options), EMBEDDINGS_PATH);

  it('are asked in batches, in order, and scaled to length 1', async () => {
    const texts = ['a', 'bb', 'ccc', 'dddd', 'eeeee', 'ffffff', 'g'];
    const found = await embedderOf().embed(texts);
    expect(server.calls.map(({ json }) => (Array.isArray(json?.input) ? json.input.length : 0))).toEqual([
      3, 3, 1,
    ]);
    for (const [i, text] of texts.entries()) {
      for (const [k, value] of unit(vectorOfText(text, 8)).entries()) {
        expect(found[i]?.[k]).toBeCloseTo(value, 6);
      }
    }
  });

  it('follow their index, not their place in the answer', async () => {
    const inOrder = await embedderOf().embed(['a', 'bb', 'ccc']);
    answerWith({ reversed: true });
    expect(await embedderOf().embed(['a', 'bb', 'ccc'])).toEqual(inOrder);
  });

  it('tell their dimensions with the first answer, and keep to them', async () => {
    const embedder = embedderOf();
    expect(embedder.dimensions).toBeNull();
    await embedder.embed(['a']);
    expect(embedder.dimensions).toBe(8);
    answerWith({ dimensions: 12 });
    const error = await failureOf(embedder.embed(['a']));
    expect(error).toMatchObject({ code: 'invalid_response', retryable: false });
    expect(error.message).toContain('expected 8 dimensions, got 12');
  });

  it('are refused in another size than configured, before anything is known', async () => {
    const embedder = embedderOf({ dimensions: 768 });
    expect(embedder.dimensions).toBe(768);
    const error = await failureOf(embedder.embed(['a']));
    expect(error.message).toContain('expected 768 dimensions, got 8');
    expect(server.calls[0]?.json).not.toHaveProperty('dimensions');
  });

  it('are stored under a name with the size that is configured, and charged under the name of the model', () => {
    expect(embedderOf()).toMatchObject({ model: 'nomic-embed-text', chargedAs: 'nomic-embed-text' });
    expect(embedderOf({ dimensions: 8 })).toMatchObject({
      model: 'nomic-embed-text@8',
      chargedAs: 'nomic-embed-text',
    });
  });

  it('are asked in that size when the model can shorten', async () => {
    answerWith({ dimensions: 4 });
    await embedderOf({ dimensions: 4, requestDimensions: true }).embed(['a']);
    expect(server.calls[0]?.json?.dimensions).toBe(4);
  });

  const cases: [string, VectorOptions, string?][] = [
    ['null components', { vector: () => [1, null] }, 'not a number'],
    ['components that are text', { vector: () => [1, 'x'], encoding: 'float' }, 'not a number'],
    ['NaN in base64', { vector: () => [1, Number.NaN], encoding: 'base64' }, 'not a number'],
    [
      'infinity in base64',
      { vector: () => [1, Number.POSITIVE_INFINITY], encoding: 'base64' },
      'not a number',
    ],
    ['all zeros', { vector: () => [0, 0] }, 'no direction'],
    ['no components', { vector: () => [] }],
    ['too few vectors', { drop: 1 }, 'expected 2 vectors, got 1'],
    ['too many vectors', { drop: -1 }, 'expected 2 vectors, got 3'],
  ];
  it.each(cases)('with %s are refused', async (_name, options, hint = '') => {
    answerWith(options);
    const error = await failureOf(embedderOf().embed(['a', 'b']));
    expect(error).toMatchObject({ code: 'invalid_response', retryable: false });
    expect(error.message).toContain(hint);
  });

  it.each([
    ['twice the same index', [0, 0]],
    ['an index out of range', [0, 2]],
    ['an index that is no whole number', [0, 0.5]],
  ])('with %s are refused', async (_name, indexes) => {
    const data = indexes.map((index) => ({ index, embedding: [1, 0] }));
    server.use({ kind: 'answer', value: () => ({ data }) }, EMBEDDINGS_PATH);
    expect(await failureOf(embedderOf().embed(['a', 'b']))).toMatchObject({
      code: 'invalid_response',
      retryable: false,
    });
  });

  it('are not asked for an empty text or half a character, nor for more than fits', async () => {
    await embedderOf({ maxChars: 4 }).embed(['', 'a\ud800b', 'abcd😀']);
    expect(server.calls[0]?.json?.input).toEqual([' ', 'a\ufffdb', 'abcd']);
    await embedderOf({ maxChars: 5 }).embed(['abcd😀']);
    expect(server.calls[1]?.json?.input).toEqual(['abcd\ufffd']);
  });

  it('fail as every call does, without the texts in the error', async () => {
    server.use({ kind: 'error', status: 400, echo: true }, EMBEDDINGS_PATH);
    const error = await failureOf(embedderOf().embed([CANARY]));
    expect(error).toMatchObject({ code: 'invalid_request', retryable: false });
    expect(allTextOf(error)).not.toContain(CANARY);
    server.use({ kind: 'error', status: 429, retryAfter: '3' }, EMBEDDINGS_PATH);
    expect(await failureOf(embedderOf().embed(['a']))).toMatchObject({ retryAfterMs: 3000 });
    server.use({ kind: 'hang' }, EMBEDDINGS_PATH);
    expect(await failureOf(embedderOf({ timeoutMs: 200 }).embed(['a']))).toMatchObject({ code: 'timeout' });
  });

  describe('of texts that the endpoint refuses', () => {
    const refuse = (isRefused: (text: string) => boolean, status = 400) =>
      server.use(refusing(isRefused, status), EMBEDDINGS_PATH);
    const sizes = () => server.calls.map((call) => inputsOf(call).map(({ length }) => length));

    it.each([400, 413, 422])(
      'embed, status %i: halves the batch, then the text, and keeps the order',
      async (status) => {
        refuse((text) => text.length > 300, status);
        const refused: number[] = [];
        const long = 'l'.repeat(1_000);
        const found = await embedderOf({ batchSize: 4 }).embed(['a', 'bb', long, 'dddd'], {
          onRefused: (index) => refused.push(index),
        });
        expect(sizes()).toEqual([[1, 2, 1_000, 4], [8], [1, 2], [1_000, 4], [1_000], [500], [250], [4]]);
        const [a, , cut, d] = await embedderOf().embed(['a', 'bb', long.slice(0, 250), 'dddd']);
        expect([found[0], found[2], found[3]]).toEqual([a, cut, d]);
        expect(refused).toEqual([]);
      },
    );

    it('embed, a text refused at every length: a vector of zeros and its index', async () => {
      refuse((text) => text.startsWith('x'));
      const refused: number[] = [];
      const texts = ['a', 'b', 'c', 'd', 'x'.repeat(400), 'x'];
      const found = await embedderOf().embed(texts, { onRefused: (index) => refused.push(index) });
      expect(refused).toEqual([4, 5]);
      expect(found.map((vector) => vector.some((component) => component !== 0))).toEqual([
        ...[true, true, true, true],
        ...[false, false],
      ]);
      expect(found[4]).toHaveLength(8);
      // Down to 128 characters, and no further.
      expect(
        sizes()
          .flat()
          .filter((length) => length > 8 && length <= 400),
      ).toEqual([400, 400, 400, 200, 128]);
    });

    it('embed, without onRefused: throws the refusal of the text', async () => {
      refuse((text) => text.startsWith('x'));
      const error = await failureOf(embedderOf().embed(['a', 'x']));
      expect(error).toMatchObject({ code: 'invalid_request', status: 400, retryable: false });
    });

    it.each([
      [400, 2],
      [413, 2],
      [401, 1],
      [403, 1],
      [404, 1],
      [429, 1],
      [500, 1],
    ])(
      'embed, status %i for every text: throws after %i calls, sets no text apart',
      async (status, calls) => {
        refuse(() => true, status);
        const refused: number[] = [];
        const onRefused = (index: number) => refused.push(index);
        const error = await failureOf(embedderOf().embed(['a', 'b', 'c'], { onRefused }));
        expect(error.status).toBe(status);
        expect([server.calls.length, refused]).toEqual([calls, []]);
      },
    );

    it('embed, a 500 that says the input is too long: shortens the text', async () => {
      const message = 'input (6021 tokens) is too large to process. increase the physical batch size';
      server.use(
        (call) =>
          inputsOf(call).some(({ length }) => length > 300)
            ? { kind: 'error', status: 500, message }
            : vectors(),
        EMBEDDINGS_PATH,
      );
      expect(await embedderOf().embed(['y'.repeat(600)])).toHaveLength(1);
      expect(sizes()).toEqual([[600], [8], [300]]);
    });
  });

  it.each(['\u201cabc\u201d', 'sk-\u2022\u2022\u2022', 'clé', 'a\nb'])(
    'with the key %j: fail before a request is made, without the key in the error',
    async (apiKey) => {
      const error = await failureOf(embedderOf({ apiKey }).embed(['a']));
      expect(error).toMatchObject({ code: 'auth', retryable: false, unsent: true });
      expect(error.message).toContain('no header can carry');
      expect(error.message).not.toContain(apiKey);
      expect(server.calls).toEqual([]);
    },
  );

  it('are not read without end', async () => {
    const body = `{"data":[${' '.repeat(2 * 1024 * 1024)}]}`;
    server.use({ kind: 'raw', body }, EMBEDDINGS_PATH);
    const error = await failureOf(embedderOf({ dimensions: 8 }).embed(['a']));
    expect(error.message).toContain('larger than');
  });
});
