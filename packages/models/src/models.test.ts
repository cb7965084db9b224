import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { TINY_MODEL, writeTinyModel } from '../../../test/fakes/tiny-sentence-model.ts';
import { installTransformers } from '../../../test/fakes/transformers-package.ts';
import { createModels, describeModels, type ModelsOptions } from './models.ts';

const OFFLINE = { embedder: 'offline' } as const;
const SECRET = 'sk-secret-value';

describe('createModels', () => {
  it('gives no provider for none, and says so', () => {
    const models = createModels({ model: { provider: 'none' }, embedder: OFFLINE });
    expect(models.provider).toBeNull();
    expect(models.embedder.model).toBe('offline-hash-384-v1');
    expect(models.description).toBe(
      'no model provider (steps that need a model are skipped); offline embedder, model offline-hash-384-v1 (384 dimensions, related from 0.5): it matches words and parts of words, and knows neither synonyms nor what other languages call the same thing; SLOWWAVE_EMBEDDER=local does',
    );
  });

  it('gives the offline provider, and says that it is no model', () => {
    const models = createModels({
      model: { provider: 'offline' },
      embedder: { embedder: 'offline', dimensions: 64, threshold: 0.6 },
    });
    expect(models.provider).toMatchObject({ name: 'offline', model: 'offline-extractive-1' });
    expect(models.embedder).toMatchObject({ dimensions: 64, threshold: 0.6 });
    expect(models.description).toContain(
      'offline provider (no language model: it joins only what repeats word for word)',
    );
  });

  const remote: ModelsOptions[] = [
    {
      model: { provider: 'anthropic', apiKey: SECRET, model: 'claude-haiku-5-5', timeoutMs: 1000 },
      embedder: OFFLINE,
    },
    {
      model: {
        provider: 'openai',
        apiKey: SECRET,
        model: 'qwen3:8b',
        baseUrl: `http://user:${SECRET}@127.0.0.1:11434/v1?key=${SECRET}#${SECRET}`,
        timeoutMs: 1000,
      },
      embedder: {
        embedder: 'openai',
        apiKey: SECRET,
        model: 'nomic-embed-text',
        baseUrl: `http://user:${SECRET}@localhost:11434/v1/?key=${SECRET}`,
        threshold: 0.75,
        timeoutMs: 1000,
      },
    },
  ];

  it('gives the remote providers and embedders that were chosen', () => {
    const [claude, local] = remote.map((options) => createModels(options));
    expect(claude?.provider).toMatchObject({ name: 'anthropic', model: 'claude-haiku-5-5' });
    expect(local?.provider).toMatchObject({ name: 'openai', model: 'qwen3:8b' });
    expect(local?.embedder).toMatchObject({ name: 'openai', dimensions: null, threshold: 0.75 });
  });

  it('describes them in one line without keys, passwords and queries', () => {
    expect(remote.map(describeModels)).toEqual([
      'anthropic provider, model claude-haiku-5-5; offline embedder, model offline-hash-384-v1 (384 dimensions, related from 0.5): it matches words and parts of words, and knows neither synonyms nor what other languages call the same thing; SLOWWAVE_EMBEDDER=local does',
      'openai provider, model qwen3:8b at 127.0.0.1:11434/v1; openai embedder, model nomic-embed-text at localhost:11434/v1 (unknown dimensions, related from 0.75)',
    ]);
  });

  it('gives steps a model of their own where one is named, and one provider for each model', () => {
    const [claude, local] = remote.map((options) => ({
      ...options,
      steps: {
        fusion: { model: 'small' },
        nrem: { model: 'large' },
        rem: { model: 'large' },
        reflection: {},
        summaries: { model: options.model.provider === 'openai' ? 'qwen3:8b' : 'claude-haiku-5-5' },
      },
    }));
    const models = createModels(local!);
    expect(Object.keys(models.providers).sort()).toEqual(['fusion', 'nrem', 'rem']);
    expect(models.provider).toMatchObject({ name: 'openai', model: 'qwen3:8b' });
    expect(models.providers.fusion).toMatchObject({ name: 'openai', model: 'small' });
    expect(models.providers.rem).toMatchObject({ name: 'openai', model: 'large' });
    expect(models.providers.rem).toBe(models.providers.nrem);
    expect(createModels(claude!).providers.nrem).toMatchObject({ name: 'anthropic', model: 'large' });
    expect(describeModels(claude!)).toContain(
      'anthropic provider, model claude-haiku-5-5 (small for fusion; large for nrem, rem); offline embedder',
    );
    expect(describeModels(local!)).not.toContain(SECRET);
  });

  it('gives steps no provider of their own where there is no model', () => {
    for (const provider of ['none', 'offline'] as const) {
      const options = { model: { provider }, embedder: OFFLINE, steps: { rem: { model: 'large' } } };
      expect(createModels(options).providers).toEqual({});
      expect(describeModels(options)).not.toContain('large');
    }
    expect(createModels(remote[0]!).providers).toEqual({});
  });

  it('gives the local embedder without starting anything', async () => {
    const models = createModels({
      model: { provider: 'none' },
      embedder: { embedder: 'local', folder: 'models', model: 'a/b', dtype: 'q8', timeoutMs: 1000 },
    });
    expect(models.embedder).toMatchObject({ name: 'local', model: 'a/b@q8', dimensions: null });
    expect(models.description).toBe(
      'no model provider (steps that need a model are skipped); local embedder, model a/b@q8 in this process (unknown dimensions, related from 0.5)',
    );
    await models.close();
  });

  it('says what the local embedder lacks, each with the command that helps, until it is there', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'slowwave shortages '));
    try {
      const local = { folder, model: TINY_MODEL, dtype: 'q8', timeoutMs: 1000, places: [folder] } as const;
      const models = createModels({
        model: { provider: 'none' },
        embedder: { embedder: 'local', ...local },
      });
      expect(await models.shortages()).toEqual([
        `the local embedder needs a package that is not installed; install it with: npm install --ignore-scripts --prefix "${folder}" @huggingface/transformers@4`,
        `files of the model ${TINY_MODEL} are missing; get them with: slowwave models pull ${TINY_MODEL}`,
      ]);
      await writeTinyModel(folder);
      expect(await models.shortages()).toHaveLength(1);
      await installTransformers(folder);
      expect(await models.shortages()).toEqual([]);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
    const offline = createModels({ model: { provider: 'none' }, embedder: { embedder: 'offline' } });
    expect(await offline.shortages()).toEqual([]);
  });

  it('describes a URL that cannot be read without repeating it', () => {
    const description = describeModels({
      model: { provider: 'openai', model: 'm', baseUrl: `nonsense ${SECRET}`, timeoutMs: 1000 },
      embedder: OFFLINE,
    });
    expect(description).toContain('an unreadable URL');
    expect(description).not.toContain(SECRET);
  });
});
