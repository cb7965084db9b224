import type { Embedder } from '@slowwave/fusion';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { failureOf } from './provider.ts';

export interface EmbedderFixture {
  embedder: Embedder;
  stop(): Promise<void>;
}

const TEXTS = [
  'Mara plays the cello in an orchestra.',
  'Анна играет в шахматы',
  '健太は味噌ラーメンが大好きです。',
  'تعمل ليلى مدرسة رياضيات',
  'Friday is 🍕 night',
  'lone \ud83c surrogate and a NUL \u0000',
  'word '.repeat(20_000),
];

export function cosine(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, value, i) => sum + value * (b[i] ?? 0), 0);
}

/** The suite that every Embedder passes. */
export function describeEmbedder(name: string, makeFixture: () => Promise<EmbedderFixture>): void {
  describe(`Embedder: ${name}`, () => {
    let fixture: EmbedderFixture;
    beforeEach(async () => {
      fixture = await makeFixture();
    });
    afterEach(() => fixture.stop());

    it('has a name, a model and a threshold between 0.4 and 1', () => {
      expect(fixture.embedder.name).not.toBe('');
      expect(fixture.embedder.model).not.toBe('');
      // Neighbours are kept from 0.4 up.
      expect(fixture.embedder.threshold).toBeGreaterThanOrEqual(0.4);
      expect(fixture.embedder.threshold).toBeLessThan(1);
    });

    it('gives one unit vector of finite components per text, whatever the text', async () => {
      const vectors = await fixture.embedder.embed(TEXTS);
      expect(vectors).toHaveLength(TEXTS.length);
      for (const vector of vectors) {
        expect(vector).toBeInstanceOf(Float32Array);
        expect(vector.length).toBe(fixture.embedder.dimensions);
        expect(vector.every(Number.isFinite)).toBe(true);
        expect(cosine(vector, vector)).toBeCloseTo(1, 5);
      }
    });

    it('gives texts without a word a unit vector too', async () => {
      for (const vector of await fixture.embedder.embed(['', '   \n', '...'])) {
        expect(cosine(vector, vector)).toBeCloseTo(1, 5);
      }
    });

    it('keeps the order of the texts, alone or together', async () => {
      const together = await fixture.embedder.embed(TEXTS);
      for (const [i, text] of TEXTS.entries()) {
        const [alone] = await fixture.embedder.embed([text]);
        expect(alone).toEqual(together[i]);
      }
    });

    it('gives nothing for nothing', async () => {
      expect(await fixture.embedder.embed([])).toEqual([]);
    });

    it('refuses a call whose signal has fired', async () => {
      const error = await failureOf(fixture.embedder.embed(['x'], { signal: AbortSignal.abort() }));
      expect(error).toMatchObject({ code: 'aborted', retryable: false });
    });
  });
}
