import { describe, expect, it } from 'vitest';
import { pairsOf, stemOf } from './words.ts';

describe('stemOf', () => {
  it.each([
    ['likes', 'liked', 'liking', 'like'],
    ['runs', 'running', 'run'],
    ['stories', 'story'],
    ['watches', 'watched', 'watching', 'watch'],
    ['hikes', 'hiking', 'hike'],
    ['studies', 'studied', 'study'],
    ['calls', 'called', 'calling', 'call'],
  ])('brings %s and its forms together', (...forms) => {
    expect(new Set(forms.map(stemOf)).size).toBe(1);
  });

  it('keeps other words apart and other scripts as they are', () => {
    expect(stemOf('bus')).toBe('bus');
    expect(stemOf('glass')).toBe('glass');
    expect(stemOf('москве')).toBe('москве');
    expect(stemOf('jazz')).not.toBe(stemOf('jar'));
  });
});

describe('pairsOf', () => {
  it('takes neighbouring characters, but not endings in Hiragana', () => {
    expect(pairsOf('東京にすむ')).toEqual(['東京', '京に']);
    expect(pairsOf('𠮷野')).toEqual(['𠮷野']);
    expect(pairsOf('茶')).toEqual([]);
  });
});
