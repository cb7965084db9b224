import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cosine, describeEmbedder } from '../../../test/conformance/embedder.ts';
import { LABELLED_TOPICS } from '../../../test/fakes/labelled-topics.ts';
import { CODE_POINT } from '../../../test/fixtures/code-point.ts';
import { createOfflineEmbedder, OFFLINE_THRESHOLD } from './offline-embedder.ts';

describeEmbedder('offline', async () => ({ embedder: createOfflineEmbedder(), stop: async () => {} }));
describeEmbedder('offline, 64 dimensions', async () => ({
  embedder: createOfflineEmbedder({ dimensions: 64 }),
  stop: async () => {},
}));

async function likeness(one: string, other: string): Promise<number> {
  const [a, b] = await createOfflineEmbedder().embed([one, other]);
  return cosine(a ?? new Float32Array(), b ?? new Float32Array());
}

/** Cosines of all pairs of the labelled memories. */
async function labelledPairs() {
  const items = Object.entries(LABELLED_TOPICS).flatMap(([topic, texts]) =>
    texts.map((text) => ({ topic, text })),
  );
  const vectors = await createOfflineEmbedder().embed(items.map(({ text }) => text));
  const pairs = { related: [] as number[], unrelated: [] as number[] };
  for (const [i, a] of vectors.entries()) {
    for (const [j, b] of vectors.entries()) {
      if (j <= i) continue;
      const kind = items[i]?.topic === items[j]?.topic ? 'related' : 'unrelated';
      pairs[kind].push(cosine(a, b));
    }
  }
  return pairs;
}

describe('the offline embedder', () => {
  it('has a model name that tells its dimensions and its version', () => {
    expect(createOfflineEmbedder()).toMatchObject({ model: 'offline-hash-384-v1', dimensions: 384 });
    expect(createOfflineEmbedder({ dimensions: 64 }).model).toBe('offline-hash-64-v1');
    expect(createOfflineEmbedder({ threshold: 0.6 }).threshold).toBe(0.6);
  });

  it('separates topics at its threshold', async () => {
    const { related, unrelated } = await labelledPairs();
    const share = (values: number[]) =>
      values.filter((value) => value >= OFFLINE_THRESHOLD).length / values.length;
    expect(related).toHaveLength(108);
    expect(unrelated).toHaveLength(2895);
    expect(share(related)).toBeGreaterThan(0.6);
    expect(share(unrelated)).toBeLessThan(0.003);
  });

  it('gives the same vector on every platform', async () => {
    const [vector] = await createOfflineEmbedder().embed(['Mara plays the cello, Dvořák, 健太 🍕 42.']);
    const strongest = [...(vector ?? [])]
      .map((value, at) => ({ at, value: Number(value.toFixed(4)) }))
      .sort((a, b) => Math.abs(b.value) - Math.abs(a.value) || a.at - b.at);
    expect(strongest.slice(0, 4)).toEqual([
      { at: 0, value: 0.5345 },
      { at: 105, value: -0.2344 },
      { at: 169, value: 0.2344 },
      { at: 182, value: 0.2344 },
    ]);
  });

  it('does not mind case, diacritics, punctuation, articles and endings', async () => {
    for (const [one, other] of [
      ['Mara speaks Português.', 'MARA SPEAKS PORTUGUES'],
      ['She walked her dogs', 'she walks the dog!'],
      ['Анна любит ёлки', 'анна любит елки'],
      ['ﬁne ＡＢＣ', 'fine abc'],
    ] as const) {
      expect(await likeness(one, other)).toBeGreaterThan(0.8);
    }
  });

  it('finds likeness in every script, and none across topics', async () => {
    for (const [one, other, apart] of [
      ['健太は味噌ラーメンが大好き', '味噌ラーメンの店', '彼女は東京に住んでいる'],
      ['王芳喜欢爬山', '周末去爬山', '他住在北京'],
      ['Анна играет в шахматы', 'шахматный турнир', 'Пётр купил машину'],
      ['مدرسة الرياضيات', 'يدرس الرياضيات', 'سيارة حمراء جديدة'],
      ['เขาชอบกินก๋วยเตี๋ยว', 'ร้านก๋วยเตี๋ยว', 'รถไฟมาสาย'],
      ['उसे क्रिकेट खेलना पसंद है', 'क्रिकेट का मैच', 'लाल गाड़ी'],
      ['🍕 with Tom', 'Tom owes me a 🍕', 'a 🚗 for Ida'],
    ] as const) {
      expect(await likeness(one, other)).toBeGreaterThan(await likeness(one, apart));
      expect(await likeness(one, apart)).toBeLessThan(OFFLINE_THRESHOLD);
    }
  });

  it('takes the common subject of all notes for less than their topic', async () => {
    expect(await likeness('Mara works at Halden.', 'Mara dislikes mushrooms.')).toBeLessThan(
      OFFLINE_THRESHOLD,
    );
  });

  it('puts texts without a word near to no other', async () => {
    expect(await likeness('', 'Mara plays the cello.')).toBeLessThan(0);
    expect(await likeness('', '?!')).toBeCloseTo(1, 6);
  });

  it('gives a finite unit vector for any text, twice the same', async () => {
    const text = fc.oneof(
      fc.string({ unit: CODE_POINT }),
      fc.string({ unit: 'grapheme' }),
      // Any code units, halves of pairs included.
      fc.array(fc.integer({ min: 0, max: 0xffff })).map((units) => String.fromCharCode(...units)),
    );
    await fc.assert(
      fc.asyncProperty(text, async (value) => {
        const [a, b] = await createOfflineEmbedder().embed([value, value]);
        expect(a).toEqual(b);
        expect(cosine(a ?? new Float32Array(), b ?? new Float32Array())).toBeCloseTo(1, 5);
      }),
      { numRuns: 200 },
    );
  });
});
