import { describe, expect, it } from 'vitest';
import { gramsKept, gramsOf, stemOf } from './words.ts';

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

describe('grams', () => {
  const kept = (wanted: string, text: string): boolean => gramsKept(gramsOf([wanted]), gramsOf([text]));

  it('asks for every Han character and Katakana pair, and most other pairs', () => {
    expect(kept('東京に住んでいる', '東京に住み、働く')).toBe(true);
    expect(kept('東京に住んでいる', '大阪に住んでいる')).toBe(false);
    expect(kept('ジャズが好き', 'ロックが好き')).toBe(false);
    expect(kept('ชอบกินข้าว', 'ชอบกินปลา')).toBe(false);
  });

  it('asks for Hiragana pairs where there is nothing else', () => {
    expect(kept('すしがすき', 'すしがすきだ')).toBe(true);
    expect(kept('すしがすき', 'そばがすき')).toBe(false);
  });
});
