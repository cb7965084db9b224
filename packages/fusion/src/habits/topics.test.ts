import { describe, expect, it } from 'vitest';
import { blendTopics } from './topics.ts';

describe('blendTopics', () => {
  it('starts with the shares of the first day', () => {
    expect(blendTopics([], ['rust', 'tea', 'rust', 'rust'], 1)).toEqual([
      { topic: 'rust', weight: 0.75 },
      { topic: 'tea', weight: 0.25 },
    ]);
  });

  it('lets what is not spoken of any more fade', () => {
    const [first, second] = blendTopics([{ topic: 'tea', weight: 1 }], ['rust'], 0.25);
    expect(first).toEqual({ topic: 'tea', weight: 0.75 });
    expect(second).toEqual({ topic: 'rust', weight: 0.25 });
  });

  it('takes spellings of one topic together and shows the last one', () => {
    expect(blendTopics([{ topic: 'rust', weight: 0.5 }], [' Rust ', 'RUST'], 0.5)).toEqual([
      { topic: 'RUST', weight: 0.75 },
    ]);
    expect(blendTopics([], ['green  tea', 'Green tea', ' '], 1)).toEqual([{ topic: 'Green tea', weight: 1 }]);
  });

  it('keeps the 12 heaviest, in a fixed order', () => {
    const topics = Array.from({ length: 20 }, (_, n) => `t${String(n).padStart(2, '0')}`);
    const kept = blendTopics([], [...topics, 't19', 't19'], 1);
    expect(kept).toHaveLength(12);
    expect(kept[0]!.topic).toBe('t19');
    expect(kept.slice(1).map(({ topic }) => topic)).toEqual(topics.slice(0, 11));
    expect(blendTopics([], [...topics, 't19', 't19'].reverse(), 1)).toEqual(kept);
  });
});
