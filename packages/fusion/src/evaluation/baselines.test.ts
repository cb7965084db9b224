import { expect, it } from 'vitest';
import { byCosine, createBm25, placesBy } from './baselines.ts';

it('BM25 prefers rare words, short texts and forms of one word', () => {
  const search = createBm25([
    'Ana keeps a boat and a dog and a cat and a parrot and likes them',
    'Ana boats',
    'Ana reads',
    'Ben reads',
  ]);
  expect(search('boat of Ana')).toEqual([1, 0, 2]);
  expect(search('nothing else')).toEqual([]);
  expect(createBm25([])('boat')).toEqual([]);
});

it('cosine orders by nearness, and equal scores keep their order', () => {
  const vectors = [new Float32Array([0, 1]), new Float32Array([1, 0]), new Float32Array([0.6, 0.8])];
  expect(byCosine(vectors, new Float32Array([1, 0]))).toEqual([1, 2, 0]);
  expect(placesBy([1, 2, 2, 0])).toEqual([1, 2, 0, 3]);
});
